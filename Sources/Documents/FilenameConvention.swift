/// A date and a time of day in the machine's time zone.
public struct LocalTime: Sendable, Equatable {
    /// The month and the day count from 1, the hour from 0 to 23.
    public let year, month, day, hour, minute, second: Int

    public init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// `2026-11-21`
    var date: String {
        var date = ""
        date.append(year, width: 4)
        date += "-"
        date.append(month, width: 2)
        date += "-"
        date.append(day, width: 2)
        return date
    }

    /// `041233`, or with `separator` between hours, minutes and seconds.
    func clock(separator: String) -> String {
        var clock = ""
        clock.append(hour, width: 2)
        clock += separator
        clock.append(minute, width: 2)
        clock += separator
        clock.append(second, width: 2)
        return clock
    }
}

/// How filenames are generated (`--filenames`; Semantics, "Filenames").
public enum FilenameConvention: String, CaseIterable, Codable, Sendable {
    /// `2026-11-21-041233-7f3a.txt`
    case timestamp
    /// `1b4e28ba-2fa1-11d2-883f-b9a761bde3fb.txt`
    case uuid
    /// `Notes 1.txt`. A prefix replaces `Notes`.
    case sequential

    /// The word of a sequential filename if there is no prefix.
    public static let defaultSequentialPrefix = "Notes"
}

/// Generates filenames from the time, random numbers and the next free number, which the caller passes in.
public struct FilenameGenerator: Sendable {
    /// `--filenames`
    public let convention: FilenameConvention
    /// Every generated filename begins with it; may be empty.
    public let prefix: String

    /// - Parameter prefix: empty for none.
    /// - Throws: `NameError` if the prefix cannot begin a filename, or has more than 128 bytes.
    public init(convention: FilenameConvention, prefix: String) throws(NameError) {
        if !prefix.isEmpty {
            _ = try EntryName(prefix)
            // Leaves room for the longest stem, a dot and an extension.
            if prefix.utf8.count > 128 { throw .tooLong }
        }
        self.convention = convention
        self.prefix = prefix
    }

    /// - Parameters:
    ///   - pathExtension: without the dot, from the name under which the document was created.
    ///   - number: the next free number, from 1 on. Only the sequential convention uses it.
    public func makeFilename(
        pathExtension: String, time: LocalTime, number: Int, random: inout some RandomNumberGenerator
    ) -> String {
        let stem =
            switch convention {
            case .timestamp: prefix + Self.timestampStem(time, random: &random)
            case .uuid: prefix + EntryID.random(using: &random).description
            case .sequential: sequentialPrefix + String(number)
            }
        return pathExtension.isEmpty ? stem : stem + "." + pathExtension
    }

    /// Whether `name` looks like a generated filename. Then a file of this name probably comes from a backup of a listing. Stems that
    /// end with a timestamp or a UUID always count; stems that end with a number only if this generator counts, with its prefix.
    public func couldHaveMade(_ name: DocumentName) -> Bool {
        let stem = name.displayName
        if Self.endsWithTimestamp(stem) || Self.endsWithUUID(stem) { return true }
        guard convention == .sequential, stem.utf8.starts(with: sequentialPrefix.utf8) else { return false }
        let number = stem.utf8.dropFirst(sequentialPrefix.utf8.count)
        return !number.isEmpty && number.count <= 18 && number.allSatisfy(Self.isDigit)
            && number.first != UInt8(ascii: "0")
    }

    /// `1b4e28ba-2fa1-11d2-883f-b9a761bde3fb`
    private static func endsWithUUID(_ stem: String) -> Bool {
        guard stem.utf8.count >= 36, stem.utf8.suffix(13).first == UInt8(ascii: "-") else { return false }
        return EntryID(String(decoding: stem.utf8.suffix(36), as: UTF8.self)) != nil
    }

    /// `2026-11-21-041233-7f3a`
    private static func endsWithTimestamp(_ stem: String) -> Bool {
        guard stem.utf8.count >= 22, stem.utf8.suffix(5).first == UInt8(ascii: "-") else { return false }
        let parts = stem.utf8.suffix(22).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2, 6, 4] else { return false }
        return parts.dropLast().allSatisfy { $0.allSatisfy(isDigit) }
            && parts[4].allSatisfy { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private var sequentialPrefix: String {
        let words = prefix.isEmpty ? FilenameConvention.defaultSequentialPrefix : prefix
        return words.last.map { $0.isLetter || $0.isNumber } == true ? words + " " : words
    }

    private static func timestampStem(
        _ time: LocalTime, random: inout some RandomNumberGenerator
    ) -> String {
        var stem = time.date
        stem += "-"
        stem += time.clock(separator: "")
        stem += "-"
        stem.append(Int(UInt16.random(in: 0...UInt16.max, using: &random)), width: 4, radix: 16)
        return stem
    }
}

extension String {
    /// Appends the digits of a number that is not negative, with leading zeros up to `width`. String(format:) would be slower,
    /// and each new document needs several.
    fileprivate mutating func append(_ number: Int, width: Int, radix: Int = 10) {
        var (weight, digits) = (1, 1)
        while digits < width || number / weight >= radix { (weight, digits) = (weight * radix, digits + 1) }
        while weight > 0 {
            unicodeScalars.append(Unicode.Scalar(Self.digits[number / weight % radix]))
            weight /= radix
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)
}

extension Int {
    /// Decimal digits with leading zeros up to `width`.
    func padded(_ width: Int) -> String {
        var digits = ""
        digits.append(self, width: width)
        return digits
    }
}
