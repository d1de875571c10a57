import Documents
import Testing

struct AutomaticNameTests {
    private static let stem = "2026-11-21-041233-7f3a"

    private func displayName(_ content: [UInt8], pathExtension: String = "txt") -> String {
        let filename = pathExtension.isEmpty ? Self.stem : Self.stem + "." + pathExtension
        let name = AutomaticName.make(content: content, filename: filename, pathExtension: pathExtension)
        #expect(name.pathExtension == pathExtension)
        return name.displayName
    }

    @Test(arguments: [
        ("Hello\nWorld\n", "Hello"),
        ("Hello", "Hello"),
        ("\n\n  \t \n  Hi there \t\nmore", "Hi there"),
        ("\r\n\r\nTitle\r\nText\r\n", "Title"),
        ("Old Mac\rsecond", "Old Mac"),
        ("\u{FEFF}Title\n", "Title"),
        ("\u{FEFF}\nTitle\n", "Title"),
        ("\u{a0}\u{2003}\nTitle", "Title"),
        ("# Heading\n", "# Heading"),
        ("日本語のメモ\n二行目", "日本語のメモ"),
        ("v1.2 of the plan\n", "v1.2 of the plan"),
    ])
    func `an automatic display name is the first non-blank line, trimmed`(content: String, expected: String) {
        #expect(bytes(displayName(bytes(content))) == bytes(expected))
    }

    @Test(
        arguments: [
            [], bytes("\n\r\n \t\n"), bytes("\u{FEFF}\n"), [0x89, 0x50, 0x4e, 0x47], bytes("PK\u{3}\u{4}\0\0"),
            bytes("Text, and then\n\0"), [0xff, 0xfe, 0x41, 0x00], [0x63, 0x61, 0x66, 0xe9, 0x0a],
        ] as [[UInt8]])
    func `where there is no text it is the filename's stem`(content: [UInt8]) {
        #expect(displayName(content) == Self.stem)
        #expect(displayName(content, pathExtension: "") == Self.stem)
    }

    @Test(arguments: [".state", ".order", ".undo", ".redo", ".location"])
    func `a name of docfs's own is not used`(name: String) {
        #expect(displayName(bytes(name + "\nmore"), pathExtension: "") == Self.stem)
        #expect(displayName(bytes(name)) == name)
    }

    @Test(arguments: ["x", "é", "e\u{301}"])
    func `an automatic display name is at most 64 characters`(character: String) {
        let longest = String(repeating: character, count: 64)
        #expect(bytes(displayName(bytes(longest))) == bytes(longest))
        #expect(bytes(displayName(bytes(longest + character + "\n"))) == bytes(longest))
    }

    @Test func `a name that was cut is trimmed again`() {
        let words = String(repeating: "x", count: 60) + "    end"
        #expect(displayName(bytes(words)) == String(repeating: "x", count: 60))
    }

    @Test func `an automatic display name is short enough to serve with the extension`() throws {
        let family = "👨‍👩‍👧"
        let name = displayName(bytes(String(repeating: family, count: 64)))
        #expect(throws: Never.self) { try DocumentName(displayName: name, pathExtension: "txt") }
        #expect(!name.isEmpty)
        #expect(name.allSatisfy { String($0) == family })
    }

    @Test func `a slash of the line becomes a dash`() {
        #expect(displayName(bytes("Budget 2026/27\n")) == "Budget 2026-27")
    }

    @Test(arguments: [".", ".."])
    func `a line that is not a valid name is not used`(line: String) {
        #expect(displayName(bytes(line), pathExtension: "") == Self.stem)
    }

    @Test func `a line longer than the examined part is cut between characters`() {
        let line = "x" + String(repeating: "é", count: AutomaticName.examinedLength)
        #expect(displayName(bytes(line)) == "x" + String(repeating: "é", count: 63))
    }

    @Test func `only the beginning of a document is looked at`() {
        let blank = [UInt8](repeating: 0x0a, count: AutomaticName.examinedLength)
        #expect(displayName(blank + bytes("Title")) == Self.stem)
        #expect(displayName(blank.dropLast(5) + bytes("Title\0")) == "Title")
    }

    @Test(arguments: [
        ("Untitled", Naming.untitled), ("Untitled.txt", .untitled), ("untitled.txt", .given),
        ("Untitled 2.txt", .given),
        ("Groceries.txt", .given), ("Untitled.tar.gz", .given),
    ])
    func `only a document created as Untitled has not been named by anyone`(name: String, naming: Naming) throws {
        #expect(Naming(createdAs: DocumentName(splitting: try EntryName(name))) == naming)
    }
}
