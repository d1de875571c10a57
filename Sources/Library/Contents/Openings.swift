import Backing
import Catalog
import Documents
import Glibc
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

/// What comes of an open(2).
public enum Opening: Sendable {
    /// The number of the handle.
    case opened(UInt64)
    /// The content is not here: `Library.finishOpening` waits for what the open needs of it.
    case arriving(InodeNumber)
}

/// open(2): at once if the content is here, else when as much of it has arrived as the open needs.
final class Openings: LibraryPart {
    let transactions: Transactions
    let contents: Contents
    let arrivals: Arrivals
    let departedNodes: DepartedNodes

    init(
        _ transactions: Transactions, contents: Contents, arrivals: Arrivals, departedNodes: DepartedNodes
    ) {
        self.transactions = transactions
        self.contents = contents
        self.arrivals = arrivals
        self.departedNodes = departedNodes
    }
    /// Opens a file, at once if its content is here.
    ///
    /// - Parameter flags: of open(2).
    /// - Throws: EISDIR, ESTALE, EAGAIN with O_NONBLOCK and EHOSTUNREACH offline for what is not here,
    ///   or the backing file's own errno.
    func open(_ inode: InodeNumber, flags: Int32, by caller: Caller = .unknown) throws(Errno) -> Opening {
        let canWrite = flags & O_ACCMODE != O_RDONLY
        let truncates = flags & O_TRUNC != 0
        if let file = openFiles.shareableFile(inode, forWriting: canWrite || truncates) {
            return .opened(try openAgain(file, flags: flags, by: caller))
        }
        let opening = try inspect { catalog -> Opening? in
            guard let entry = try catalog.entry(inode) else {
                return .opened(try openReplaced(inode, canWrite: canWrite))
            }
            if entry.kind == .folder { throw Errno.isDirectory }
            guard entry.isBackingCurrent else { return nil }
            let file = try openBacking(entry, canWrite: canWrite, catalog)
            return .opened(
                contents.register(
                    Handle(file: file, canWrite: canWrite, opener: contents.opener(of: file, caller, flags: flags))))
        }
        if case .opened(let number) = opening {
            if truncates, openFiles.file(inode)?.isUnlinked != true {
                try closing(number) { () throws(Errno) in try truncateOpened(inode) }
            }
            stateChanged()
            return .opened(number)
        }
        if truncates, canWrite, !openFiles.isReadWhileArriving(inode) {
            return .opened(try openEmptied(inode, by: caller))
        }
        if flags & O_NONBLOCK != 0 {
            if cloud.isReachable { _ = try arrivals.arrival(of: inode) }
            throw .resourceTemporarilyUnavailable
        }
        if !cloud.isReachable { throw .noRouteToHost }
        return .arriving(inode)
    }

    private func openAgain(_ file: OpenFile, flags: Int32, by caller: Caller) throws(Errno) -> UInt64 {
        let canWrite = flags & O_ACCMODE != O_RDONLY
        let truncates = flags & O_TRUNC != 0
        // What a newer version overtook has no name that an edit could stay under: the kernel, which came
        // by an old memory of one, must look it up again.
        if file.isUnlinked, canWrite || truncates, departedNodes[file.inode] == nil { throw .staleNFSFileHandle }
        // Whether it may be written to is known now or, where the kernel does it, when that opens it.
        if canWrite, !unseenWrites.canBeNoticed { _ = try file.writable() }
        let number = contents.register(
            Handle(file: file, canWrite: canWrite, opener: contents.opener(of: file, caller, flags: flags)))
        if truncates {
            try closing(number) { () throws(Errno) in
                if file.isUnlinked { try file.writable().truncate(to: 0) } else { try truncateOpened(file.inode) }
            }
        }
        return number
    }

    /// What is left to do of an open; if it fails, there is no handle.
    private func closing(_ number: UInt64, unless work: () throws(Errno) -> Void) throws(Errno) {
        do throws(Errno) { try work() } catch {
            contents.close(number)
            throw error
        }
    }

