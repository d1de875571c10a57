/// One part of an `OrderKey`: a whole number, and a tag that tells the same number by two devices apart.
struct OrderPart: Equatable {
    let number: Int64
    /// Below `tags`.
    let tag: Int

    /// No folder has as many entries. Numbers beyond it count as this one.
    static let greatest = 9_007_199_254_740_992.0

    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let base = digits.count
    private static let tagLength = 3
    private static let tags = base * base * base
    private static let mostDigits = 9

    init(_ number: Int64, tag: Int) {
        let greatest = Int64(Self.greatest)
        self.number = min(max(number, -greatest), greatest)
        self.tag = tag
    }

    static func tag(using random: inout some RandomNumberGenerator) -> Int { Int.random(in: 0..<tags, using: &random) }

    // MARK: Text

    /// Appends the letter, the digits and the tag. `a` to `i` stand before 1 to 9 digits of a number that is not negative. `Z` down to `R`
    /// stand before those of a negative one, whose digits are those of `-1 - number`, each subtracted from 61.
    func append(to bytes: inout [UInt8]) {
        let isNegative = number < 0
        var rest = Int(isNegative ? -1 - number : number)
        var reversed: [Int] = []
        repeat {
            reversed.append(isNegative ? Self.base - 1 - rest % Self.base : rest % Self.base)
            rest /= Self.base
        } while rest > 0
        let count = UInt8(reversed.count - 1)
        bytes.append(isNegative ? UInt8(ascii: "Z") - count : UInt8(ascii: "a") + count)
        for digit in reversed.reversed() { bytes.append(Self.digits[digit]) }
        for power in [Self.base * Self.base, Self.base, 1] { bytes.append(Self.digits[tag / power % Self.base]) }
    }

    /// Reads a part and removes it from the text.
    ///
    /// - Returns: nil where no part begins, also for a number with more digits than it needs.
    init?(removingFrom text: inout Substring.UTF8View) {
        guard let letter = text.popFirst(), let (isNegative, count) = Self.sign(letter) else { return nil }
        var value = 0
        for index in 0..<count {
            guard let byte = text.popFirst(), let read = Self.value(of: byte) else { return nil }
            let digit = isNegative ? Self.base - 1 - read : read
            if index == 0, digit == 0, count > 1 { return nil }
            value = value * Self.base + digit
        }
        var tag = 0
        for _ in 0..<Self.tagLength {
            guard let byte = text.popFirst(), let digit = Self.value(of: byte) else { return nil }
            tag = tag * Self.base + digit
        }
        guard value <= Int(Self.greatest) else { return nil }
        self.init(isNegative ? -1 - Int64(value) : Int64(value), tag: tag)
    }

    private static func sign(_ letter: UInt8) -> (isNegative: Bool, digits: Int)? {
        switch letter {
        case UInt8(ascii: "a")..<UInt8(ascii: "a") + UInt8(mostDigits): (false, Int(letter - UInt8(ascii: "a")) + 1)
        case UInt8(ascii: "Z") - UInt8(mostDigits) + 1...UInt8(ascii: "Z"): (true, Int(UInt8(ascii: "Z") - letter) + 1)
        default: nil
        }
    }

    private static func value(of digit: UInt8) -> Int? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit - UInt8(ascii: "a")) + 36
        default: nil
        }
    }
}
