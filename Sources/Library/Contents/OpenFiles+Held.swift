import Catalog
import Documents
import Synchronization

/// Who has which version of a document (`HeldVersions`).
extension OpenFiles {
    /// Who has a document open now, or had it a moment ago, has a version that is overtaken.
    func noteHolders(of document: EntryID, of version: VersionID, at now: ContinuousClock.Instant) {
        table.withLock { table in
            let handles = table.handles.compactMap { number, handle in
                handle.file.document == document ? handle.opener.map { (number, $0.process) } : nil
            }
            table.held.noteOvertaken(version, of: document, heldBy: handles, at: now)
        }
    }

    /// The process of a thread that has just opened a document before: most open many.
    func knownProcess(of thread: Int32, at now: ContinuousClock.Instant) -> Int32? {
        table.withLock { table in
            guard let last = table.lastOpener, last.thread == thread, now - last.opener.time < HeldVersions.moment
            else { return nil }
            return last.opener.process
        }
    }

    func noteOpener(_ opener: HeldVersions.Opener, thread: Int32) {
        table.withLock { $0.lastOpener = (thread, opener) }
    }

    func isOvertaken(_ document: EntryID) -> Bool { table.withLock { $0.held.concern(document) } }

    func takeHeld(_ document: EntryID, by processes: Set<Int32>, at now: ContinuousClock.Instant) -> [HeldVersions
        .Holding]
    {
        table.withLock { $0.held.take(document, heldBy: processes, at: now) }
    }

    func giveBack(_ taken: [HeldVersions.Holding], of document: EntryID) {
        table.withLock { $0.held.giveBack(taken, of: document) }
    }

    /// The processes that have a file open for writing.
    func writers(of inode: InodeNumber) -> [Int32] {
        table.withLock { table in
            table.handles.values.compactMap { $0.canWrite && $0.inode == inode ? $0.opener?.process : nil }
        }
    }
}
