import Backing
import Catalog
import Documents
import Replica
import Replication

/// The changes that only this device knows, for a container that is made whole.
extension ContainerRepair {
    func commits(into fresh: FreshReplica, _ authority: Reunion.Authority) throws -> [Commit] {
        // By entry: a commit that had the saves of a document, and not the choice after them, would show an older version.
        var changes: [[Change]] = []
        var deletions: [[Change]] = []
        let ids = CheckpointSnapshot.foldersFirst(try store.read { try $0.replicaParents() })
        for start in stride(from: 0, to: ids.count, by: Self.entriesAtOnce) {
            let some = ids[start..<min(start + Self.entriesAtOnce, ids.count)]
            let (mine, theirs) = (try Self.entries(some, store.catalog), try Self.entries(some, fresh.catalog))
            for id in some {
                guard let entry = mine[id], theirs[id] != entry else { continue }
                let ofEntry = Reunion.changes(from: entry, into: theirs[id], authority)
                if case .delete? = ofEntry.first { deletions.append(ofEntry) } else { changes.append(ofEntry) }
            }
        }
        // The entries in a folder are deleted before the folder.
        changes += deletions.reversed()
        return try hasEffect(changes, fresh) ? commits(of: changes) : []
    }

    /// Whether the changes change the state at all. The deletion of an entry that was restored since, for example, does not.
    private func hasEffect(_ changes: [[Change]], _ fresh: FreshReplica) throws -> Bool {
        let head = try fresh.head
        return try fresh.update(head, by: commits(of: changes)).state != head.state
    }

    private func commits(of changes: [[Change]]) -> [Commit] {
        var commits: [Commit] = []
        var rest = changes.filter { !$0.isEmpty }[...]
        while !rest.isEmpty {
            var bytes = 0
            let some = rest.prefix { ofEntry in
                bytes += ofEntry.reduce(0) { $0 + $1.approximateLength }
                return bytes <= CommitLimit.usual.bytes
            }
            let next = some.isEmpty ? rest.prefix(1) : some
            commits.append(Commit(next.flatMap(\.self), from: store))
            rest = rest.dropFirst(next.count)
        }
        return commits
    }

    private static func entries(_ ids: some Sequence<EntryID>, _ catalog: Catalog) throws -> [EntryID: ReplicaEntry] {
        try catalog.read { rows in
            let replica = CatalogReplica(rows)
            var entries: [EntryID: ReplicaEntry] = [:]
            for id in ids { entries[id] = try replica.entry(id) }
            return entries
        }
    }
}
