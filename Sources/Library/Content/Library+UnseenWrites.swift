import Catalog
import Documents
import Glibc
import Synchronization
import SystemPackage

/// Writes that the kernel carries out on the backing file without a word (passthrough). Nobody can
/// mark a document as changed before they happen; whether any did is found out where it matters: when
/// the last writer closes, and before anything else decides about the document.
enum UnseenWrites {
    /// All writes come by `Library.willWrite`.
    case none
    /// Any may have happened: the file was not looked at in time.
    case unknown
    /// Those happened that the file differs from this by.
    case since(ContentMark)
}

/// What tells a file from the same file written to.
struct ContentMark: Equatable {
    let size: Int64
    let modified: Timestamp
    /// Nanoseconds. Before Linux 6.13 a file's times move on in ticks of the kernel's clock, of up to 10 ms.
    private static let coarsestTick: Int64 = 20_000_000

    /// Nil where a write right now could leave the file's times as they are.
    init?(of file: Descriptor, now: Timestamp) throws(Errno) {
        self.init(try file.status())
        if now.nanoseconds - modified.nanoseconds < Self.coarsestTick { return nil }
    }

    init(_ status: stat) {
        size = Int64(status.st_size)
        modified = Timestamp(status.st_mtim)
    }
}

extension Library {
    /// Must be called before a handle is given out whose writes the kernel carries out itself.
    public func expectUnseenWrites(_ handle: Handle) throws(Errno) {
        let file = handle.file
        let mustLook = file.state.withLock { state in
            guard case .none = state.unseenWrites else { return false }
            // Of what nobody needs to hear of nothing is kept: should it become somebody's business while
            // it is open, it counts as written to.
            state.unseenWrites = .unknown
            return !state.isModified && !state.isPlain
        }
        if mustLook { try lookAtUnseenWrites(file) }
    }

    private func lookAtUnseenWrites(_ file: OpenFile) throws(Errno) {
        guard let mark = try ContentMark(of: file.descriptor, now: surroundings.now()) else { return }
        file.state.withLock { $0.unseenWrites = .since(mark) }
    }

    /// Notes as modified what has been written to unseen.
    ///
    /// - Returns: whether it has been modified since the last writer before closed, seen or unseen.
    @discardableResult
    func discoverUnseenWrites(_ file: OpenFile) -> Bool {
        let (unseen, isModified) = file.state.withLock { ($0.unseenWrites, $0.isModified) }
        if isModified { return true }
        let isWritten =
            switch unseen {
            case .none: false
            case .unknown: true
            // What cannot be looked at counts as written to: a save too many loses nothing.
            case .since(let mark): (try? file.descriptor.status()).map { ContentMark($0) != mark } ?? true
            }
        if isWritten { file.state.withLock { $0.isModified = true } }
        return isWritten
    }

    /// The modification time of an open file was set: by it alone nothing was written.
    func settleUnseenWrites(_ file: OpenFile) {
        let isWatched = file.state.withLock { state in
            if case .since = state.unseenWrites { return !state.isModified }
            return false
        }
        guard isWatched else { return }
        file.state.withLock { $0.unseenWrites = .unknown }
        try? lookAtUnseenWrites(file)
    }

    /// Before a change that comes from elsewhere decides about a document: what is being written to it
    /// here is an edit as any other.
    func noteUnseenWrites(to id: EntryID, _ catalog: CatalogTransaction) throws {
        guard openFiles.areAnyOpen, var entry = try catalog.entry(id), entry.kind == .document,
            let file = openFiles.file(entry.inode), file.areWritesUnseen, discoverUnseenWrites(file),
            !entry.pending.contains(.content)
        else { return }
        noteContentChange(&entry)
        try catalog.update(entry)
    }
}
