import Testing

@testable import docfs

struct DocumentCompletionTests {
    private let entries = [
        FolderContent.Entry(name: "Trip", isFolder: true), FolderContent.Entry(name: "2026-a.txt", isFolder: false),
        FolderContent.Entry(name: "2026-b.txt", isFolder: false), FolderContent.Entry(name: ".hidden", isFolder: false),
        FolderContent.Entry(name: "2026-c.txt", isFolder: false),
    ]

    private let lines = [("2026-a.txt", "Plan"), ("2026-b.txt", "Plan"), ("2026-c.txt", "Table")].map {
        FolderStateLine(indicator: "green", state: "closed", transfer: "-", filename: $0.0, displayName: $0.1)
    }

    private func offers(_ begun: String, unresolved: Set<String> = []) -> [String] {
        DocumentCompletion.offers(entries, lines, begun: begun) { !unresolved.contains($0) }
    }

    @Test func `names are offered as people call documents`() {
        // The second document that bears a name is reached by its filename.
        #expect(offers("") == ["Trip/", "Plan.txt", "2026-b.txt", "Table.txt"])
        #expect(offers("T") == ["Trip/", "Table.txt"])
        #expect(offers(".") == [".hidden"])
        #expect(offers("x") == [])
    }

    @Test func `what a shell has read of a word is taken as the shell will understand it`() {
        let words = [
            ("Plan.txt", "Plan.txt"), (#"Packing\ l"#, "Packing l"), (#""Packing l"#, "Packing l"), ("'it is", "it is"),
            (#""a'b\"c"#, #"a'b"c"#), (#"'a'\''b"#, "a'b"), (#"a\"#, "a"), (#""a\b"#, #"a\b"#),
        ]
        for (typed, meant) in words { #expect(typed.unquotedWord == meant) }
    }

    @Test func `a document with a line feed in its name is offered by its filename`() {
        let line = FolderStateLine(
            indicator: "green", state: "closed", transfer: "-", filename: "2026-a.txt", displayName: "a\nb")
        #expect(DocumentCompletion.offers(entries, [line], begun: "a") { _ in true } == [])
        #expect(DocumentCompletion.offers(entries, [line], begun: "2026-a") { _ in true } == ["2026-a.txt"])
    }

    @Test func `a filename is offered to those who type it`() {
        #expect(offers("2026-b") == ["2026-b.txt"])
        // The display name has another extension than the filename: what cannot be opened is not offered.
        #expect(offers("Ta", unresolved: ["Table.txt"]) == [])
    }

    @Test(arguments: [
        ("docfs versions show Plan.txt 1", "Plan.txt"), ("docfs versions Plan.txt", "Plan.txt"),
        ("docfs versions restore --json Plan.txt", "Plan.txt"), ("docfs resolve --keep all Plan.txt", "Plan.txt"),
        ("docfs resolve Plan.txt --keep", "Plan.txt"), ("docfs versions show", nil), ("docfs", nil),
    ])
    func `versions are those of the document that stands on the line`(line: String, document: String?) {
        #expect(VersionCompletion.document(in: line.split(separator: " ").map(String.init)) == document)
    }
}
