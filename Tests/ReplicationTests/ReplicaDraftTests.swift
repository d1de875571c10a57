import Catalog
import Documents
import Replica
import Replication
import Testing
import TestSupport

/// The committed state in the catalog, beside the same state in memory.
struct ReplicaDraftTests {
    private static let device = TestDevice.laptop

    /// Applies commits one after the other to both.
    private func expectSameState(_ commits: [Commit]) throws {
        try withTemporaryFolder { folder throws in
            let catalog = try Catalog(path: folder + "/catalog")
            var (replica, state, position) = (BoundedReplica(), StateHash.empty, LogPosition.start)
            for commit in commits {
                var draft = ReplicaDraft(catalog, state: state)
                let touched = try apply(commit, to: &draft)
                let before = replica.replica
                #expect(try replica.applyCommit(commit) == touched)
                let update = try draft.update()
                #expect(Set(update.deletedDocuments) == deletedDocuments(before, replica.replica))
                position = position.next
                try catalog.write { try update.write(at: position, $0) }
                state = update.state
                try catalog.read { rows throws in try expectEqual(CatalogReplica(rows), rows, replica.replica, state) }
            }
            try catalog.close()
        }
    }

    private func deletedDocuments(_ before: InMemoryReplica, _ now: InMemoryReplica) -> Set<EntryID> {
        Set(
            before.entries.values.filter {
                !$0.isDeleted && $0.versions != nil && now.entry($0.id)?.isDeleted == true
            }.map(\.id))
    }

    private func expectEqual(
        _ stored: CatalogReplica, _ rows: Rows, _ replica: InMemoryReplica, _ state: StateHash
    ) throws {
        var expected = StateHash.empty
        let needed = Set(
            replica.entries.values.filter { !$0.isDeleted }.flatMap { $0.versions?.leaves ?? [] }.map(\.id))
        #expect(try rows.replicaCount() == replica.entries.count)
        for (id, entry) in replica.entries {
            #expect(try stored.entry(id) == entry)
            #expect(try rows.replicaLeaves(of: id) == entry.versions?.leaves.map(\.id) ?? [])
            // What no leaf needs is known as departed, and nothing else.
            for version in entry.versions?.all ?? [] {
                #expect(try rows.isDeparted(version.id) == !needed.contains(version.id))
            }
            expected.add(try entry.record())
        }
        #expect(state == expected)
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func `a log makes the same state in the catalog as in memory`(seed: UInt64) throws {
        var simulation = Simulation(seed: seed)
        try simulation.run(steps: 120)
        try expectSameState(simulation.log)
    }

    /// Its content is not needed any more, and its history does not tell that.
    @Test func `a version that one commit replaces and thins out has departed`() throws {
        try withTemporaryFolder { folder throws in
            let catalog = try Catalog(path: folder + "/catalog")
            let document = EntryID(numbered: 1)
            func version(_ number: Int, base: VersionID?) -> DocumentVersion {
                DocumentVersion(
                    id: .random(), base: base, device: Self.device.id, deviceName: "laptop", filename: "a.txt", size: 1,
                    sha256: String(repeating: "0", count: 64), modified: Timestamp(nanoseconds: Int64(number)))
            }
            let first = version(0, base: nil)
            var chain = [first]
            for number in 1...2 * VersionHistory.mostSuperseded {
                chain.append(version(number, base: chain[number - 1].id))
            }
            // The first one is never thinned out.
            var history = VersionHistory(first: first)
            history.add(chain[1], at: first.modified)
            let created = ReplicaEntry(
                id: document,
                description: EntryDescription(
                    parent: .cloudRoot, filename: "a.txt", displayName: "a", pathExtension: "txt", naming: .given,
                    position: .key(1), mode: 0o644, modified: first.modified),
                content: .document(versions: history), created: first.modified,
                creator: Self.device.id)
            var state = StateHash.empty
            for changes in [[.create(created)], chain.dropFirst(2).map { .save(document, $0) }] as [[Change]] {
                var draft = ReplicaDraft(catalog, state: state)
                _ = try apply(Self.device.commit(changes), to: &draft)
                let update = try draft.update()
                try catalog.write { try update.write(at: .start, $0) }
                state = update.state
            }
            try catalog.read { rows throws in
                let kept = try #require(try CatalogReplica(rows).entry(document)?.versions)
                #expect(!kept.contains(chain[1].id))
                #expect(try rows.isDeparted(chain[1].id))
                #expect(try !rows.isDeparted(kept.current.id))
            }
            try catalog.close()
        }
    }

    /// One commit in which entries come, change their names and go.
    @Test(arguments: 100..<130 as Range<UInt64>)
    func `a commit of many changes makes the same state in the catalog as in memory`(seed: UInt64) throws {
        var simulation = Simulation(seed: seed)
        try simulation.run(steps: 120)
        let changes = simulation.log.flatMap(\.changes)
        try expectSameState([
            Self.device.commit(Array(changes.prefix(changes.count / 2))),
            Self.device.commit(Array(changes.dropFirst(changes.count / 2))),
        ])
    }
}
