import Catalog
import Documents
import Synchronization

/// How long entries have waited for a name. What has it may never go, like a document whose content does not come.
final class NameWaits: Sendable {
    private struct Wait {
        let rivals: Set<EntryID>
        var seen: Timestamp
        var fewest: Int
        var waited = Duration.zero
    }

    /// An entry waits so long at most for a name that does not become free, since the content of the document that has it does not come.
    private static let longestWait = Duration.seconds(600)
    /// Of the time between two looks, what counts at most. Commits are made more often than this, unless the machine sleeps or is offline.
    private static let longestPause = Duration.seconds(60)

    private let waits = Mutex<[EntryID: Wait]>([:])

    /// Forgets the entries that have gone.
    func forgetGone(_ rows: Rows) throws {
        for id in waits.withLock({ Array($0.keys) }) {
            let entry = try rows.entry(id)
            if entry?.pending.isDisjoint(with: [.creation, .revival, .name, .place]) ?? true {
                waits.withLock { $0[id] = nil }
            }
        }
    }

    /// Begins a wait, unless the entry waits for these already.
    ///
    /// - Parameters:
    ///   - rivals: the entries that have its name.
    ///   - deletions: how many the container has still to be told of. While these become fewer, time does not count: the name may be that of a
    ///     folder in which very much was deleted.
    /// - Returns: false if it has waited too long.
    func mayWait(_ id: EntryID, for rivals: Set<EntryID>, _ now: Timestamp, deletions: Int) -> Bool {
        waits.withLock { waits in
            let former = waits[id].flatMap { $0.rivals == rivals ? $0 : nil }
            var wait = former ?? Wait(rivals: rivals, seen: now, fewest: deletions)
            wait.waited += min(max(now - wait.seen, .zero), Self.longestPause)
            if deletions < wait.fewest { (wait.fewest, wait.waited) = (deletions, .zero) }
            wait.seen = now
            waits[id] = wait
            return wait.waited <= Self.longestWait
        }
    }
}
