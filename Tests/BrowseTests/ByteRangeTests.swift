import Testing

@testable import Browse

struct ByteRangeTests {
    @Test(arguments: [
        (nil, ByteRange.all), ("bytes=0-9", .part(0..<10)), ("bytes=90-", .part(90..<100)),
        ("bytes=-10", .part(90..<100)), ("bytes=-500", .part(0..<100)), ("bytes=50-500", .part(50..<100)),
        ("bytes=100-", .none), ("bytes=-0", .none), ("bytes=9-1", .all), ("bytes=a-b", .all), ("bytes=", .all),
        ("bytes=0-1,4-5", .all), ("lines=0-1", .all), ("bytes=99999999999999999999-", .all), ("bytes=--1", .all),
    ])
    func `one range of bytes is understood, and anything else means the whole`(header: String?, range: ByteRange) {
        #expect(ByteRange(header: header, size: 100) == range)
    }
}
