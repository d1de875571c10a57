import Catalog
import Glibc
import Replica
import Replication
import SystemPackage

/// The state of the container as its log has it now, read anew into a second catalog beside the one of this device. That catalog is
/// deleted when it is closed (Crashes, "Cleaning, and repairing a container").
final class FreshReplica: Sendable {
    let catalog: Catalog
    private let path: String

    /// - Parameter head: where the log begins.
    init(in folder: String, beginning head: LogHead) throws {
        path = folder + "/reunion.sqlite"
        Self.remove(path)
        catalog = try Catalog(path: path)
        try catalog.write { try $0.set(head) }
    }

    func close() {
        // Nothing in it is needed again, so a failure has no consequence.
        try? catalog.abandon()
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }

    var head: LogHead {
        get throws {
            // The initializer has set one.
            guard let head = try catalog.read({ try $0.logHead() }) else { throw Errno.ioError }
            return head
        }
    }

    func set(_ head: LogHead) throws { try catalog.write { try $0.set(head) } }

    /// Adds the entries of a checkpoint. Devices stay known that it does not know.
    func add(_ checkpoint: FetchedCheckpoint) throws {
        try catalog.write { transaction in
            try transaction.addMany(indexingAfterwards: true) {
                try checkpoint.forEach { entry, record in try transaction.store(entry, as: record) }
            }
            var head = checkpoint.head
            head.keep(try transaction.logHead()?.members)
            try transaction.set(head)
        }
    }

    /// - Throws: `ContainerFault` for an entry that is not the next one.
    func apply(_ entry: LogEntry) throws {
        let head = try head
        try head.check(entry)
        let update = try update(head, by: [entry.commit])
        let newHead = head.advanced(by: entry, state: update.state)
        try catalog.write { transaction in
            try update.write(at: newHead.position, transaction)
            try transaction.set(newHead)
        }
    }

    /// Takes over what an entry tells of the devices that is not the next one of the log.
    func follow(writerOf entry: LogEntry, at position: LogPosition) throws {
        try catalog.write { transaction in
            guard var head = try transaction.logHead() else { return }
            head.follow(writerOf: entry, at: position)
            try transaction.set(head)
        }
    }

    /// Applies a commit that is not the next entry of the log.
    func apply(_ commit: Commit) throws {
        var head = try head
        let update = try update(head, by: [commit])
        let position = head.position.next
        head.state = update.state
        try catalog.write { transaction in
            try update.write(at: position, transaction)
            try transaction.set(head)
        }
    }

    /// What commits would change.
    func update(_ head: LogHead, by commits: [Commit]) throws -> ReplicaUpdate {
        var draft = ReplicaDraft(catalog, state: head.state)
        for commit in commits { _ = try Replication.apply(commit, to: &draft) }
        return try draft.update()
    }
}
