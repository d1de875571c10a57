import Backing
import Catalog
import Documents
import Synchronization

/// The open handles by number, and their files by inode.
final class OpenFiles: Sendable {
    struct Table {
        var files: [InodeNumber: OpenFile] = [:]
        var handles: [UInt64: Handle] = [:]
        var lastHandle: UInt64 = 0
        /// How often names or folders have changed in a way that may make a cloud document of an open file, or name it automatically.
        var nameChanges = 0
        var closes = Closes()
        var held = HeldVersions()
        /// The process that opened a document last.
        var lastOpener: (thread: Int32, opener: HeldVersions.Opener)?

        func isPlain(_ file: OpenFile) -> Bool {
            file.wasPlain && file.state.withLock(\.nameChanges) == nameChanges
        }

        fileprivate mutating func add(_ handle: Handle) -> UInt64 {
            lastHandle += 1
            handles[lastHandle] = handle
            files[handle.file.inode] = handle.file
            if let document = handle.file.document, let opener = handle.opener {
                held.recordOpen(document, by: opener)
            }
            handle.file.state.withLock { state in
                // Once: an open may find the file just when its last handle is closed.
                state.nameChanges = state.nameChanges ?? nameChanges
                state.handles += 1
                if handle.canWrite { state.writing.addWriter() }
            }
            return lastHandle
        }
    }

    /// Taken inside the catalog's queue or alone; a file's state is taken inside it.
    let table = Mutex(Table())

    func file(_ inode: InodeNumber) -> OpenFile? { table.withLock { $0.files[inode] } }

    func handle(_ number: UInt64) throws(Refusal) -> Handle {
        guard let handle = table.withLock({ $0.handles[number] }) else { throw .noSuchHandle }
        return handle
    }

    /// Registers a handle, and its file under its inode.
    func add(_ handle: Handle) -> UInt64 { table.withLock { $0.add(handle) } }

    /// Registers one more handle of a file that was found open before.
    ///
    /// - Returns: nil if the file was closed meanwhile. It must be opened afresh then: a rename over it would not have found it to `detach`
    ///   it.
    func addAnother(_ handle: Handle) -> UInt64? {
        table.withLock { $0.files[handle.file.inode] === handle.file ? $0.add(handle) : nil }
    }

    /// Lets the open handles of an inode keep their content while its name leads to another file. The kernel may still ask for the
    /// inode, but its file belongs to no document any more.
    func detach(_ inode: InodeNumber, _ transaction: Transaction) {
        guard let file = file(inode) else { return }
        file.state.withLock { $0.isUnlinked = true }
        transaction.ifFailed { file.state.withLock { $0.isUnlinked = false } }
    }

    /// The inverse of `detach`: the file has a name again.
    func attach(_ file: OpenFile, _ transaction: Transaction) {
        file.state.withLock { $0.isUnlinked = false }
        transaction.ifFailed { file.state.withLock { $0.isUnlinked = true } }
    }

    /// Must be called before names or folders change: the close of any open file may have to change a row from now on.
    func requireSaves() { table.withLock { $0.nameChanges += 1 } }

    /// Whether the close of a file's last writer changes no row: the file is no cloud document and has a given name. True only while
    /// nothing could have changed that since it was opened.
    func isPlain(_ file: OpenFile) -> Bool { table.withLock { $0.isPlain(file) } }

    func setMode(_ mode: UInt16, of inode: InodeNumber) {
        file(inode)?.state.withLock { $0.hasSetID = FileMode.hasSetID(mode) }
    }

    /// A newer version was received while the file is open for writing.
    func markOvertaken(_ inode: InodeNumber) { file(inode)?.state.withLock { $0.isOvertaken = true } }

    /// Whether the kernel may be writing to a cloud document by itself, or may do so after docfs has ended.
    var areWrittenUnseen: Bool {
        table.withLock { table in
            table.files.values.contains { file in
                file.isReplicated && !file.isWritable
                    && file.state.withLock { $0.writing.writers > 0 && !$0.isUnlinked }
            }
        }
    }

    func isOpen(_ inode: InodeNumber) -> Bool { file(inode) != nil }

    /// The open file of an inode that another open may share.
    func shareableFile(_ inode: InodeNumber, forWriting writes: Bool) -> OpenFile? {
        guard let file = file(inode), file.canBeShared(forWriting: writes) else { return nil }
        return file
    }

    /// Whether a handle reads content of which a part is still to be downloaded.
    func isReadWhileArriving(_ inode: InodeNumber) -> Bool { file(inode)?.arrival?.stage == .underWay }

    func isOpenForWriting(_ inode: InodeNumber) -> Bool { file(inode)?.isOpenForWriting ?? false }

    /// Whether any file is open for writing.
    var hasWriter: Bool { table.withLock { $0.files.values.contains(where: \.isOpenForWriting) } }
}
