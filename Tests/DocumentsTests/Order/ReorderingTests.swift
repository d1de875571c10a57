@testable import Documents
import Testing
import TestSupport

/// Which entries get a new key when a folder is put into another order.
struct ReorderingTests {
    /// Expects that the new keys bring the entries into the wanted order.
    @discardableResult
    private func reorder(_ keys: [OrderKey], to wanted: [Int], moving: Int? = nil, seed: UInt64 = 1) -> [Int: OrderKey]
    {
        var random = SeededGenerator(seed: seed)
        let new = Reordering.newKeys(for: keys, in: wanted, moving: moving, using: &random)
        let after = keys.indices.sorted { (new[$0] ?? keys[$0], $0) < (new[$1] ?? keys[$1], $1) }
        #expect(after == wanted)
        return new
    }

    @Test func `only entries that move get a new key`() {
        let keys: [OrderKey] = [1, 2, 3, 4, 5]
        #expect(reorder(keys, to: [0, 1, 2, 3, 4]).isEmpty)
        #expect(reorder(keys, to: [4, 0, 1, 2, 3]).keys.sorted() == [4])
        #expect(reorder(keys, to: [1, 2, 3, 4, 0]).keys.sorted() == [0])
        #expect(reorder(keys, to: [0, 3, 1, 2, 4]).keys.sorted() == [3])
        #expect(reorder(keys, to: [4, 3, 2, 1, 0]).count == 4)
    }

    @Test func `an entry that is known to move is the one that gets the key`() {
        let keys: [OrderKey] = [1, 2]
        #expect(reorder(keys, to: [1, 0], moving: 0).keys.sorted() == [0])
        #expect(reorder(keys, to: [1, 0], moving: 1).keys.sorted() == [1])
        #expect(reorder(keys, to: [0, 1], moving: 1).isEmpty)
    }

    @Test func `between entries of one key the second moves as well`() {
        let keys: [OrderKey] = [1, 1, 1, 2]
        #expect(reorder(keys, to: [0, 3, 1, 2], moving: 3).keys.sorted() == [1, 2, 3])
        #expect(reorder([1, 1, 2, 3], to: [0, 1, 3, 2], moving: 3).keys.sorted() == [3])
    }

    @Test func `any order of many entries is reached, also with equal keys`() {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let keys = (0..<40).map { _ in OrderKey(number: Double(Int.random(in: 0..<30, using: &random))) }.sorted()
            reorder(keys, to: Array(keys.indices).shuffled(using: &random), seed: seed)
        }
    }

    @Test func `moves of two devices both hold`() {
        var keys: [OrderKey] = [1, 2, 3, 4, 5, 6]
        // One device moves the last to the front, the other the second to the end.
        let laptop = reorder(keys, to: [5, 0, 1, 2, 3, 4], seed: 2)
        let desktop = reorder(keys, to: [0, 2, 3, 4, 5, 1], seed: 3)
        for (index, key) in laptop.merging(desktop, uniquingKeysWith: { $1 }) { keys[index] = key }
        #expect(keys.indices.sorted { keys[$0] < keys[$1] } == [5, 0, 2, 3, 4, 1])
    }

    @Test func `a gap that was halved very often is opened anew, with short keys`() {
        // Each entry goes between the two that moved last.
        var order = Array(0..<100)
        var keys: [OrderKey] = order.map { OrderKey(number: Double($0)) }
        var hasNewKeys = false
        for step in 0..<1000 {
            let sorted = order.sorted { keys[$0] < keys[$1] }
            let place = 50
            let mover = sorted[step.isMultiple(of: 2) ? 99 : 0]
            var wanted = sorted.filter { $0 != mover }
            wanted.insert(mover, at: place)
            var random = SeededGenerator(seed: UInt64(step))
            let ranks = Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1, $0) })
            let new = Reordering.newKeys(
                for: sorted.map { keys[$0] }, in: wanted.map { ranks[$0] ?? 0 }, moving: ranks[mover], using: &random)
            hasNewKeys = hasNewKeys || new.count == 100
            for (rank, key) in new { keys[sorted[rank]] = key }
            #expect(order.sorted { keys[$0] < keys[$1] } == wanted)
            order = wanted
        }
        #expect(keys.allSatisfy { $0.text.utf8.count <= Reordering.longestNewKey })
        #expect(hasNewKeys)
    }
}
