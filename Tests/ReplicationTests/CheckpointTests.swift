import Documents
import FoundationEssentials
import ObjectStore
@testable import Replication
import Testing

/// The state of the container at some position of its log.
@Suite(.timeLimit(.minutes(15)))
struct CheckpointTests {
    private let laptop = TestDevice.laptop
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()

    private func state(of entries: [ReplicaEntry]) throws -> StateHash {
        var state = StateHash.empty
        for entry in entries { state.add(Data(try line(entry).dropLast())) }
        return state
    }

    private func line(_ entry: ReplicaEntry) throws -> [UInt8] { Array(try Self.encoder.encode(entry)) + [10] }

    private func write(_ entries: [ReplicaEntry], at position: Int64, to store: FakeStore, count: Int? = nil)
        async throws
    {
        let checkpoints = Checkpoints(store: store)
        let digest = try await checkpoints.write(try entries.flatMap(line), at: LogPosition(position))
        try await checkpoints.finish(
            CheckpointManifest(
                head: .sample(at: position, state: state(of: entries)), count: count ?? entries.count, parts: [digest]))
    }

    private func read(_ store: FakeStore) async throws -> [EntryID] {
        try await withFile { file in
            let checkpoint = try #require(
                try await Checkpoints(store: store).latest(of: ContainerID(numbered: 9), into: file))
            var ids: [EntryID] = []
            try checkpoint.forEach { entry, _ in ids.append(entry.id) }
            return ids
        }
    }

    private func position(_ store: FakeStore) async throws -> LogPosition? {
        try await withFile { file in
            try await Checkpoints(store: store).latest(of: ContainerID(numbered: 9), into: file)?.head.position
        }
    }

    @Test func `entries come back in their order, from the newest checkpoint`() async throws {
        let store = FakeStore()
        let folder = laptop.folder(1, "Trip")
        let document = laptop.document(2, in: folder.id)
        try await write([folder], at: 64, to: store)
        try await write([folder, document], at: 128, to: store)
        #expect(try await read(store) == [folder.id, document.id])
        #expect(try await position(store) == LogPosition(128))
    }

    /// More than are read at once.
    @Test func `all parts are read, however many`() async throws {
        let store = FakeStore()
        let entries = (1...20).map { laptop.folder(UInt8($0), "\($0)") }
        var parts: [String] = []
        for entry in entries {
            parts.append(try await Checkpoints(store: store).write(try line(entry), at: LogPosition(64)))
        }
        try await Checkpoints(store: store).finish(
            CheckpointManifest(head: .sample(at: 64, state: state(of: entries)), count: entries.count, parts: parts))
        #expect(try await read(store) == entries.map(\.id))
    }

    @Test func `a container without a checkpoint has none`() async throws {
        #expect(try await position(FakeStore()) == nil)
    }

    @Test func `two checkpoints are kept`() async throws {
        let store = FakeStore()
        for position in [64, 128, 192, 256] as [Int64] {
            try await write([laptop.folder(1, "\(position)")], at: position, to: store)
        }
        let positions = Set(store.objects.keys.map { $0.components[1] })
        #expect(positions == ["0000000000000192", "0000000000000256"])
        #expect(store.objects.count == 4)
    }

    @Test func `of two at one position the first counts, and a device whose answer was lost finds its own`()
        async throws
    {
        let store = FakeStore()
        let checkpoints = Checkpoints(store: store)
        func manifest(_ name: String) throws -> CheckpointManifest {
            let entries = [laptop.folder(1, name)]
            return CheckpointManifest(head: .sample(at: 64, state: try state(of: entries)), count: 1, parts: [])
        }
        #expect(try await checkpoints.finish(manifest("Trip")))
        #expect(try await checkpoints.finish(manifest("Trip")))
        #expect(try await !checkpoints.finish(manifest("Fotos")))
        #expect(
            try await checkpoints.latestHead(of: ContainerID(numbered: 9), knowing: nil)
                == manifest("Trip").head.logHead)
    }

    @Test func `a checkpoint that lacks an object, or was changed, is passed over for the one before`() async throws {
        let store = FakeStore()
        try await write([laptop.folder(1, "old")], at: 64, to: store)
        try await write([laptop.folder(2, "new")], at: 128, to: store)
        let part = try #require(store.objects.keys.first { $0.components[1].hasSuffix("128") && $0.last != "manifest" })
        store.set(part, try line(laptop.folder(3, "forged")))
        #expect(try await read(store) == [EntryID(numbered: 1)])
        try await store.delete(part)
        #expect(try await read(store) == [EntryID(numbered: 1)])
    }

    @Test func `the head of the newest is read, or of the one before if that is damaged`() async throws {
        let store = FakeStore()
        try await write([laptop.folder(1, "old")], at: 64, to: store)
        try await write([laptop.folder(2, "new")], at: 128, to: store)
        let checkpoints = Checkpoints(store: store)
        let container = ContainerID(numbered: 9)
        #expect(try await checkpoints.latestHead(of: container, knowing: nil)?.position == LogPosition(128))
        store.set(ObjectKey("checkpoint/0000000000000128/manifest")!, [1])
        #expect(try await checkpoints.latestHead(of: container, knowing: nil)?.position == LogPosition(64))
    }

    /// Somebody who does harm may make one. Nothing is counted on from there.
    @Test(arguments: [Int64.max, Int64.max - 1, 1 << 62]) func `a checkpoint at a position that no log has is none`(
        far: Int64
    ) async throws {
        let store = FakeStore()
        for position in [64, far] { try await write([laptop.folder(1, "Trip")], at: position, to: store) }
        let checkpoints = Checkpoints(store: store)
        #expect(try await position(store) == LogPosition(64))
        #expect(try await checkpoints.newestPosition() == LogPosition(64))
        let head = try await checkpoints.latestHead(of: ContainerID(numbered: 9), knowing: nil)
        #expect(head?.position == LogPosition(64))
        #expect(LogPosition(LogPosition(far).key) == nil)
        // Heads may be beyond the last name.
        for (number, isKnown) in [(far, far <= 1 << 62), (-1, false), (0, true)] {
            let decoded = try? JSONDecoder().decode([LogPosition].self, from: Data("[\(number)]".utf8))
            #expect((decoded != nil) == isKnown, "\(number)")
        }
    }

    /// Else a device would take an older state for the newest, or the log from its start.
    @Test func `a store that does not answer has no checkpoint that could be passed over`() async throws {
        let store = FakeStore()
        try await write([laptop.folder(1, "Trip")], at: 64, to: store)
        store.failAll(.unreachable("no route to host"))
        await #expect(throws: CheckpointError.self) { try await position(store) }
        await #expect(throws: CheckpointError.self) {
            try await Checkpoints(store: store).latestHead(of: ContainerID(numbered: 9), knowing: nil)
        }
    }

    /// The other part is never answered: its read ends because it is cancelled.
    @Test func `a part that is missing ends the reads of the others`() async throws {
        let store = FakeStore()
        let checkpoints = Checkpoints(store: store)
        let entries = [laptop.folder(1, "Trip"), laptop.folder(2, "Fotos")]
        var parts: [String] = []
        for entry in entries { parts.append(try await checkpoints.write(try line(entry), at: LogPosition(64))) }
        try await checkpoints.finish(
            CheckpointManifest(head: .sample(at: 64, state: state(of: entries)), count: 2, parts: parts))
        let (missing, unanswered) = (parts[0], parts[1])
        try await store.delete(ObjectKey("checkpoint/0000000000000064/\(missing)")!)
        try await withFile { file in
            let found = try await Checkpoints(store: UnansweringStore(but: store) { key, _ in key.last != unanswered })
                .latest(of: ContainerID(numbered: 9), into: file)
            #expect(found == nil)
        }
    }

    @Test(arguments: [
        "", "{", "{}", "[1]", #"{"format":2,"position":64,"count":0,"parts":[]}"#,
        #"{"format":1,"position":64,"count":1,"parts":["../../../etc/passwd"]}"#,
        String(repeating: "[", count: 100_000),
    ])
    func `a manifest with impossible values is no checkpoint`(_ text: String) async throws {
        let store = FakeStore(ObjectKey("checkpoint/0000000000000064/manifest")!, Array(text.utf8))
        #expect(try await position(store) == nil)
    }

    private func expectRefused(_ entries: [ReplicaEntry], count: Int? = nil) async throws {
        let store = FakeStore()
        try await write(entries, at: 64, to: store, count: count)
        await #expect(throws: CheckpointError.self) { try await read(store) }
    }

    @Test func `a state that apply would never make is refused`() async throws {
        let folder = laptop.folder(1, "Trip")
        try await expectRefused([laptop.document(2, in: folder.id), folder])
        try await expectRefused([folder, laptop.folder(2, "Trip")])
        try await expectRefused([folder, folder])
        try await expectRefused([laptop.document(2, in: EntryID(numbered: 9))])
        try await expectRefused([folder], count: 2)
        var cycle = laptop.folder(3, "a")
        cycle.description.parent = cycle.id
        try await expectRefused([cycle])
        var escaping = laptop.folder(4, "a")
        escaping.description.filename = "../a"
        try await expectRefused([escaping])
    }

    @Test func `the larger the state, the more rarely a checkpoint is due`() {
        let checkpoints = Checkpoints(store: FakeStore())
        let due = (1...4096).filter { checkpoints.isDue(at: LogPosition(Int64($0)), entries: 100) }
        #expect(due == Array(stride(from: 64, through: 4096, by: 64)))
        #expect(
            (1...4096).filter { checkpoints.isDue(at: LogPosition(Int64($0)), entries: 100_000) } == [
                1024, 2048, 3072, 4096,
            ])
        #expect(!checkpoints.isDue(at: .start, entries: 0))
    }
}
