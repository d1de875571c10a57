import Documents
import Testing

@testable import ObjectStore

struct HTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
        ("Thu, 29 Feb 2024 23:59:59 GMT", "2024-02-29T23:59:59Z"),
        ("Fri, 31 Dec 2049 12:00:00 GMT", "2049-12-31T12:00:00Z"),
    ])
    func `a date header is a time`(text: String, time: String) {
        #expect(Timestamp(httpDate: text)?.iso8601 == time)
    }

    @Test(arguments: [
        "", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
    ])
    func `anything else is none`(text: String) {
        #expect(Timestamp(httpDate: text) == nil)
    }

    @Test func `a signature's time has no punctuation`() {
        #expect(Timestamp(seconds: 1_440_938_160, nanoseconds: 999_999_999).basicISO8601 == "20150830T123600Z")
    }
}
