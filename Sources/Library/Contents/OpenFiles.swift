import Backing
import Catalog
import Dispatch
import Documents
import Glibc
import Replication
import Synchronization
import SystemPackage

/// A file that someone holds open: the one descriptor that all its handles share.
final class OpenFile: Sendable {
    struct State {
        var handles = 0
        var writers = 0
        /// Whether it was written to since the last writer before closed, or may have been: of what the kernel
        /// writes by itself nobody hears.
        var isModified = false
        /// Whether nobody needs to hear of its being saved: it is no cloud document and has been named.
        /// True only while nothing could have changed that since it was opened.
        var isPlain = false
        /// Whether the kernel writes to it by itself although docfs has it open for writing: it was not the cloud's then.
        var isBypassed = false
        /// Whether its last name is gone; the descriptor alone keeps the content.
        var isUnlinked = false
        /// Whether a newer version came while it was open for writing.
        var isOvertaken = false
        /// Whether a write by somebody without privilege must clear set-id bits.
        var hasSetID = false
        /// Writers whose close has begun.
        var leaving = 0
        /// Whether one of them waits for mappings to go.
        var isAwaited = false
        /// Whether others have left while one waits.
        var hasOthersLeft = false
        /// How long its content has been as it is, while it is open for writing and changed.
        var quiet = ContentQuiet()
        /// Whether nobody has it open for writing any more but by mappings. While somebody has, those cannot be told.
        var isOnlyMapped: Bool { isAwaited && leaving >= writers }
        /// For the few writes that reach docfs of a file whose descriptor is not for writing.
        var writable: Descriptor?
    }

    let inode: InodeNumber
    let descriptor: Descriptor
    /// Whether the descriptor is for writing. That of a document of the cloud is not where the kernel writes by itself,
    /// so that a lease tells of others (`UnseenWrites.isMapped`).
    let isWritable: Bool
    /// Whether the container had to hear of what is written to it when it was opened.
    let isReplicated: Bool
    /// The document of the cloud that it was when it was opened.
    let document: EntryID?
    /// The content's arrival, when the file was opened before it was here.
    let arrival: Arrival?
    /// Never held around another lock or a system call.
    let state = Mutex(State())

    init(entry: Entry, descriptor: Descriptor, isWritable: Bool) {
        inode = entry.inode
        self.descriptor = descriptor
        self.isWritable = isWritable
        arrival = nil
        isReplicated = entry.isReplicated
        document = entry.isReplicated && entry.kind == .document ? entry.id : nil
        let isPlain = !entry.isReplicated && (entry.kind != .document || entry.naming == .given)
        state.withLock { state in
            state.isPlain = isPlain
            state.hasSetID = FileMode.hasSetID(entry.mode)
        }
    }

    /// Content that can be read only, or is still arriving.
    init(inode: InodeNumber, descriptor: Descriptor, isWritable: Bool = false, arrival: Arrival? = nil) {
        self.inode = inode
        self.descriptor = descriptor
        self.isWritable = isWritable
        self.arrival = arrival
        isReplicated = false
        document = inode.isVersion ? nil : arrival?.document
    }

    /// A descriptor for writing.
    ///
    /// - Throws: what open(2) gives.
    func writable() throws(Errno) -> Descriptor {
        if isWritable { return descriptor }
        if let known = state.withLock(\.writable) { return known }
        let opened = try descriptor.reopened(O_RDWR)
        state.withLock { $0.writable = opened }
        return opened
    }

    /// - Returns: whether the last writer leaves, which must wait for mappings: those who leave before another, or while
    ///   one waits, need not.
    func beginLeaving() -> Bool {
        state.withLock { state in
            state.leaving += 1
            if state.isAwaited { state.hasOthersLeft = true }
            if state.isAwaited || state.leaving < state.writers { return false }
            state.isAwaited = true
            return true
        }
    }

    /// - Returns: false if others have left meanwhile, whose mappings must be waited for as well.
    func endWaiting() -> Bool {
        state.withLock { state in
            defer { state.hasOthersLeft = false }
            state.isAwaited = state.hasOthersLeft
            return !state.hasOthersLeft
        }
    }

    func endLeaving() { state.withLock { $0.leaving -= 1 } }

    func dropWritable() { state.withLock { $0.writable = nil } }

    var isUnlinked: Bool { state.withLock(\.isUnlinked) }

