import Documents
import Testing

/// The text of `.order`.
struct OrderTextTests {
    @Test func `there is one name a line, and a line feed in a name is written as a code`() {
        #expect(OrderText.text(["a.txt", "two\nlines", "cr\r\nlf"]) == "a.txt\ntwo\\012lines\ncr\r\\012lf\n")
        #expect(OrderText.unescape("two\\012lines") == "two\nlines")
        #expect(OrderText.unescape("a.txt") == nil)
    }

    @Test func `empty lines mean nothing, and the last line needs no line feed`() throws {
        let read = try #require(OrderText.lines(of: Array("b\n\na".utf8)))
        #expect(read.lines == ["b", "a"])
        #expect(read.isWhole)
    }

    @Test func `a text that ends where a program may have ended a piece of it is not whole`() throws {
        let read = try #require(OrderText.lines(of: Array(("a\n" + String(repeating: "b", count: 1022)).utf8)))
        #expect(read.lines == ["a"])
        #expect(!read.isWhole)
        let ended = try #require(OrderText.lines(of: Array((String(repeating: "b", count: 1023) + "\n").utf8)))
        #expect(ended.isWhole && ended.lines.count == 1)
    }

    @Test func `bytes that are not UTF-8 are no names`() {
        #expect(OrderText.lines(of: [0xff, 0x0a]) == nil)
    }
}
