import Documents
import Foundation
import ObjectStore
@testable import Replication
import Testing

/// The identity of a container, the audit of its log, and the hash of its state.
struct ContainerTests {
    private let id = ContainerID(numbered: 9)

    // MARK: Whose it is

    private func read(_ text: String) async throws -> ContainerIdentity? {
        try await ContainerIdentity.read(from: FakeStore(ContainerIdentity.key, Array(text.utf8)))
    }

    private func expectUnnamed(_ body: () async throws -> Void, _ comment: Comment? = nil) async {
        let error = await #expect(throws: LogError.self, comment) { try await body() }
        guard case .container(.unnamed) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `the object container is created once`() async throws {
        let store = FakeStore()
        #expect(try await ContainerIdentity.read(from: store) == nil)
        let first = try await ContainerIdentity(id).establish(in: store)
        #expect(first.id == id)
        #expect(try await ContainerIdentity(ContainerID(numbered: 8)).establish(in: store).id == id)
        #expect(try await ContainerIdentity.read(from: store) == first)
        #expect(try await read(String(decoding: first.encoded, as: UTF8.self)) == first)
        #expect(first.emptyLog.hash == ObjectHash(of: first.encoded))
        #expect(first.emptyLog.hash != ContainerIdentity(ContainerID(numbered: 8)).emptyLog.hash)
    }

    @Test func `a damaged object container is refused`() async throws {
        let good = String(decoding: ContainerIdentity(id).encoded, as: UTF8.self)
        let bad = [
            "", "{}", "[1]", good + good, good.replacing("\"format\":1", with: "\"format\":2"),
            good.replacing(",", with: ", "),
            String(repeating: " ", count: 5000), good.uppercased(),
        ]
        for text in bad { await expectUnnamed({ _ = try await read(text) }, "\(text.prefix(100))") }
    }

    @Test func `only a damaged object container is removed`() async throws {
        let damaged = FakeStore(ContainerIdentity.key, Array("{".utf8))
        try await ContainerIdentity.removeDamaged(from: damaged)
        #expect(damaged.objects.isEmpty)
        let good = FakeStore(ContainerIdentity.key, ContainerIdentity(id).encoded)
        try await ContainerIdentity.removeDamaged(from: good)
        #expect(good.objects.count == 1)
        let away = FakeStore(ContainerIdentity.key, Array("{".utf8))
        away.failAll(.unreachable("no route to host"))
        await #expect(throws: LogError.self) { try await ContainerIdentity.removeDamaged(from: away) }
        away.failAll(nil)
        #expect(away.objects.count == 1)
    }

    // MARK: What it has lost

    private func head(_ position: Int64, readFrom: Int64 = 1) -> LogHead {
        var head = LogHead.sample(at: position)
        head.readFrom = LogPosition(readFrom)
        head.root = LogPosition(readFrom)
        return head
    }

    /// Audits a log with entries at these positions, as a device that has read to `head`.
    private func audit(_ numbers: some Sequence<Int64>, by head: LogHead) throws(ContainerFault) {
        var audit = ContainerAudit(head)
        while true {
            let rest = numbers.filter { $0 > audit.last.number }.prefix(ContainerAudit.pageLength)
            if try audit.check(rest.map(LogPosition.init)) { return }
        }
    }

    @Test func `a log without gaps passes the audit, page by page`() throws {
        for length in [0, 1, 999, 1000, 1001, 2000, 2500] as [Int64] {
            try audit(Array(1..<length + 1), by: head(min(length, 990)))
            try audit(Array(1..<length + 1), by: head(length))
        }
    }

    @Test func `entries before the first that a device can vouch for do not count`() throws {
        try audit(64...70, by: head(70, readFrom: 64))
        try audit([1, 2, 5] + Array(1064...1070), by: head(1070, readFrom: 1064))
    }

    @Test(arguments: [1, 2, 500, 1000, 1001, 1500] as [Int64])
    func `a hole is found before and after what this device has read`(hole: Int64) {
        for position in [1, 990, 1600] as [Int64] {
            #expect(throws: ContainerFault.hole(LogPosition(hole))) {
                try audit((1...2000).filter { $0 != hole }, by: head(position))
            }
        }
    }

    @Test func `a log that ends before what this device has read was rolled back, or emptied`() {
        #expect(throws: ContainerFault.rolledBack(to: LogPosition(3), from: LogPosition(4))) {
            try audit(1...3, by: head(4))
        }
        #expect(throws: ContainerFault.rolledBack(to: LogPosition(1000), from: LogPosition(1001))) {
            try audit(1...1000, by: head(1001))
        }
        #expect(throws: ContainerFault.emptied) { try audit([], by: head(4)) }
        #expect(throws: ContainerFault.emptied) { try audit(1...3, by: head(1070, readFrom: 1064)) }
    }

    // MARK: Its state

    private func state(_ records: String...) -> StateHash {
        var state = StateHash.empty
        for record in records { state.add(Data(record.utf8)) }
        return state
    }

    @Test func `the hash of a state does not depend on the order of its entries`() {
        #expect(state("a", "b", "c") == state("c", "a", "b"))
        var state = state("a", "old", "b")
        state.remove(Data("old".utf8))
        state.add(Data("new".utf8))
        #expect(state == self.state("b", "new", "a"))
        state.remove(Data("b".utf8))
        state.remove(Data("new".utf8))
        state.remove(Data("a".utf8))
        #expect(state == .empty)
    }

    @Test func `different states have different hashes`() {
        let states = [
            StateHash.empty, state("a"), state("b"), state("a", "b"), state("a", "a"), state("ab"),
            state("a", "b", "b"),
        ]
        #expect(Set(states).count == states.count)
        #expect(Set(states.map(\.description)).count == states.count)
    }

    @Test func `a hash is read as it was written, and other text is refused`() throws {
        for hash in [StateHash.empty, state("a"), state("a", "b")] {
            #expect(hash.description.utf8.count == 64)
            #expect(try JSONDecoder().decode(StateHash.self, from: JSONEncoder().encode(hash)) == hash)
        }
        for text in [
            "", "abc", String(repeating: "0", count: 63), String(repeating: "0", count: 65),
            String(repeating: "G", count: 64),
        ] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(StateHash.self, from: JSONEncoder().encode(text))
            }
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(ObjectHash.self, from: JSONEncoder().encode(text))
            }
        }
    }
}
