import Documents
import Testing

struct EntryNameTests {
    @Test(arguments: ["a", " ", "...", "..a", "a\nb", "日本", "-rf", "#", "\u{301}", String(repeating: "x", count: 255)])
    func `a name is 1 to 255 bytes without a slash`(text: String) throws {
        #expect(bytes(try EntryName(text).text) == bytes(text))
    }

    @Test(arguments: ["", ".", "..", "/", "a/b", "/a", "a/", "a\0b", "\0", "/\u{301}"])
    func `a name that no file can have is invalid`(text: String) {
        #expect(throws: NameError.invalid) { try EntryName(text) }
    }

    @Test(arguments: [String(repeating: "x", count: 256), String(repeating: "é", count: 128)])
    func `a name over 255 bytes is too long`(text: String) {
        #expect(throws: NameError.tooLong) { try EntryName(text) }
    }

    @Test(
        arguments: [
            [0xff], [0x61, 0x80], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are no name`(given: [UInt8]) {
        #expect(throws: NameError.notUTF8) { try EntryName(bytes: given) }
    }

    @Test func `a name keeps its bytes`() throws {
        let decomposed = bytes("Cafe\u{301}.txt")
        #expect(bytes(try EntryName(bytes: decomposed).text) == decomposed)
    }

    @Test func `names are equal byte for byte`() throws {
        let composed = try EntryName("caf\u{e9}")
        let decomposed = try EntryName("cafe\u{301}")
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(composed == (try EntryName(bytes: bytes("caf\u{e9}"))))
        #expect(try EntryName("a") != EntryName("A"))
    }

    @Test(arguments: [(".bashrc", true), ("...", true), ("bashrc.", false), ("a.b", false)])
    func `a name is hidden when it starts with a dot`(text: String, isHidden: Bool) throws {
        #expect(try EntryName(text).isHidden == isHidden)
    }

    @Test(arguments: [
        ("hello", 5, "hello"), ("hello", 4, "hell"), ("hello", 0, ""), ("héllo", 2, "h"), ("héllo", 3, "hé"),
        ("e\u{301}x", 2, ""), ("e\u{301}x", 3, "e\u{301}"), ("👨‍👩‍👧x", 17, ""), ("👨‍👩‍👧x", 18, "👨‍👩‍👧"), ("", 3, ""),
    ])
    func `a prefix of so many bytes splits no character`(text: String, length: Int, expected: String) {
        #expect(bytes(text.prefix(bytes: length)) == bytes(expected))
    }
}
