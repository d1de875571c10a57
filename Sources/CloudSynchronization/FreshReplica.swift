import Library
import Replica
import Backing
import Catalog
import Documents
import Foundation
import ObjectStore
import Replication
import SystemPackage

/// The state of the container as its log says today, read anew into a catalog of its own beside the one that this device lives with.
/// It is thrown away with this object.
final class FreshReplica: Sendable {
    let catalog: Catalog
    private let path: String

    /// - Parameter head: where the log begins, while nothing has been read.
    init(in folder: String, beginning head: LogHead) throws {
        path = folder + "/reunion.sqlite"
        Self.remove(path)
        catalog = try Catalog(path: path)
        try catalog.write { try $0.set(head) }
    }

    func close() {
        // Nothing in it is needed, however its end goes.
        try? catalog.abandon()
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }

    var head: LogHead {
        get throws {
            guard let head = try catalog.read({ try $0.logHead() }) else { throw Errno.ioError }
            return head
        }
    }

    func take(_ checkpoint: FetchedCheckpoint) throws {
        try catalog.write { catalog in
            try catalog.addMany(indexingAfterwards: true) {
                try checkpoint.forEach { entry, record in try catalog.store(entry, as: record) }
            }
            try catalog.set(checkpoint.head)
        }
    }

    /// - Throws: `ContainerFault` for an entry that is not the next one.
    func take(_ entry: LogEntry) throws {
        let head = try head
        try head.check(entry)
        try catalog.write { catalog in
            var replica = CatalogReplica(catalog, after: head)
            _ = try apply(entry.commit, to: &replica)
            try catalog.set(head.advanced(by: entry, state: replica.state))
        }
    }

    /// Applies changes that no entry of the log says.
    func take(_ commit: Commit) throws {
        try catalog.write { catalog in
            guard var head = try catalog.logHead() else { return }
            var replica = CatalogReplica(catalog, after: head)
            _ = try apply(commit, to: &replica)
            head.state = replica.state
            try catalog.set(head)
        }
    }

    func set(_ head: LogHead) throws { try catalog.write { try $0.set(head) } }
}