    var isOpenForWriting: Bool { state.withLock { $0.writers > 0 } }

    /// Whether another open may share it. Content that is arriving can be read already and not yet
    /// written; that of an arrival which failed is no document's any more.
    func canBeShared(forWriting writes: Bool) -> Bool {
        switch arrival?.stage {
        case nil, .installed: true
        case .underWay: !writes
        case .failed: false
        }
    }
}

/// One open(2): which file, and what it may do with it.
public struct Handle: Sendable {
    let file: OpenFile
    public let canWrite: Bool
    /// Who opened it; nil where that is unknown or of no interest.
    var opener: HeldVersions.Opener?

    public var inode: InodeNumber { file.inode }

    /// The file's own descriptor, which all its handles share, for reading and all else but writing.
    public var descriptor: Descriptor { file.descriptor }

    /// The descriptor to write to.
    public func writable() throws(Refusal) -> Descriptor {
        try Refusal.wrapping { try file.writable() }
    }

    /// Whether the kernel may read and write the file by itself: no write needs looking after, or it is noticed
    /// afterwards (`UnseenWrites`).
    var canBypass: Bool {
        file.arrival == nil && !file.state.withLock(\.hasSetID) && !(file.isReplicated && file.isWritable)
    }

    /// The size of the content in bytes while some of it is still to come: its file has holes then
    /// that the content does not have. Nil when all of it is here.
    public var arrivingSize: Int64? {
        guard let arrival = file.arrival, arrival.stage != .installed else { return nil }
        return arrival.version.size
    }
}

/// The handles' numbers, and the files behind them.
final class OpenFiles: Sendable {
    struct Table {
        var files: [InodeNumber: OpenFile] = [:]
        var handles: [UInt64: Handle] = [:]
        var lastHandle: UInt64 = 0
        /// Files whose last handle is gone while the save that follows from it is under way.
        var closing: [InodeNumber: Int] = [:]
        fileprivate var closeWaiters: [CloseWaiter] = []
        var held = HeldVersions()
        /// Who opened a document last.
        var lastOpener: (thread: Int32, opener: HeldVersions.Opener)?

        func isClosed(_ inode: InodeNumber?) -> Bool {
            guard let inode else { return files.isEmpty && closing.isEmpty }
            return files[inode] == nil && closing[inode] == nil
        }
    }

    /// Who waits for a file, or for every file, to be closed.
    fileprivate struct CloseWaiter {
        let inode: InodeNumber?
        let closed = DispatchSemaphore(value: 0)
    }

    /// What is really held open is not waited for longer.
    private static let patience = DispatchTimeInterval.milliseconds(10)

    /// Taken inside the catalog's queue or alone; a file's state is taken inside it.
    let table = Mutex(Table())

    func file(_ inode: InodeNumber) -> OpenFile? { table.withLock { $0.files[inode] } }

    func handle(_ number: UInt64) throws(Refusal) -> Handle {
        guard let handle = table.withLock({ $0.handles[number] }) else { throw .noSuchHandle }
        return handle
    }

    /// Registers a handle of a file, which becomes known under its inode.
    func add(_ handle: Handle) -> UInt64 {
        table.withLock { table in
            table.lastHandle += 1
            table.handles[table.lastHandle] = handle
            table.files[handle.file.inode] = handle.file
            if let document = handle.file.document, let opener = handle.opener {
                table.held.noteOpened(document, by: opener)
            }
            handle.file.state.withLock { state in
                state.handles += 1
                if handle.canWrite { state.writers += 1 }
            }
            return table.lastHandle
        }
    }

    /// What a `remove` was; `finishClosing` must follow it.
    struct Closing {
        let file: OpenFile
        /// The last writer is gone, having written what somebody must hear of.
        let isSaved: Bool
        let isLastHandle: Bool
        let isLastWriter: Bool
        /// A newer version came meanwhile, and nothing was written to this one.
        let isOvertaken: Bool
    }

