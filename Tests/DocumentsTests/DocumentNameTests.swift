import Documents
import Testing

struct DocumentNameTests {
    @Test(arguments: [
        ("Groceries.txt", "Groceries", "txt"),
        ("archive.tar.gz", "archive.tar", "gz"),
        ("README", "README", ""),
        ("photo.JPG", "photo", "JPG"),
        ("日本.文書", "日本", "文書"),
        (" .txt", " ", "txt"),
        ("..x", ".", "x"),
        ("a.\tb", "a", "\tb"),
        ("a.\u{301}b", "a", "\u{301}b"),
    ])
    func `an extension is what follows the last dot`(text: String, displayName: String, pathExtension: String) throws {
        let name = DocumentName(splitting: try EntryName(text))
        #expect(bytes(name.displayName) == bytes(displayName))
        #expect(bytes(name.pathExtension) == bytes(pathExtension))
    }

    @Test(arguments: [("1234567890123456", true), ("12345678901234567", false)])
    func `an extension is at most 16 characters`(suffix: String, isExtension: Bool) throws {
        let name = DocumentName(splitting: try EntryName("a." + suffix))
        #expect(name.pathExtension == (isExtension ? suffix : ""))
        #expect(name.displayName == (isExtension ? "a" : "a." + suffix))
    }

    @Test(arguments: ["é", "文", "😀"])
    func `the characters of an extension are counted, not its bytes`(character: String) throws {
        let longest = String(repeating: character, count: 16)
        #expect(bytes(DocumentName(splitting: try EntryName("a." + longest)).pathExtension) == bytes(longest))
        #expect(DocumentName(splitting: try EntryName("a." + longest + "x")).pathExtension == "")
    }

    @Test(arguments: ["Mr. Smith", "v1.2 final", "a.b ", "a. b", "a. "])
    func `an extension is without a space`(text: String) throws {
        let name = DocumentName(splitting: try EntryName(text))
        #expect(name.displayName == text)
        #expect(name.pathExtension == "")
    }

    @Test(arguments: ["trailing.", "...", "a.."])
    func `an extension has at least one character`(text: String) throws {
        let name = DocumentName(splitting: try EntryName(text))
        #expect(name.displayName == text)
        #expect(name.pathExtension == "")
    }

    @Test(arguments: [(".bashrc", ".bashrc", ""), (".vimrc.txt", ".vimrc", "txt")])
    func `something precedes the dot`(text: String, displayName: String, pathExtension: String) throws {
        let name = DocumentName(splitting: try EntryName(text))
        #expect(name.displayName == displayName)
        #expect(name.pathExtension == pathExtension)
    }

    @Test(arguments: [
        "Groceries.txt", ".bashrc", "a.", "a.b c", "caf\u{e9}.txt", "cafe\u{301}.txt", "x.\u{301}", "a.tar.gz",
    ])
    func `display name and extension together are the name byte for byte`(text: String) throws {
        #expect(bytes(DocumentName(splitting: try EntryName(text)).full) == bytes(text))
    }

    @Test func `names are equal byte for byte`() throws {
        let composed = DocumentName(splitting: try EntryName("caf\u{e9}.txt"))
        let decomposed = DocumentName(splitting: try EntryName("cafe\u{301}.txt"))
        #expect(composed != decomposed)
        #expect(composed == DocumentName(storedDisplayName: "caf\u{e9}", pathExtension: "txt"))
        #expect(composed != DocumentName(storedDisplayName: "caf\u{e9}", pathExtension: "TXT"))
    }

    @Test func `a display name may hold a dot where the document has no extension`() throws {
        let name = try DocumentName(displayName: "Version 1.2", pathExtension: "")
        #expect(name.full == "Version 1.2")
        #expect(name != DocumentName(splitting: try EntryName("Version 1.2")))
    }

    @Test(arguments: [("", "txt"), ("", ""), ("a/b", "txt"), ("a\0b", "txt"), (".", ""), ("..", "")])
    func `a display name that cannot serve as a name is invalid`(displayName: String, pathExtension: String) {
        #expect(throws: NameError.invalid) {
            try DocumentName(displayName: displayName, pathExtension: pathExtension)
        }
    }

    @Test(arguments: ["x", "é"])
    func `a display name with its extension is at most 255 bytes`(character: String) throws {
        let room = 255 - ".txt".utf8.count
        let longest = String(repeating: character, count: room / character.utf8.count)
        #expect(try DocumentName(displayName: longest, pathExtension: "txt").full == longest + ".txt")
        #expect(throws: NameError.tooLong) {
            try DocumentName(displayName: longest + character, pathExtension: "txt")
        }
    }
}
