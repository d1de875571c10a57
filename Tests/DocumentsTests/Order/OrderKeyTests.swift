@testable import Documents
import Testing
import TestSupport

/// The keys of the entries of a folder.
struct OrderKeyTests {
    private func inserted(_ count: Int, seed: UInt64, place: (inout SeededGenerator, Int) -> Int) -> [OrderKey] {
        var random = SeededGenerator(seed: seed)
        var keys: [OrderKey] = []
        for _ in 0..<count {
            let index = place(&random, keys.count)
            let lower = index > 0 ? keys[index - 1] : nil
            let upper = index < keys.count ? keys[index] : nil
            keys.insert(.between(lower, upper, using: &random), at: index)
        }
        return keys
    }

    private func expectOrdered(_ keys: [OrderKey], longest: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }, sourceLocation: sourceLocation)
        #expect(keys.allSatisfy { OrderKey($0.text) == $0 }, sourceLocation: sourceLocation)
        let found = keys.map(\.text.utf8.count).max() ?? 0
        #expect(found <= longest, sourceLocation: sourceLocation)
    }

    @Test func `10,000 entries that are added at the end have keys of 7 bytes at most`() {
        expectOrdered(inserted(10_000, seed: 1) { $1 }, longest: 7)
    }

    @Test func `10,000 entries that are added at the front have keys of 7 bytes at most`() {
        expectOrdered(inserted(10_000, seed: 2) { _, _ in 0 }, longest: 7)
    }

    @Test func `10,000 entries that are added after the first, or before the last, have short keys`() {
        expectOrdered(inserted(10_000, seed: 3) { min(1, $1) }, longest: 14)
        expectOrdered(inserted(10_000, seed: 4) { max(0, $1 - 1) }, longest: 14)
    }

    @Test func `10,000 entries that are added anywhere have keys of moderate length`() {
        let keys = inserted(10_000, seed: 5) { Int.random(in: 0...$1, using: &$0) }
        expectOrdered(keys, longest: 200)
        #expect(keys.map(\.text.utf8.count).reduce(0, +) / keys.count < 80)
    }

    @Test func `many keys between two are in order`() {
        var random = SeededGenerator(seed: 6)
        let two: [OrderKey] = [1, 2]
        let ends: [(OrderKey?, OrderKey?)] = [(nil, nil), (two[0], nil), (nil, two[1]), (two[0], two[1])]
        for (lower, upper) in ends {
            let keys = OrderKey.between(lower, upper, count: 1000, using: &random)
            expectOrdered([lower].compactMap { $0 } + keys + [upper].compactMap { $0 }, longest: 12)
        }
        #expect(OrderKey.between(nil, nil, count: 0, using: &random).isEmpty)
    }

    @Test func `two devices choose different keys for the same gap, and others fit between them`() {
        var (laptop, desktop) = (SeededGenerator(seed: 7), SeededGenerator(seed: 8))
        let ends: [(OrderKey?, OrderKey?)] = [(nil, nil), (1, nil), (nil, 1), (1, 2), (1, 10)]
        for (lower, upper) in ends {
            let both = [
                OrderKey.between(lower, upper, using: &laptop), OrderKey.between(lower, upper, using: &desktop),
            ].sorted()
            expectOrdered([both[0], .between(both[0], both[1], using: &laptop), both[1]], longest: 16)
        }
    }

    @Test func `a smaller number has a smaller key`() {
        let numbers: [Double] = [
            -.greatestFiniteMagnitude, -1e15, -3844.5, -3844, -63, -62, -61.5, -1, -0.25, 0, 0.1, 0.5, 0.75, 1, 1.25, 2,
            61,
            62, 63, 3843, 3844, 238_328, 1e9, 1e15, .greatestFiniteMagnitude,
        ]
        expectOrdered(numbers.map(OrderKey.init(number:)), longest: 22)
        #expect(OrderKey(number: 0) == .zero)
        #expect(OrderKey(number: 5).text == "a5000")
        #expect(OrderKey(number: -1).text == "Zz000")
    }

    @Test(arguments: ["", "a", "a5", "a500", "a500!", "b05000", "Yz5000", "z5000", "NaN", "a5000a", "a5 00", "a5é0"])
    func `a text that is no key is refused`(text: String) {
        #expect(OrderKey(text) == nil)
    }

    @Test func `keys at the greatest number a container may have do no harm`() {
        var random = SeededGenerator(seed: 9)
        let last = OrderKey(number: .greatestFiniteMagnitude)
        let first = OrderKey(number: -.greatestFiniteMagnitude)
        for key in [
            OrderKey.after(last, using: &random), .between(nil, first, using: &random),
            .between(last, last, using: &random),
        ] { #expect(OrderKey(key.text) == key) }
    }

    /// Only a container that somebody else writes to has such a key: its number is less than the least one, as which it counts.
    @Test func `another key fits after two whose numbers count as the same`() throws {
        func text(_ value: Int64) -> String {
            let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
            var (rest, reversed) = (value, [Character]())
            while rest > 0 {
                reversed.append(digits[61 - Int(rest % 62)])
                rest /= 62
            }
            return "R" + String(reversed.reversed()) + "000"
        }
        let least = Int64(OrderPart.greatest)
        let lower = try #require(OrderKey(text(least)))
        let upper = try #require(OrderKey(text(least - 1)))
        #expect(lower < upper)
        var random = SeededGenerator(seed: 9)
        #expect(OrderKey.between(lower, upper, using: &random) > lower)
        #expect(OrderKey.between(OrderKey(text(least) + "a0000"), upper, using: &random) > lower)
    }
}