    func remove(_ number: UInt64, at now: @autoclosure () -> ContinuousClock.Instant) -> Closing? {
        table.withLock { table in
            guard let handle = table.handles.removeValue(forKey: number) else { return nil }
            let file = handle.file
            if let document = file.document, let opener = handle.opener {
                table.held.noteClosed(number, of: document, by: opener, at: now())
            }
            let closing = file.state.withLock { state in
                state.handles -= 1
                if handle.canWrite { state.writers -= 1 }
                if state.writers == 0 { state.writable = nil }
                let isLastWriter = handle.canWrite && state.writers == 0
                let isSaved = isLastWriter && state.isModified && !state.isPlain
                if isLastWriter { state.isModified = false }
                return Closing(
                    file: file, isSaved: isSaved, isLastHandle: state.handles == 0, isLastWriter: isLastWriter,
                    isOvertaken: state.isOvertaken)
            }
            if closing.isLastHandle, table.files[file.inode] === file { table.files[file.inode] = nil }
            table.closing[file.inode, default: 0] += 1
            return closing
        }
    }

    /// All that follows from a `remove` is done.
    func finishClosing(_ closing: Closing) {
        let inode = closing.file.inode
        table.withLock { table in
            table.closing[inode]! -= 1
            if table.closing[inode] == 0 { table.closing[inode] = nil }
            let content = table.closeWaiters.filter { table.isClosed($0.inode) }
            table.closeWaiters.removeAll { waiter in content.contains { $0.closed === waiter.closed } }
            content.forEach { $0.closed.signal() }
        }
    }

    func isClosed(_ inode: InodeNumber) -> Bool { table.withLock { $0.isClosed(inode) } }

    /// How often anything was opened until now; nil while a file is open.
    func opensWhileClosed(_ inode: InodeNumber) -> UInt64? {
        table.withLock { $0.isClosed(inode) ? $0.lastHandle : nil }
    }

    /// Waits a moment for a file to be closed.
    ///
    /// - Parameter inode: nil stands for every file.
    func waitForCloses(of inode: InodeNumber?) {
        let waiter = CloseWaiter(inode: inode)
        let mustWait = table.withLock { table in
            if table.isClosed(inode) { return false }
            table.closeWaiters.append(waiter)
            return true
        }
        guard mustWait, waiter.closed.wait(timeout: .now() + Self.patience) == .timedOut else { return }
        table.withLock { table in table.closeWaiters.removeAll { $0.closed === waiter.closed } }
    }

    /// Lets the open handles of an inode keep what they have while its name means something else.
    func detach(_ inode: InodeNumber) {
        // Under its old number the kernel may still ask for it, but it is no document's file any more.
        table.withLock { $0.files[inode] }?.state.withLock { $0.isUnlinked = true }
    }

    /// Names or places are changing: a save that was nobody's business may be somebody's from now on.
    func noteRenaming() {
        table.withLock { table in
            for file in table.files.values { file.state.withLock { $0.isPlain = false } }
        }
    }

    func noteMode(_ mode: UInt16, of inode: InodeNumber) {
        file(inode)?.state.withLock { $0.hasSetID = FileMode.hasSetID(mode) }
    }

    /// What was to go stays after all.
    func reattach(_ inode: InodeNumber) {
        table.withLock { $0.files[inode] }?.state.withLock { $0.isUnlinked = false }
    }

    /// A newer version came while the file is open for writing.
    func noteOvertaken(_ inode: InodeNumber) {
        file(inode)?.state.withLock { $0.isOvertaken = true }
    }

    /// Whether any file is open, or just about to be closed.
    var areAnyOpen: Bool { table.withLock { !$0.isClosed(nil) } }

    /// Whether the kernel may be writing to a document of the cloud by itself, or go on when docfs has ended.
    var areWrittenUnseen: Bool {
        table.withLock { table in
            table.files.values.contains { file in
                file.isReplicated && !file.isWritable && file.state.withLock { $0.writers > 0 && !$0.isUnlinked }
            }
        }
    }

    func isOpen(_ inode: InodeNumber) -> Bool { table.withLock { $0.files[inode] != nil } }

    /// The open file of an inode that another open may share.
    func shareableFile(_ inode: InodeNumber, forWriting writes: Bool) -> OpenFile? {
        guard let file = file(inode), file.canBeShared(forWriting: writes) else { return nil }
        return file
    }

    /// Whether somebody reads content of which a part is still to come, and would be cut off without it.
    func isReadWhileArriving(_ inode: InodeNumber) -> Bool { file(inode)?.arrival?.stage == .underWay }

    func isOpenForWriting(_ inode: InodeNumber) -> Bool {
        file(inode)?.isOpenForWriting ?? false
    }
}
