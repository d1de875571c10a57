import Testing

@testable import Browse

struct LiveTableTests {
    private func rows(_ ids: String...) -> [TableRow] {
        ids.map { TableRow(id: $0, kind: .document, depth: 1, name: $0) }
    }

    @Test func `a page that knows a revision is told what led to the next ones`() async throws {
        let table = LiveTable()
        table.publish(rows("a", "b"))
        table.publish(rows("b"))
        table.publish(rows("b", "c"))
        let update = try #require(await table.update(since: 1))
        #expect(update.revision == 3 && update.count == 2)
        #expect(update.changes?.map(\.removed) == [[0], []])
        #expect(update.changes?.map(\.inserted) == [[], [1]])
    }

    @Test func `a page that knows nothing, or too little, takes all rows anew`() async throws {
        let table = LiveTable()
        table.publish(rows("a"))
        #expect(await table.update(since: -1)?.changes == nil)
        for unknown in [7, .min, .max] { #expect(await table.update(since: unknown)?.changes == nil) }
        for number in 0..<100 { table.publish(rows("\(number)")) }
        let update = try #require(await table.update(since: 1))
        #expect(update.changes == nil && update.count == 1)
    }

    @Test func `a page waits until something changes, and what changes nothing is no revision`() async throws {
        let table = LiveTable()
        table.publish(status: ["undo": ""])
        table.publish(rows("a"))
        table.publish(rows("a"))
        table.publish(status: ["undo": ""])
        #expect(table.rows(from: 0, count: 1).update.revision == 2)
        // It waits for as long as nothing changes: only its end ends that.
        let waiting = Task { await table.update(since: 2) }
        waiting.cancel()
        #expect(await waiting.value?.revision == nil)
        async let update = table.update(since: 2)
        table.publish(status: ["undo": "Delete"])
        #expect(await update?.revision == 3)
        #expect(await update?.status == ["undo": "Delete"])
    }

    @Test func `rows that are touched are looked at again where they are`() async throws {
        let table = LiveTable()
        table.publish(rows("a", "b"))
        table.touch(["b", "nothing"])
        #expect(await table.update(since: 1)?.changes?.map(\.reloaded) == [[1]])
        table.touch(["nothing"])
        #expect(table.rows(from: 0, count: 10).update.revision == 2)
    }

    @Test func `what is put over a row goes to it, or to where it lies, shown or not`() {
        let table = LiveTable()
        table.publish([
            TableRow(id: "local", kind: .section, depth: 0, name: "local", isOpen: true),
            TableRow(id: "local/Work", kind: .folder, depth: 1, name: "Work"),
            TableRow(id: "local/a.txt", kind: .document, depth: 1, name: "a"),
            TableRow(id: "local/Hidden/b.txt", kind: .document, depth: 1, name: "b"),
            TableRow(forNewIn: "local", depth: 1),
        ])
        #expect(table.folder(over: "local") == "local" && table.folder(over: "local/Work") == "local/Work")
        #expect(
            table.folder(over: "local/a.txt") == "local" && table.folder(over: "local/Hidden/b.txt") == "local/Hidden")
        #expect(table.folder(over: "local/") == "local" && table.folder(over: "local/gone.txt") == nil)
    }

    @Test func `rows are asked for by pages, also beyond the ends`() {
        let table = LiveTable()
        table.publish(rows("a", "b", "c"))
        #expect(table.rows(from: 1, count: 1).rows.map(\.id) == ["b"])
        #expect(table.rows(from: 2, count: 100).rows.map(\.id) == ["c"])
        #expect(table.rows(from: 99, count: 1).rows.isEmpty)
        #expect(table.rows(from: -5, count: .max).rows.count == 3)
        #expect(table.rows(from: 0, count: -1).rows.isEmpty)
    }
}
