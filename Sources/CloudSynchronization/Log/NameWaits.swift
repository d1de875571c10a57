import Catalog
import Documents
import Synchronization

/// How long entries have waited for a name. What has it may never go, like a document whose content does not come.
final class NameWaits: Sendable {
    private struct Wait {
        var seen: Timestamp
        var waited = Duration.zero
    }

    /// Of the time between two looks, what counts at most. Commits are made more often than this, unless the machine sleeps or is offline.
    private static let longestPause = Duration.seconds(60)

    private let waits = Mutex<[EntryID: Wait]>([:])

    /// Forgets the entries that have gone.
    func forgetGone(_ rows: Rows) throws {
        for id in waits.withLock({ Array($0.keys) }) {
            let entry = try rows.entry(id)
            if entry?.pending.isDisjoint(with: [.creation, .revival, .place]) ?? true {
                waits.withLock { $0[id] = nil }
            }
        }
    }

    /// Begins a wait, unless the entry waits already.
    ///
    /// - Returns: false if it has waited too long.
    func mayWait(_ id: EntryID, _ now: Timestamp) -> Bool {
        waits.withLock { waits in
            var wait = waits[id, default: Wait(seen: now)]
            wait.waited += min(max(now - wait.seen, .zero), Self.longestPause)
            wait.seen = now
            waits[id] = wait
            return wait.waited <= LeavingNames.longestWait
        }
    }
}
