import Documents
import TestSupport
import Testing

struct EvictionRuleTests {
    private static func held(_ key: Int, opened: Int, bytes: Int64, stays: Bool = false) -> HeldContent<Int> {
        HeldContent(key, lastOpened: Timestamp(seconds: opened, nanoseconds: 0), bytes: bytes, stays: stays)
    }

    private static func evicted(_ held: [HeldContent<Int>], toFree excess: Int64) -> [Int] {
        EvictionRule.evicted(from: held, toFree: excess).map(\.key)
    }

    @Test func `what was opened longest ago goes first, and no more goes than must`() {
        let held = [
            Self.held(1, opened: 30, bytes: 10), Self.held(2, opened: 10, bytes: 10),
            Self.held(3, opened: 20, bytes: 10),
        ]
        #expect(Self.evicted(held, toFree: 1) == [2])
        #expect(Self.evicted(held, toFree: 10) == [2])
        #expect(Self.evicted(held, toFree: 11) == [2, 3])
        #expect(Self.evicted(held, toFree: 30) == [2, 3, 1])
    }

    @Test func `nothing goes where there is room`() {
        let held = [Self.held(1, opened: 30, bytes: 10)]
        #expect(Self.evicted(held, toFree: 0) == [])
        #expect(Self.evicted(held, toFree: -5) == [])
    }

    @Test func `what stays is passed over, and so is what takes no room`() {
        let held = [
            Self.held(1, opened: 10, bytes: 10, stays: true), Self.held(2, opened: 20, bytes: 0),
            Self.held(3, opened: 30, bytes: 10),
        ]
        #expect(Self.evicted(held, toFree: 10) == [3])
        #expect(Self.evicted(held, toFree: 100) == [3])
    }

    @Test func `of two that were opened at the same time the larger goes`() {
        let held = [Self.held(1, opened: 10, bytes: 10), Self.held(2, opened: 10, bytes: 20)]
        #expect(Self.evicted(held, toFree: 10) == [2])
    }

    @Test(arguments: 1...200) func `whatever is held, enough goes or all that may, and none that was opened later`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        let held = (0..<Int.random(in: 0..<30, using: &random)).map {
            Self.held(
                $0, opened: .random(in: 0..<10, using: &random), bytes: .random(in: 0..<100, using: &random),
                stays: .random(using: &random))
        }
        let excess = Int64.random(in: -10..<1500, using: &random)
        let gone = EvictionRule.evicted(from: held, toFree: excess)
        let rest = held.filter { one in one.bytes > 0 && !one.stays && !gone.contains { $0.key == one.key } }
        let freed = gone.reduce(0) { $0 + $1.bytes }
        #expect(freed >= excess || rest.isEmpty)
        #expect(gone.allSatisfy { !$0.stays })
        if let last = gone.last {
            #expect(freed - last.bytes < excess)
            #expect(rest.allSatisfy { $0.lastOpened >= last.lastOpened })
        }
    }
}

struct ContentFactsTests {
    @Test func `a document that is whole in the cloud, closed and not kept may go`() {
        #expect(ContentFacts().reasonToStay == nil)
    }

    /// Facts that leave one reason.
    private static func facts(with reason: StayReason) -> ContentFacts {
        var facts = ContentFacts()
        switch reason {
        case .local: facts.isLocal = true
        case .kept: facts.isKept = true
        case .open: facts.isOpen = true
        case .unsent: facts.isUnsent = true
        case .notInContainer: facts.isInContainer = false
        case .owned: facts.isOwnedByOther = true
        case .cloudUnreachable: facts.isCloudReachable = false
        }
        return facts
    }

    @Test(arguments: StayReason.allCases) func `each reason keeps it here, and says so in one line`(
        reason: StayReason
    ) {
        #expect(Self.facts(with: reason).reasonToStay == reason)
        #expect(!reason.text.isEmpty && !reason.text.contains("\n"))
    }
}

struct ByteCountTests {
    @Test(
        arguments: [
            ("1", 1), ("4096", 4096), ("10B", 10), ("1K", 1024), ("500M", 500 << 20), ("1G", 1 << 30), ("1g", 1 << 30),
            ("1GiB", 1 << 30), ("1GB", 1 << 30), ("1.5K", 1536), ("2T", 2 << 40),
        ] as [(String, Int64)]) func `a size is a number with a unit of 1024`(text: String, bytes: Int64)
    {
        #expect(ByteCount(text)?.bytes == bytes)
    }

    @Test(arguments: ["", "0", "G", "-1", "1X", "1 G", "1iB", "one", "1e9", "0.1", "inf", "99999999T", "5ß", "5ŉ"])
    func `anything else is no size`(text: String) {
        #expect(ByteCount(text) == nil)
    }
}
