import Documents
import FoundationEssentials
import ObjectStore
@testable import Replication
import Testing
import TestSupport

struct ReplicatedLogTests {
    private let laptop = TestDevice.laptop
    private let phone = TestDevice.phone

    /// A commit that a test recognises by its number.
    private func commit(_ number: UInt8, by device: TestDevice = .laptop) -> Commit {
        device.commit(.delete(EntryID(numbered: number), seen: []), id: CommitID(numbered: number))
    }

    private func isAppended(_ outcome: AppendOutcome) -> Bool {
        if case .appended = outcome { true } else { false }
    }

    @Test func `an empty log has no commits`() async throws {
        let log = ReplicatedLog(store: FakeStore())
        #expect(try await log.commit(at: LogPosition(1)) == nil)
        #expect(try await log.read(after: .start).isEmpty)
    }

    @Test func `a commit is one object at the key of its position`() async throws {
        let store = FakeStore()
        let log = ReplicatedLog(store: store)
        #expect(isAppended(try await log.append(commit(1), at: LogPosition.start.next)))
        #expect(isAppended(try await log.append(commit(2), at: LogPosition(42))))
        #expect(store.objects.keys.map(\.description).sorted() == ["log/0000000000000001", "log/0000000000000042"])
        #expect(try await log.commit(at: LogPosition(42)) == commit(2))
        #expect(try await log.commit(at: LogPosition(2)) == nil)
    }

    @Test func `positions are in the order of their keys`() async throws {
        let store = FakeStore()
        let log = ReplicatedLog(store: store)
        let numbers: [Int64] = [1, 9, 10, 99, 100, 1_000_000, 1_000_000_000_000]
        for number in numbers { _ = try await log.append(commit(1), at: LogPosition(number)) }
        let keys = try await store.list(.init(["log"])!, after: nil, limit: 100)
        #expect(keys.map { Int64($0.last) } == numbers)
        #expect(LogPosition(9) < LogPosition(10))
    }

    @Test func `of two devices that append at one position the second gets the entry of the first`() async throws {
        let log = ReplicatedLog(store: FakeStore())
        #expect(isAppended(try await log.append(commit(1), at: LogPosition(1))))
        guard case .taken(let present) = try await log.append(commit(2, by: phone), at: LogPosition(1)) else {
            Issue.record("both were appended")
            return
        }
        #expect(present.commit == commit(1))
        #expect(try await log.commit(at: LogPosition(1)) == commit(1))
        #expect(isAppended(try await log.append(commit(2, by: phone), at: LogPosition(2))))
    }

    @Test func `a commit whose reply was lost is recognised by its id`() async throws {
        let store = FakeStore()
        let log = ReplicatedLog(store: store)
        store.loseNextReply()
        await #expect(throws: LogError.self) { try await log.append(commit(1), at: LogPosition(1)) }
        #expect(isAppended(try await log.append(commit(1), at: LogPosition(1))))
        #expect(store.objects.count == 1)
        #expect(try await log.commits(after: .start) == [commit(1)])
    }

    @Test func `an equal commit with another id is another commit`() async throws {
        let log = ReplicatedLog(store: FakeStore())
        var twin = commit(1)
        twin.id = CommitID(numbered: 2)
        _ = try await log.append(commit(1), at: LogPosition(1))
        guard case .taken(let present) = try await log.append(twin, at: LogPosition(1)) else {
            Issue.record("it was taken for the other")
            return
        }
        #expect(present.commit.id == CommitID(numbered: 1))
    }

    @Test func `commits after a position come in order, however many there are`() async throws {
        let store = FakeStore()
        let log = ReplicatedLog(store: store)
        let commits = (1...40).map { commit($0) }
        for (offset, commit) in commits.enumerated() {
            _ = try await log.append(commit, at: LogPosition(Int64(offset) + 1))
        }
        var read: [Commit] = []
        var rounds = 0
        while true {
            let more = try await log.commits(after: LogPosition(Int64(read.count)))
            if more.isEmpty { break }
            read += more
            rounds += 1
        }
        #expect(read == commits)
        #expect(rounds < 10)
        #expect(try await log.commits(after: LogPosition(38)) == Array(commits.suffix(2)))
        #expect(try await log.read(after: LogPosition(40)).isEmpty)
    }

