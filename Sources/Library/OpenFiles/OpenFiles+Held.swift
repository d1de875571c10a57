import Catalog
import Documents
import Synchronization

/// Which process has which version of a document (`HeldVersions`).
extension OpenFiles {
    /// A newer version of a document was received: the processes that have it open, or had until a moment ago, hold the overtaken one.
    func recordHolders(of document: EntryID, of version: VersionID, at now: ContinuousClock.Instant) {
        table.withLock { table in
            let handles = table.handles.compactMap { number, handle in
                handle.file.document == document ? handle.opener.map { (number, $0.process) } : nil
            }
            table.held.recordOvertaken(version, of: document, heldBy: handles, at: now)
        }
    }

    /// The process of a thread that opened another document a moment ago. Most threads open several, and reading /proc takes time.
    func knownProcess(of thread: Int32, at now: ContinuousClock.Instant) -> Int32? {
        table.withLock { table in
            guard let last = table.lastOpener, last.thread == thread, now - last.opener.time < HeldVersions.moment
            else { return nil }
            return last.opener.process
        }
    }

    func rememberOpener(_ opener: HeldVersions.Opener, thread: Int32) {
        table.withLock { $0.lastOpener = (thread, opener) }
    }

    func isOvertaken(_ document: EntryID) -> Bool { table.withLock { $0.held.isOvertaken(document) } }

    func removeHoldings(_ document: EntryID, by processes: Set<Int32>, at now: ContinuousClock.Instant) -> [HeldVersions
        .Holding]
    {
        table.withLock { $0.held.removeHoldings(document, heldBy: processes, at: now) }
    }

    func restoreHoldings(_ holdings: [HeldVersions.Holding], of document: EntryID) {
        table.withLock { $0.held.restore(holdings, of: document) }
    }

    /// The processes that have a file open for writing.
    func writers(of inode: InodeNumber) -> [Int32] {
        table.withLock { table in
            table.handles.values.compactMap { $0.canWrite && $0.inode == inode ? $0.opener?.process : nil }
        }
    }
}
