import Testing

@testable import Browse

/// Where dragged rows go.
struct DropTargetTests {
    private static let rows = [
        TableRow(id: "local", kind: .section, depth: 0, name: "local", isOpen: true),
        TableRow(id: "local/Work", kind: .folder, depth: 1, name: "Work", isOpen: true),
        TableRow(id: "local/Work/1.txt", kind: .document, depth: 2, name: "Inner"),
        TableRow(forNewIn: "local/Work", depth: 2),
        TableRow(id: "local/2.txt", kind: .document, depth: 1, name: "Plan"),
        TableRow(forNewIn: "local", depth: 1),
        TableRow(id: "cloud", kind: .section, depth: 0, name: "cloud", isOpen: true),
        TableRow(id: "cloud/3.txt", kind: .document, depth: 1, name: "Film"),
    ]

    private func drop(_ ids: String..., over id: String, _ edge: DropTarget.Edge = .on) -> DropTarget {
        DropTarget(of: ids, over: id, edge, in: Self.rows)
    }

    @Test func `over a document they go beside it, in its folder or section`() {
        #expect(drop("local/2.txt", over: "cloud/3.txt", .before) == .beside("cloud/3.txt", .before))
        #expect(drop("cloud/3.txt", over: "local/Work/1.txt", .after) == .beside("local/Work/1.txt", .after))
        #expect(drop("cloud/3.txt", over: "local/2.txt", .on) == .beside("local/2.txt", .before))
        #expect(drop("local/2.txt", over: "local/2.txt", .after) == .nowhere)
    }

    @Test(arguments: [DropTarget.Edge.before, .on, .after])
    func `a folder takes them in, wherever on its row they are dropped`(edge: DropTarget.Edge) {
        #expect(drop("local/2.txt", over: "local/Work", edge) == .into("local/Work"))
    }

    @Test func `beyond the ends of a section means its end`() {
        #expect(drop("local/2.txt", over: "cloud") == .into("cloud"))
        #expect(drop("cloud/3.txt", over: "cloud", .before) == .into("local"))
        #expect(drop("cloud/3.txt", over: "local", .before) == .into("local"))
        #expect(drop("cloud/3.txt", over: "local/", .before) == .into("local"))
        #expect(drop("cloud/3.txt", over: "local/Work/", .before) == .into("local/Work"))
    }

    @Test func `a folder goes neither into itself nor into what is in it, and a section stays`() {
        #expect(drop("local/Work", over: "local/Work") == .refused("a folder does not go into itself"))
        #expect(drop("local/Work", over: "local/Work/", .before) == .refused("a folder does not go into itself"))
        #expect(drop("local/Work", over: "local/Work/1.txt") == .refused("a folder does not go into itself"))
        #expect(drop("local", over: "cloud") == .refused("a section keeps its place"))
        #expect(drop("local/2.txt", over: "gone") == .refused("that is no longer in the table"))
        #expect(drop("local/Work", over: "cloud/3.txt", .before) == .beside("cloud/3.txt", .before))
    }

    @Test func `what lies in a chosen folder goes with it`() {
        let ids = ["local/Work/1.txt", "local/Work", "local/Works", "cloud/Work/1.txt", "local/Work/Inner/2.txt"]
        #expect(TableRow.outermost(ids) == ["local/Work", "local/Works", "cloud/Work/1.txt"])
        #expect(TableRow.outermost([]) == [])
    }
}
