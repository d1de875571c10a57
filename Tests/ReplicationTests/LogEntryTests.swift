import Documents
import Foundation
import ObjectStore
@testable import Replication
import Testing

/// The header of a log entry: which commit it is, and what it follows.
struct LogEntryTests {
    private let laptop = TestDevice.laptop
    private let head = LogHead.sample(at: 4)

    private func entry(_ link: ChainLink, _ number: UInt8 = 1) throws -> LogEntry {
        try LogEntry(
            laptop.commit(.delete(EntryID(numbered: 1), seen: []), id: CommitID(numbered: number)), after: link)
    }

    // MARK: The chain

    @Test(arguments: [
        ("0999999999999999", true), ("1000000000000000", false), ("9999999999999999", false),
        ("0000000000000000", false),
    ])
    func `a name beyond all logs is not that of an entry`(name: String, isPosition: Bool) throws {
        #expect((LogPosition(try #require(ObjectKey("log/" + name))) != nil) == isPosition)
    }

    @Test func `the entry that names the last one that was read is the next one`() throws {
        let first = try entry(head.link, 3)
        try head.check(first)
        var state = StateHash.empty
        state.add(Data("a".utf8))
        let advanced = head.advanced(by: first, state: state)
        #expect(advanced.position == LogPosition(5))
        #expect(advanced.commit == first.commit.id)
        #expect(advanced.link == ChainLink(container: head.container, previous: first.hash, state: state))
        #expect((advanced.container, advanced.root, advanced.readFrom) == (head.container, head.root, head.readFrom))
        try advanced.check(try entry(advanced.link, 2))
    }

    @Test func `an entry of another container, another log or another state is not`() throws {
        var (container, log, state) = (head.link, head.link, head.link)
        container.container = ContainerID(numbered: 8)
        log.previous = ObjectHash(of: [99])
        state.state.add(Data("a".utf8))
        let faults: [(ChainLink, ContainerFault)] = [
            (container, .replaced), (log, .otherHistory(at: LogPosition(5))), (state, .otherState(at: LogPosition(5))),
        ]
        for (link, fault) in faults { #expect(throws: fault) { try head.check(try entry(link)) } }
    }

    @Test func `an entry that was replaced by another one with the same commit breaks the chain`() throws {
        let first = try entry(head.link)
        var other = head.link
        other.previous = ObjectHash(of: [99])
        let twin = try entry(other)
        #expect(twin.commit == first.commit)
        let read = head.advanced(by: twin, state: head.state)
        #expect(throws: ContainerFault.otherHistory(at: LogPosition(6))) {
            try read.check(try entry(head.advanced(by: first, state: head.state).link, 2))
        }
    }

    @Test func `the description of each fault is one line that says what to do`() {
        let position = LogPosition(7)
        let faults: [ContainerFault] = [
            .unnamed, .emptied, .replaced, .hole(position), .rolledBack(to: LogPosition(3), from: position),
            .otherHistory(at: position),
            .otherState(at: position), .otherWriter(at: position),
        ]
        for fault in faults {
            #expect(!fault.description.contains("\n"))
            #expect(fault.description.contains("`docfs check --repair`"))
        }
        #expect(Set(faults.map(\.description)).count == faults.count)
    }

    // MARK: Its object

    @Test func `an entry is read as it was written`() throws {
        let written = try entry(head.link)
        let read = try LogEntry(decoding: written.bytes)
        #expect(read == written)
        #expect(read.hash == ObjectHash(of: written.bytes))
        #expect(try LogEntry.header(of: written.bytes).commit == written.commit.id)
    }

    @Test func `an entry in which any bit has changed on the way is refused, or does not follow`() throws {
        let written = try entry(head.link)
        for index in written.bytes.indices {
            for bit in UInt8(0)..<8 {
                var bytes = written.bytes
                bytes[index] ^= 1 << bit
                do {
                    let read = try LogEntry(decoding: bytes)
                    #expect(throws: ContainerFault.self, "bit \(bit) of byte \(index)") { try head.check(read) }
                } catch {}
            }
        }
    }

    @Test func `an entry of an early release has no digest, and is read`() throws {
        let written = try entry(head.link)
        let text = String(decoding: written.bytes, as: UTF8.self).replacing(/"digest":"[0-9a-f]*",/, with: "")
        #expect(!text.contains("digest"))
        #expect(try LogEntry(decoding: Array(text.utf8)).commit == written.commit)
    }