    @Test func `entries after one that cannot be applied are not read`() async throws {
        let store = FakeStore()
        let log = ReplicatedLog(store: store)
        for number in 1...5 as ClosedRange<UInt8> where number != 3 {
            _ = try await log.append(commit(number), at: LogPosition(Int64(number)))
        }
        store.set(ObjectKey("log/0000000000000003")!, Array("{\"format\":4}\n".utf8))
        #expect(try await log.commits(after: .start) == [commit(1), commit(2)])
        let error = await #expect(throws: LogError.self) { try await log.read(after: LogPosition(2)) }
        guard case .entry(LogPosition(3), .unknownFormat(4)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("4") == true)
    }

    @Test func `a log with a gap ends there`() async throws {
        let log = ReplicatedLog(store: FakeStore())
        _ = try await log.append(commit(1), at: LogPosition(1))
        _ = try await log.append(commit(3), at: LogPosition(3))
        #expect(try await log.commits(after: .start) == [commit(1)])
        #expect(try await log.read(after: LogPosition(1)).isEmpty)
    }

    @Test func `an append at an entry that cannot be read fails`() async throws {
        let store = FakeStore()
        store.set(ObjectKey("log/0000000000000001")!, [0xff])
        let error = await #expect(throws: LogError.self) {
            try await ReplicatedLog(store: store).append(commit(1), at: LogPosition(1))
        }
        guard case .entry(LogPosition(1), .malformed) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a failure of the store is reported with its reason`() async throws {
        let store = FakeStore()
        let log = ReplicatedLog(store: store)
        store.failAll(.unreachable("no route to host"))
        let operations: [() async throws -> Void] = [
            { _ = try await log.read(LogPosition(1)) }, { _ = try await log.read(after: .start) },
            { _ = try await log.append(commit(1), at: LogPosition(1)) },
        ]
        for operation in operations {
            let error = await #expect(throws: LogError.self) { try await operation() }
            guard case .store(.unreachable("no route to host")) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        store.failAll(nil)
        #expect(isAppended(try await log.append(commit(1), at: LogPosition(1))))
    }

    @Test func `a commit that cannot be encoded is not written`() async throws {
        let store = FakeStore()
        var change = DescriptionChange()
        change.position = .number(.nan)
        await #expect(throws: LogError.self) {
            try await ReplicatedLog(store: store).append(
                laptop.commit(.describe(EntryID(numbered: 1), change)), at: LogPosition(1))
        }
        #expect(store.objects.isEmpty)
    }

    @Test func `a commit larger than the limit for reading is not written`() async throws {
        let store = FakeStore()
        var change = DescriptionChange()
        change.attributes = .init(json: Data(count: ReplicatedLog.largestEntry / 4 * 3))
        let commit = laptop.commit(.describe(EntryID(numbered: 1), change))
        let isRefused: Bool
        do throws(LogError) {
            _ = try await ReplicatedLog(store: store).append(commit, at: LogPosition(1))
            isRefused = false
        } catch { isRefused = true }
        // Not within an expectation, which would print it.
        #expect(isRefused)
        let written = store.objects.count
        #expect(written == 0)
    }

    @Test func `when several devices append at once each position has one commit, and none is lost`() async throws {
        try await withTemporaryFolder { folder in
            let store = try DirectoryStore(root: folder, creates: true)
            await withTaskGroup { group in
                for number in 1...8 as ClosedRange<UInt8> {
                    let mine = commit(number)
                    group.addTask {
                        let log = ReplicatedLog(store: store)
                        var position = LogPosition.start.next
                        while true {
                            guard let outcome = try? await log.append(mine, at: position) else {
                                Issue.record("an append failed")
                                return
                            }
                            if case .appended = outcome { return }
                            position = position.next
                        }
                    }
                }
            }
            let commits = try await ReplicatedLog(store: store).commits(after: .start)
            #expect(Set(commits.map(\.id)) == Set((1...8).map(CommitID.init(numbered:))))
            #expect(commits.count == 8)
        }
    }
}
