import ObjectStore
import Testing

struct ObjectKeyTests {
    @Test(arguments: [
        "a", "log/0000000000000042", "documents/id/version/Groceries.txt", "a/.b/...", "a b/ü", "\\",
        String(repeating: "x", count: 255) + "/y", "a/\n",
    ])
    func `a key is components joined by slashes`(text: String) throws {
        let key = try #require(ObjectKey(text))
        #expect(Array(key.description.utf8) == Array(text.utf8))
        #expect(key.components.count == text.utf8.count { $0 == UInt8(ascii: "/") } + 1)
        #expect(ObjectKey(key.components) == key)
    }

    @Test(arguments: [
        "", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a/../b", "a\0b", "a/\0",
        String(repeating: "x", count: 256), String(repeating: "é", count: 128), "a/\u{301}b",
    ])
    func `a text that could lead out of a folder or has no path is no key`(text: String) {
        #expect(ObjectKey(text) == nil)
    }

    @Test(
        arguments: [
            [], [""], ["a", ""], [".."], ["a", ".."], ["."], ["a/b"], ["/"], ["a/../../b"], ["a\0"], ["/\u{301}"],
        ] as [[String]])
    func `a component is no path of its own`(components: [String]) {
        #expect(ObjectKey(components) == nil)
    }

    @Test func `the last component is the filename`() {
        #expect(ObjectKey.path("documents/id/version/Groceries.txt").last == "Groceries.txt")
        #expect(ObjectKey.path("a").last == "a")
    }

    @Test func `keys are equal byte for byte`() {
        let composed = ObjectKey.path("a/caf\u{e9}")
        let decomposed = ObjectKey.path("a/cafe\u{301}")
        #expect(composed.description == decomposed.description)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, .path("a/caf\u{e9}")]).count == 2)
    }

    @Test func `keys are in the order of their bytes, as S3 lists`() {
        let keys = ["A", "a", "a-b", "a/b", "a/b/c", "a0", "b", "cafe\u{301}", "caf\u{e9}"].map(ObjectKey.path)
        #expect(keys.reversed().sorted() == keys)
    }
}
