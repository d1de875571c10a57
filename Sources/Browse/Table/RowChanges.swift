/// How the rows of a table became others, as a table view is told of it: some are removed, the rest keep their order but for those that are
/// moved, and some are inserted.
///
/// The new number of rows is the old one without the removed and with the inserted ones, whatever happens: there is no other way to make
/// such a value than to compare two lists of rows (`RowChangesTests`).
package struct RowChanges: Sendable, Equatable, Encodable {
    package struct Move: Sendable, Equatable, Encodable {
        /// In the old rows.
        package let from: Int
        /// In the new rows.
        package let to: Int
    }

    /// Indices in the old rows, ascending.
    package let removed: [Int]
    /// Indices in the new rows, ascending.
    package let inserted: [Int]
    /// Ascending by where they are now.
    package let moved: [Move]
    /// Indices in the new rows, of rows that say something else now.
    package let reloaded: [Int]

    package var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && reloaded.isEmpty }

    package var count: Int { removed.count + inserted.count + moved.count + reloaded.count }

    /// - Parameters:
    ///   - old: rows of which no two have one id.
    ///   - new: rows of which no two have one id.
    package init(from old: [TableRow], to new: [TableRow]) {
        let oldIndex = Dictionary(old.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let present = Set(new.map(\.id))
        removed = old.indices.filter { !present.contains(old[$0].id) }
        let origins = new.map { oldIndex[$0.id] }
        inserted = new.indices.filter { origins[$0] == nil }
        let kept = new.indices.filter { origins[$0] != nil }
        let staying = Self.longestIncreasing(kept.map { origins[$0] ?? 0 })
        var moved: [Move] = []
        for (order, index) in kept.enumerated() where !staying.contains(order) {
            moved.append(Move(from: origins[index] ?? 0, to: index))
        }
        self.moved = moved
        reloaded = kept.filter { new[$0] != old[origins[$0] ?? 0] }
    }

    /// The indices of a longest subsequence of ascending numbers: the rows that need not move. O(n log n).
    private static func longestIncreasing(_ numbers: [Int]) -> Set<Int> {
        // For each length, the index of the smallest number that ends such a subsequence.
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: numbers.count)
        for index in numbers.indices {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < numbers[index] { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var found: Set<Int> = []
        var index = ends.last ?? -1
        while index >= 0 {
            found.insert(index)
            index = before[index]
        }
        return found
    }
}