    @Test func `an entry whose first line names another commit is refused`() throws {
        let (one, two) = (try entry(head.link, 1), try entry(head.link, 2))
        let newline = UInt8(ascii: "\n")
        let header = one.bytes.prefix { $0 != newline }
        let commit = two.bytes.drop { $0 != newline }
        #expect(throws: CommitError.invalid("the header names another commit than the one that follows")) {
            try LogEntry(decoding: Array(header + commit))
        }
    }

    @Test(arguments: ["", "{}", "{}\n", "[]\n{}", "{\"format\":1}\n{}", String(repeating: " ", count: 2000) + "\n{}"])
    func `bytes without such a first line are no entry`(text: String) throws {
        #expect(throws: CommitError.self) { try LogEntry(decoding: Array(text.utf8)) }
    }

    @Test func `an entry of a later release is recognised as that, whatever else it has`() {
        let error = #expect(throws: CommitError.self) {
            try LogEntry(decoding: Array("{\"format\":4,\"new\":[1]}\nanything".utf8))
        }
        #expect(error == .unknownFormat(4))
        #expect(error?.isOfLaterRelease == true)
        #expect(!LogError.entry(LogPosition(1), .unknownFormat(4)).isDamage)
        #expect(LogError.entry(LogPosition(1), .malformed("x")).isDamage)
    }

    @Test func `the id of the commit at a position is read from the beginning of its object`() async throws {
        let store = FakeStore()
        let log = ReplicatedLog(store: store)
        let large = laptop.commit((1...200).map { .create(laptop.document(UInt8($0))) }, id: CommitID(numbered: 7))
        let entry = try LogEntry(large, after: head.link)
        _ = try await log.append(entry, at: LogPosition(1))
        #expect(try await log.commitID(at: LogPosition(1)) == CommitID(numbered: 7))
        #expect(try await log.commitID(at: LogPosition(2)) == nil)
        #expect(store.reads.allSatisfy { $0.upperBound < Int64(entry.bytes.count) })
    }

    @Test func `an entry that the store finds changed is damage, however much of it is read`() async throws {
        let store = FakeStore()
        let log = ReplicatedLog(store: store)
        store.failAll(.corrupted(LogPosition(1).key, "it was changed"))
        let expected = LogError.entry(LogPosition(1), .malformed("it was changed"))
        for read in [{ _ = try await log.commitID(at: LogPosition(1)) }, { _ = try await log.read(LogPosition(1)) }] {
            let error = await #expect(throws: LogError.self) { try await read() }
            #expect(error?.description == expected.description)
            #expect(error?.isDamage == true)
        }
    }

    @Test func `the same commit after another entry does not count as this one`()
        async throws
    {
        let log = ReplicatedLog(store: FakeStore())
        var other = head.link
        other.previous = ObjectHash(of: [99])
        _ = try await log.append(try entry(other), at: LogPosition(1))
        guard case .taken = try await log.append(try entry(head.link), at: LogPosition(1)) else {
            Issue.record("it was taken for this one")
            return
        }
    }

    // MARK: Positions

    @Test(arguments: [
        "log/1", "log/0000000000000000", "log/-000000000000001", "log/00000000000000001", "log/0000000000000001 (copy)",
        "log/notes.txt", "log/0000000000000001/a", "logs/0000000000000001",
    ])
    func `a key that only looks like that of an entry has no position`(key: String) throws {
        #expect(LogPosition(try #require(ObjectKey(key))) == nil)
    }

    @Test func `positions are listed without the other objects between them`() async throws {
        let store = FakeStore()
        for number in [1, 2, 3, 5] as [Int64] { store.set(LogPosition(number).key, [1]) }
        for name in ["0000000000000001.bak", "0000000000000002 (copy)", "0000000000000002 (copy 2)", "notes"] {
            store.set(try #require(ObjectKey("log/" + name)), [1])
        }
        let log = ReplicatedLog(store: store)
        func positions(after last: Int64, atMost count: Int) async throws -> [Int64] {
            try await log.positions(after: LogPosition(last), atMost: count).map(\.number)
        }
        #expect(try await positions(after: 0, atMost: 2) == [1, 2])
        #expect(try await positions(after: 0, atMost: 100) == [1, 2, 3, 5])
        #expect(try await positions(after: 2, atMost: 1) == [3])
        #expect(try await positions(after: 5, atMost: 10) == [])
        let before = store.listings
        #expect(try await positions(after: 0, atMost: 1) == [1])
        #expect(store.listings == before + 1)
    }
}