    private func openBacking(_ entry: Entry, canWrite: Bool, _ catalog: CatalogTransaction) throws -> OpenFile {
        if let file = openFiles.shareableFile(entry.inode, forWriting: true) { return file }
        let folder = try backing.folder(entry.parent, catalog)
        if unseenWrites.concern(entry) {
            let descriptor = try folder.openFile(entry.filename, O_RDONLY)
            return OpenFile(entry: entry, descriptor: descriptor, isWritable: false)
        }
        do throws(Errno) {
            let descriptor = try folder.openFile(entry.filename, O_RDWR)
            return OpenFile(entry: entry, descriptor: descriptor, isWritable: true)
        } catch .permissionDenied where !canWrite {
            let descriptor = try folder.openFile(entry.filename, O_RDONLY)
            return OpenFile(entry: entry, descriptor: descriptor, isWritable: false)
        }
    }

    /// Opens a file that another was renamed over after its name had led here: who was just before the
    /// save sees the old content, whole.
    private func openReplaced(_ inode: InodeNumber, canWrite: Bool) throws(Errno) -> UInt64 {
        guard let node = departedNodes[inode], let content = node.content, !canWrite else { throw .staleNFSFileHandle }
        let descriptor = try content.reopened(O_RDONLY)
        let file = openFiles.file(inode) ?? OpenFile(entry: node.entry, descriptor: descriptor, isWritable: false)
        file.state.withLock { $0.isUnlinked = true }
        return contents.register(Handle(file: file, canWrite: false))
    }

    private func truncateOpened(_ inode: InodeNumber) throws(Errno) {
        let isNamed = try mutate { catalog in
            guard var entry = try catalog.entry(inode) else { return false }
            // As long as no row tells of the file, it tells of its attributes itself after a sudden end.
            if catalog.isUnwritten(inode), BackingFolder.keepsMode(entry.mode) { catalog.durability = .soon }
            try contents.truncate(&entry, to: 0, catalog)
            self.catalog.forgetStatus(of: inode)
            return true
        }
        if isNamed { return }
        // It may have lost its name while this call waited for its turn.
        guard let file = openFiles.file(inode), file.isUnlinked else { throw .staleNFSFileHandle }
        try file.writable().truncate(to: 0)
    }

    /// O_TRUNC on what is not here needs none of its content.
    private func openEmptied(_ inode: InodeNumber, by caller: Caller) throws(Errno) -> UInt64 {
        try mutate { catalog in
            guard var entry = try catalog.entry(inode) else { throw Errno.staleNFSFileHandle }
            try contents.makeEmpty(&entry, catalog)
            contents.noteBase(of: &entry, savedBy: caller, catalog)
            transactions.noteContentChange(&entry)
            try catalog.update(entry)
            let file = try openBacking(entry, canWrite: true, catalog)
            file.state.withLock { $0.isModified = true }
            return contents.register(
                Handle(file: file, canWrite: true, opener: contents.opener(of: file, caller, flags: O_WRONLY | O_TRUNC))
            )
        }
    }

    /// Waits for the content of an open that was answered with `Opening.arriving`, and opens it: for
    /// reading when the first bytes are here, for writing when all are.
    ///
    /// - Throws: EHOSTUNREACH when the first bytes do not come within the timeout, EINTR, EIO for
    ///   content that is damaged, or what opening it then gives.
    func finishOpening(_ inode: InodeNumber, flags: Int32, by caller: Caller = .unknown) async throws(Errno)
        -> UInt64
    {
        let onlyReads = flags & O_ACCMODE == O_RDONLY && flags & O_TRUNC == 0
        while true {
            if let arrival = try arrivals.arrival(of: inode) {
                try await arrivals.waitForStart(of: arrival)
                if onlyReads, let number = arrivals.openArriving(arrival, by: caller) { return number }
                try await arrival.waitUntilInstalled()
            }
            // Meanwhile a still newer version may have come.
            if case .opened(let number) = try open(inode, flags: flags, by: caller) { return number }
        }
    }
}
