/// Which bytes of an object an answer holds, as its header says: `bytes 0-99/1000`, or `bytes 0-99/*`.
struct ContentRange: Equatable, Sendable {
    let bytes: Range<Int64>
    /// Of the whole object; nil where it is not told.
    let length: Int64?

    /// - Returns: nil for what is no such header.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last
        else { return nil }
        bytes = first..<(last + 1)
        guard halves[1] != "*" else {
            length = nil
            return
        }
        guard let length = Self.number(halves[1]), last < length else { return nil }
        self.length = length
    }

    /// Accepts digits only, and no number to which one cannot be added.
    private static func number(_ text: Substring) -> Int64? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int64(text).flatMap { $0 < .max ? $0 : nil }
    }
}
