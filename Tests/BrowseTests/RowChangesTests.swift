import TestSupport
import Testing

@testable import Browse

/// What a table view is told must be what happened to its rows.
struct RowChangesTests {
    private static func rows(_ ids: [String], state: String = "") -> [TableRow] {
        ids.map { TableRow(id: $0, kind: .document, depth: 1, name: $0, state: state) }
    }

    @Test func `what comes, goes and moves is told with its place`() {
        let changes = RowChanges(from: Self.rows(["a", "b", "c", "d"]), to: Self.rows(["d", "a", "e", "c"]))
        #expect(changes.removed == [1])
        #expect(changes.inserted == [2])
        #expect(changes.moved == [.init(from: 3, to: 0)])
        #expect(changes.reloaded.isEmpty)
    }

    @Test func `a row that says something else is reloaded where it is`() {
        let changes = RowChanges(from: Self.rows(["a", "b"]), to: Self.rows(["a"]) + Self.rows(["b"], state: "red"))
        #expect(changes.reloaded == [1])
        #expect(changes.removed.isEmpty && changes.inserted.isEmpty && changes.moved.isEmpty)
    }

    @Test func `nothing is told where nothing happened`() {
        #expect(RowChanges(from: Self.rows(["a", "b"]), to: Self.rows(["a", "b"])).isEmpty)
    }

    /// The classic fault of a table view: a number of rows that does not follow from what was inserted and removed.
    @Test(arguments: 0..<200)
    func `what is told makes the new rows of the old ones, and the numbers agree`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let all = (0..<40).map(String.init)
        let old = Array(all.shuffled(using: &random).prefix(Int.random(in: 0...30, using: &random)))
        var new = old.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
        for id in all where !old.contains(id) && Int.random(in: 0..<3, using: &random) == 0 {
            new.insert(id, at: Int.random(in: 0...new.count, using: &random))
        }
        if seed % 2 == 0, new.count > 1 { new.swapAt(0, new.count - 1) }
        if seed % 5 == 0 { new.shuffle(using: &random) }
        let changes = RowChanges(from: Self.rows(old), to: Self.rows(new))
        #expect(changes.apply(to: old) { new[$0] } == new)
        #expect(new.count == old.count - changes.removed.count + changes.inserted.count)
        // Only rows that are new are made; the others are the old ones, wherever they stand.
        let marked = changes.apply(to: old.map { "old \($0)" }) { "new \(new[$0])" }
        #expect(marked == new.map { old.contains($0) ? "old \($0)" : "new \($0)" })
    }
}

extension RowChanges {
    /// Does to any list what was done to the rows, as a page does.
    ///
    /// - Parameter insert: makes what stands at an index of the new list.
    fileprivate func apply<Element>(to list: [Element], inserting insert: (Int) -> Element) -> [Element] {
        var rest = list
        for index in (removed + moved.map(\.from)).sorted(by: >) { rest.remove(at: index) }
        let coming = inserted.map { ($0, nil as Int?) } + moved.map { ($0.to, $0.from) }
        for (index, origin) in coming.sorted(by: { $0.0 < $1.0 }) {
            rest.insert(origin.map { list[$0] } ?? insert(index), at: index)
        }
        return rest
    }
}
