import Documents
import FoundationEssentials
import ObjectStore
import Replication
import SystemPackage
import Testing
import TestSupport

/// Checkpoints with damaged entries and right digests, as chance or an attacker makes them: refused or harmless, never a crash.
struct CheckpointFuzzTests {
    private static let position = LogPosition(64)

    /// The hash of the state, as the writer of such a part would give it.
    private static func head(of part: [UInt8]) -> LogHead {
        var state = StateHash.empty
        for line in part.split(separator: UInt8(ascii: "\n")) { state.add(Data(line)) }
        return .sample(at: position.number, state: state)
    }

    /// A state with every kind of entry: folders in folders, a link, a document with conflicts and an earlier version, a deleted entry.
    private static func sample() throws -> [ReplicaEntry] {
        let (laptop, phone) = (TestDevice.laptop, TestDevice.phone)
        let replica = try BoundedReplica.built(
            by: CommitCodingTests.sample,
            laptop.commit(
                .create(laptop.folder(4, "Letters")), .create(laptop.folder(5, "2026", in: EntryID(numbered: 4))),
                .create(laptop.document(6, "Plan.txt", in: EntryID(numbered: 5)))),
            phone.commit(.save(EntryID(numbered: 6), phone.version(61, base: 6, modified: 200))),
            laptop.commit(.save(EntryID(numbered: 6), laptop.version(62, base: 6, modified: 300)))
        ).replica
        let entries = replica.entries.values.sorted { $0.id < $1.id }
        #expect(entries.contains { $0.versions?.conflicts.isEmpty == false })
        return entries
    }

    private func expectHarmless(_ store: FakeStore) async throws {
        try await withFile { file in try await expectHarmless(store, file) }
    }

    private func expectHarmless(_ store: FakeStore, _ file: FileDescriptor) async throws {
        guard let checkpoint = try await Checkpoints(store: store).latest(of: ContainerID(numbered: 9), into: file)
        else { return }
        var replica = InMemoryReplica()
        do {
            try checkpoint.forEach { entry, _ in replica.store(entry) }
        } catch let error as CheckpointError {
            #expect(!error.description.isEmpty)
            return
        }
        expectInvariants(replica)
        // The log goes on from there.
        var next = BoundedReplica(replica)
        try next.applyCommit(CommitCodingTests.sample)
        expectInvariants(next.replica)
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func `damaged entries are refused, or keep all invariants`(seed: UInt64) async throws {
        var spoiler = Spoiler(seed: seed)
        let entries = try Self.sample()
        let good = try entries.flatMap { Array(try JSONEncoder().encode($0)) + [UInt8(ascii: "\n")] }
        for _ in 0..<60 {
            let store = FakeStore()
            let checkpoints = Checkpoints(store: store)
            let spoiled = spoiler.spoil(good)
            let digest = try await checkpoints.write(spoiled, at: Self.position)
            try await checkpoints.finish(
                CheckpointManifest(head: Self.head(of: spoiled), count: entries.count, parts: [digest]))
            try await expectHarmless(store)
        }
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func `a damaged manifest is refused, or describes entries that keep all invariants`(seed: UInt64) async throws {
        var spoiler = Spoiler(seed: seed)
        let entries = try Self.sample()
        let store = FakeStore()
        let checkpoints = Checkpoints(store: store)
        var digests: [String] = []
        for entry in entries {
            digests.append(try await checkpoints.write(Array(try JSONEncoder().encode(entry)), at: Self.position))
        }
        try await checkpoints.finish(
            CheckpointManifest(
                head: try Self.head(of: entries.flatMap { Array(try JSONEncoder().encode($0)) + [UInt8(ascii: "\n")] }),
                count: entries.count, parts: digests))
        let manifest = try #require(ObjectKey("checkpoint/0000000000000064/manifest"))
        let good = try #require(store.objects[manifest])
        for _ in 0..<60 {
            store.set(manifest, spoiler.spoil(good))
            try await expectHarmless(store)
        }
    }
}
