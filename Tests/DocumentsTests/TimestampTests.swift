import Documents
import Foundation
import Testing

struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"),
        (1, "1970-01-01T00:00:01Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (951_868_800, "2000-03-01T00:00:00Z"),
        (1_709_251_199, "2024-02-29T23:59:59Z"),
        (1_704_067_199, "2023-12-31T23:59:59Z"),
        (1_795_234_353, "2026-11-21T04:12:33Z"),
        (4_107_542_399, "2100-02-28T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
        (9_223_372_036, "2262-04-11T23:47:16Z"),
    ])
    func `a time is ISO 8601 in UTC`(seconds: Int, expected: String) {
        #expect(Timestamp(seconds: seconds, nanoseconds: 0).iso8601 == expected)
        #expect(Timestamp(seconds: seconds, nanoseconds: 854_775_807).iso8601 == expected)
    }

    @Test(arguments: [
        (-1, "1969-12-31T23:59:59Z"),
        (-86_400, "1969-12-31T00:00:00Z"),
        (-86_401, "1969-12-30T23:59:59Z"),
        (-58_017_600, "1968-02-29T12:00:00Z"),
        (-2_203_891_201, "1900-02-28T23:59:59Z"),
        (-2_203_891_200, "1900-03-01T00:00:00Z"),
        (-8_520_336_000, "1700-01-01T00:00:00Z"),
        (-9_223_372_036, "1677-09-21T00:12:44Z"),
    ])
    func `a time before 1970 is ISO 8601 too`(seconds: Int, expected: String) {
        #expect(Timestamp(seconds: seconds, nanoseconds: 0).iso8601 == expected)
    }

    @Test func `a fraction of a second is rounded down, before 1970 too`() {
        #expect(Timestamp(nanoseconds: 999_999_999).iso8601 == "1970-01-01T00:00:00Z")
        #expect(Timestamp(nanoseconds: -1).iso8601 == "1969-12-31T23:59:59Z")
        #expect(Timestamp(nanoseconds: -1_000_000_000).iso8601 == "1969-12-31T23:59:59Z")
        #expect(Timestamp(nanoseconds: -1_000_000_001).iso8601 == "1969-12-31T23:59:58Z")
    }

    // `touch -d 1600-01-01` saturates to the first of these; a commit can hold either.
    @Test func `the first and the last time there is can be written`() async {
        await #expect(processExitsWith: .success) {
            #expect(Timestamp(nanoseconds: .min).iso8601 == "1677-09-21T00:12:43Z")
            #expect(Timestamp(nanoseconds: .min).seconds == -9_223_372_037)
            #expect(Timestamp(nanoseconds: .max).iso8601 == "2262-04-11T23:47:16Z")
        }
    }

    @Test(
        arguments: [
            (0, 0, 0), (1_500_000_000, 1, 500_000_000), (-1, -1, 999_999_999), (-1_000_000_000, -1, 0),
            (-1_500_000_000, -2, 500_000_000), (.max, 9_223_372_036, 854_775_807),
        ] as [(Int64, Int, Int)])
    func `a time is whole seconds and what is left`(nanoseconds: Int64, seconds: Int, part: Int) {
        let time = Timestamp(nanoseconds: nanoseconds)
        #expect(time.seconds == seconds)
        #expect(time.nanosecondsPart == part)
        #expect(Timestamp(seconds: seconds, nanoseconds: part) == time)
    }

    @Test func `a time outside what can be counted is the nearest that can`() {
        #expect(Timestamp(seconds: .max, nanoseconds: 0).nanoseconds == .max)
        #expect(Timestamp(seconds: 9_223_372_036, nanoseconds: 999_999_999).nanoseconds == .max)
        #expect(Timestamp(seconds: .min, nanoseconds: 999_999_999).nanoseconds == .min)
        #expect(Timestamp(seconds: -11_676_096_000, nanoseconds: 0).nanoseconds == .min)
    }

    @Test func `the earlier time is the lesser`() {
        #expect(Timestamp(nanoseconds: -2) < Timestamp(nanoseconds: -1))
        #expect(Timestamp(nanoseconds: -1) < Timestamp(nanoseconds: 0))
        #expect(!(Timestamp(nanoseconds: 1) < Timestamp(nanoseconds: 1)))
    }

    @Test(arguments: [0, 1, -1, .max, .min] as [Int64])
    func `a time is stored as its nanoseconds`(nanoseconds: Int64) throws {
        let encoded = try JSONEncoder().encode([Timestamp(nanoseconds: nanoseconds)])
        #expect(String(decoding: encoded, as: UTF8.self) == "[\(nanoseconds)]")
        #expect(try JSONDecoder().decode([Timestamp].self, from: encoded) == [Timestamp(nanoseconds: nanoseconds)])
    }

    @Test(arguments: [Duration.seconds(-90), .seconds(90), .milliseconds(-1500), .zero])
    func `a time can be shifted`(duration: Duration) {
        let time = Timestamp(seconds: 1_000, nanoseconds: 250_000_000)
        let expected =
            time.nanoseconds + duration.components.seconds * 1_000_000_000 + duration.components.attoseconds
            / 1_000_000_000
        #expect(time + duration - time == duration)
        #expect((time + duration).nanoseconds == expected)
    }

    @Test func `a time that is shifted beyond what can be told stays at the end, and a difference is exact`() {
        let (first, last) = (Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max))
        #expect(last + .nanoseconds(1) == last)
        #expect(first + .nanoseconds(-1) == first)
        #expect(first + .seconds(Int64.min) == first)
        #expect(last + .seconds(Int64.max) == last)
        #expect(last - first == .nanoseconds(Int64.max) + .nanoseconds(Int64.max) + .nanoseconds(1))
        #expect(first - last < .zero)
    }
}
