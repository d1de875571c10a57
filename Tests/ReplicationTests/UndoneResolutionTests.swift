import Documents
import Foundation
import Replication
import TestSupport
import Testing

/// Choices among versions that are taken back (ContainerFormat, resolve).
struct UndoneResolutionTests {
    private let laptop = TestDevice.laptop
    private let phone = TestDevice.phone
    private let document = EntryID(numbered: 1)

    private func numbers(_ versions: [DocumentVersion]?) -> [UInt8] { versions?.map { $0.id.bytes[15] } ?? [] }

    private func ids(_ numbers: [UInt8]) -> [VersionID] { numbers.map(VersionID.init(numbered:)) }

    /// Version 1, then 2 (current, later) and 3 in conflict.
    private func conflicted() throws -> BoundedReplica {
        try BoundedReplica.built(
            by: laptop.commit(.create(laptop.document(1))),
            laptop.commit(.save(document, laptop.version(2, base: 1, modified: 300))),
            phone.commit(.save(document, phone.version(3, base: 1, modified: 200))))
    }

    private func resolve(_ leaves: [UInt8], to outcome: [UInt8]) throws -> Change {
        .resolve(document, try #require(Resolution(from: ids(leaves), to: ids(outcome))))
    }

    @Test func `a discarded version that comes back is in conflict again`() throws {
        var replica = try conflicted()
        let before = replica[1]
        try replica.applyCommit(laptop.commit(resolve([2, 3], to: [2])))
        try replica.applyCommit(laptop.commit(resolve([2], to: [2, 3])))
        #expect(replica[1] == before)
    }

    @Test func `the version that was current before a choice is current again`() throws {
        var replica = try conflicted()
        let before = replica[1]
        try replica.applyCommit(laptop.commit(resolve([2, 3], to: [3])))
        try replica.applyCommit(laptop.commit(resolve([3], to: [2, 3])))
        #expect(replica[1] == before)
        #expect(replica[1]?.description.modified == Timestamp(nanoseconds: 300))
    }

    @Test func `a save that the undoing device had not seen stays current, and nothing is lost`() throws {
        var replica = try conflicted()
        try replica.applyCommit(laptop.commit(resolve([2, 3], to: [3])))
        try replica.applyCommit(phone.commit(.save(document, phone.version(4, base: 3, modified: 100))))
        try replica.applyCommit(laptop.commit(resolve([3], to: [2, 3])))
        #expect(numbers(replica[1]?.versions?.leaves) == [4, 2])
    }

    @Test func `a version that another one was made from does not come back`() throws {
        var replica = try conflicted()
        try replica.applyCommit(laptop.commit(resolve([2, 3], to: [2])))
        try replica.applyCommit(phone.commit(.save(document, phone.version(4, base: 3, modified: 100))))
        try replica.applyCommit(laptop.commit(resolve([2], to: [2, 3])))
        #expect(numbers(replica[1]?.versions?.leaves) == [2, 4])
    }

    @Test func `a document that was deleted meanwhile lives again with the versions that come back`() throws {
        var replica = try conflicted()
        try replica.applyCommit(laptop.commit(resolve([2, 3], to: [2])))
        try replica.applyCommit(phone.commit(.delete(document, seen: ids([2]))))
        #expect(replica[1]?.isDeleted == true)
        let touched = try replica.applyCommit(laptop.commit(resolve([2], to: [2, 3])))
        #expect(touched == [document])
        #expect(replica[1]?.isDeleted == false)
        #expect(numbers(replica[1]?.versions?.leaves) == [3])
        #expect(numbers(replica[1]?.versions?.superseded.map(\.version)) == [1, 2])
        #expect(replica[1]?.description.modified == Timestamp(nanoseconds: 200))
    }

    @Test func `a choice in a deleted document brings nothing back`() throws {
        var replica = try conflicted()
        try replica.applyCommit(phone.commit(.delete(document, seen: ids([2, 3]))))
        try replica.applyCommit(laptop.commit(resolve([2, 3], to: [3])))
        #expect(replica[1]?.isDeleted == true)
    }

    /// Choices that wait are sent as one.
    @Test func `choices one after the other lead to the same leaves as all of them as one`() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let all: [UInt8] = [1, 2, 3, 4]
            var history = VersionHistory(first: laptop.version(1, modified: 100))
            for number in all.dropFirst() {
                history.add(laptop.version(number, base: 9, modified: Int64(number)), at: Timestamp(nanoseconds: 5))
            }
            let replica = try ReplicaEntry.sample(history, of: laptop)
            var (shown, pending) = (replica, nil as Resolution?)
            for _ in 0..<Int.random(in: 2...5, using: &random) {
                let leaves = shown.versions?.leaves.map(\.id) ?? []
                let outcome = Array(ids(all).shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)))
                let resolution = try #require(Resolution(from: leaves, to: outcome))
                shown = shown.resolved(by: resolution, at: Timestamp(nanoseconds: 6))
                pending = pending?.followed(by: resolution) ?? resolution
                #expect(shown.versions?.current.id == outcome.first)
                #expect(Set(shown.versions?.leaves.map(\.id) ?? []) == Set(outcome))
            }
            let sent = replica.resolved(by: try #require(pending), at: Timestamp(nanoseconds: 6))
            #expect(sent.versions?.leaves == shown.versions?.leaves)
        }
    }

    @Test func `a choice that brings nothing back is written as before choices could be undone`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let choice = try #require(Resolution(from: ids([2, 3]), to: ids([2])))
        let keys = try JSONSerialization.jsonObject(with: encoder.encode(choice)) as? [String: Any]
        #expect(keys?.keys.sorted() == ["discarded", "kept"])
        let undo = try #require(Resolution(from: ids([3]), to: ids([2, 3])))
        #expect(try JSONDecoder().decode(Resolution.self, from: encoder.encode(undo)) == undo)
    }
}

extension ReplicaEntry {
    fileprivate static func sample(_ history: VersionHistory, of device: TestDevice) throws -> ReplicaEntry {
        var entry = device.document(1)
        entry.content = .document(versions: history)
        return entry
    }
}
