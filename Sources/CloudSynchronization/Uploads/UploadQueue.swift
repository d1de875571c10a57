import Documents
import Catalog
import DequeModule

/// The documents to be uploaded, each at most once, and the number of workers that upload them.
struct UploadQueue {
    private var waiting: Deque<Entry> = []
    /// Waiting or under way.
    private var known: Set<InodeNumber> = []
    private var workers = 0

    /// Whether it can keep the workers busy for a while.
    var isLong: Bool { waiting.count >= 256 }

    var isBusy: Bool { workers > 0 }

    mutating func add(_ entry: Entry) {
        if known.insert(entry.inode).inserted { waiting.append(entry) }
    }

    /// Counts one more worker if there is work for it.
    mutating func startsAnother(limit: Int) -> Bool {
        guard workers < limit, workers < known.count else { return false }
        workers += 1
        return true
    }

    /// The next document for a worker. Nil ends the worker.
    mutating func next() -> Entry? {
        if let entry = waiting.popFirst() { return entry }
        workers -= 1
        return nil
    }

    mutating func ended(_ entry: Entry) { known.remove(entry.inode) }

    /// Drops the documents that wait.
    mutating func clear() {
        known.subtract(waiting.map(\.inode))
        waiting = []
    }
}
