import Documents
import Testing

struct PercentEncodingTests {
    @Test(arguments: [
        ("a-b_c.d~9", "a-b_c.d~9"), (" ", "%20"), ("+%#?", "%2B%25%23%3F"), ("/", "%2F"), ("\n", "%0A"),
        ("é", "%C3%A9"), ("😀", "%F0%9F%98%80"), ("*'()!", "%2A%27%28%29%21"), ("", ""),
    ])
    func `all but unreserved bytes are encoded, and come back`(text: String, encoded: String) {
        #expect(PercentEncoding.encode(text) == encoded)
        #expect(PercentEncoding.decode(encoded) == text)
    }

    @Test func `a path keeps its slashes`() {
        #expect(PercentEncoding.encode(path: "a b/ü/c%2Fd") == "a%20b/%C3%BC/c%252Fd")
    }

    @Test(arguments: ["%", "%4", "a%zz", "%ff", "%C3", "%+1"])
    func `a text that is not encoded properly is refused`(text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }

    @Test func `a plus sign is a space only in listings`() {
        #expect(PercentEncoding.decode("a+b%2Bc", plusIsSpace: true) == "a b+c")
        #expect(PercentEncoding.decode("a+b%2Bc") == "a+b+c")
    }

    @Test func `every byte of a name survives`() {
        let text = String(decoding: (1...127).map { UInt8($0) }, as: UTF8.self) + "\u{301}\u{10FFFF}"
        #expect(PercentEncoding.decode(PercentEncoding.encode(text)).map { Array($0.utf8) } == Array(text.utf8))
    }
}
