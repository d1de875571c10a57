import TestSupport

/// One content that a program saved: it says which one it is, from which one it was made, and whether it is whole.
struct Save: Hashable, Sendable {
    /// Unique in a run: `Laptop-12`.
    let token: String
    /// The token that the program had read before; nil for a new document.
    let base: String?
    let length: Int

    private var header: String { "\(token) from \(base ?? "nothing") with \(length)\n" }

    var content: [UInt8] { Array(header.utf8) + Self.filling(token, length) }

    /// - Returns: nil for a content that is not whole.
    static func parse(_ content: [UInt8]) -> Save? {
        guard let end = content.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = String(decoding: content[..<end], as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 5, words[1] == "from", words[3] == "with", let length = Int(words[4]) else { return nil }
        let save = Save(token: words[0], base: words[2] == "nothing" ? nil : words[2], length: length)
        return content[(end + 1)...].elementsEqual(filling(save.token, length)) ? save : nil
    }

    /// Bytes that no other save has in this place.
    private static func filling(_ token: String, _ length: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: token.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length + 8)
        while bytes.count < length { withUnsafeBytes(of: generator.next()) { bytes += $0 } }
        return Array(bytes.prefix(length))
    }
}
