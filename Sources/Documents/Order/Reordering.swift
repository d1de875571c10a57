/// The new keys that bring the entries of a folder into an order. Only those that must move get one: the others are as many as can keep
/// their position. So when two devices move different entries, both moves hold.
public enum Reordering {
    /// A longer new key means that the gap was halved very often: then all entries of the folder get new, short keys.
    static let longestNewKey = 256

    /// - Parameters:
    ///   - keys: the keys that the entries have, in the present order. Equal ones may follow each other.
    ///   - wanted: the wanted order, as indices of `keys`. Each occurs once.
    ///   - moving: an entry that is known to move; nil where only the wanted order is known.
    /// - Returns: the new keys of those that get one, by index of `keys`.
    public static func newKeys(
        for keys: [OrderKey], in wanted: [Int], moving: Int? = nil, using random: inout some RandomNumberGenerator
    ) -> [Int: OrderKey] {
        if wanted.elementsEqual(keys.indices) { return [:] }
        var kept = longestIncreasing(wanted.filter { $0 != moving })
        freeGaps(&kept, keys, wanted)
        var new: [Int: OrderKey] = [:]
        var lower: OrderKey?
        var moved: [Int] = []
        func fill(to upper: OrderKey?) {
            let between = OrderKey.between(lower, upper, count: moved.count, using: &random)
            for (index, key) in zip(moved, between) { new[index] = key }
            lower = upper
            moved = []
        }
        for index in wanted {
            if kept.contains(index) { fill(to: keys[index]) } else { moved.append(index) }
        }
        fill(to: nil)
        guard new.values.contains(where: { $0.text.utf8.count > longestNewKey }) else { return new }
        let fresh = OrderKey.between(nil, nil, count: wanted.count, using: &random)
        return Dictionary(uniqueKeysWithValues: zip(wanted, fresh))
    }

    /// There is no key between two equal ones. Where something moves between such entries, the second one moves as well.
    private static func freeGaps(_ kept: inout Set<Int>, _ keys: [OrderKey], _ wanted: [Int]) {
        var lower: OrderKey?
        var isGap = false
        for index in wanted {
            guard kept.contains(index) else {
                isGap = true
                continue
            }
            if isGap, let lower, lower >= keys[index] {
                kept.remove(index)
            } else {
                (lower, isGap) = (keys[index], false)
            }
        }
    }

    /// A longest subsequence in which each number is greater than the one before (patience sorting).
    private static func longestIncreasing(_ numbers: [Int]) -> Set<Int> {
        /// For each length the index of the smallest number with which a subsequence of that length ends.
        var ends: [Int] = []
        var before: [Int?] = []
        for (index, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            before.append(low > 0 ? ends[low - 1] : nil)
            if low < ends.count { ends[low] = index } else { ends.append(index) }
        }
        var found: Set<Int> = []
        var index = ends.last
        while let current = index {
            found.insert(numbers[current])
            index = before[current]
        }
        return found
    }
}
