import Library
import Catalog
import DequeModule

/// Which documents are to be uploaded next, each at most once, and how many workers are at it.
struct UploadQueue {
    private var waiting: Deque<Entry> = []
    /// Waiting or under way.
    private var known: Set<InodeNumber> = []
    private var workers = 0

    /// Whether there is enough in it to keep the workers busy for a while.
    var isLong: Bool { waiting.count >= 256 }

    var isBusy: Bool { workers > 0 }

    mutating func add(_ entry: Entry) {
        if known.insert(entry.inode).inserted { waiting.append(entry) }
    }

    /// Counts a worker more if there is work for one.
    mutating func startsAnother(limit: Int) -> Bool {
        guard workers < limit, workers < known.count else { return false }
        workers += 1
        return true
    }

    /// The next document for a worker; nil ends the worker.
    mutating func next() -> Entry? {
        if let entry = waiting.popFirst() { return entry }
        workers -= 1
        return nil
    }

    mutating func ended(_ entry: Entry) { known.remove(entry.inode) }

    /// The mount ends.
    mutating func clear() {
        known.subtract(waiting.map(\.inode))
        waiting = []
    }
}
