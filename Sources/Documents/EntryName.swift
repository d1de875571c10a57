/// Why bytes cannot serve as a name (PRODUCT 2, 10).
public enum NameError: Error, Equatable, Sendable {
    /// Empty, `.`, `..`, or with a `/` or NUL in it (EINVAL).
    case invalid
    /// Not UTF-8 (EILSEQ).
    case notUTF8
    /// Over 255 bytes (ENAMETOOLONG).
    case tooLong
}

/// One component of a path: UTF-8, 1 to 255 bytes, without `/` and NUL, neither `.` nor `..`.
///
/// Equality is byte for byte, unlike that of `String`, which takes "é" composed and decomposed for one.
public struct EntryName: Sendable, CustomStringConvertible {
    /// Bytes in the longest name, as on every Linux file system.
    public static let maximumLength = 255

    public let text: String

    public init(_ text: String) throws(NameError) {
        let utf8 = text.utf8
        if utf8.count > Self.maximumLength { throw .tooLong }
        if utf8.isEmpty || utf8.elementsEqual(".".utf8) || utf8.elementsEqual("..".utf8)
            || utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
        {
            throw .invalid
        }
        self.text = text
    }

    public init(bytes: some Collection<UInt8>) throws(NameError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        try self.init(text)
    }

    public var description: String { text }

    /// Dotfiles and what lies in dot folders keep the name they were given as their filename.
    public var isHidden: Bool { text.utf8.first == UInt8(ascii: ".") }
}

extension EntryName: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.text.isIdentical(to: right.text) }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension String {
    /// Equal byte for byte. `==` would take different spellings of one character for equal.
    public func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// The longest prefix that is at most `length` bytes of UTF-8 and splits no character.
    public func prefix(bytes length: Int) -> String {
        guard utf8.count > length else { return self }
        var end = startIndex
        var taken = 0
        for index in indices {
            let next = self.index(after: index)
            taken += utf8.distance(from: index, to: next)
            if taken > length { break }
            end = next
        }
        return String(self[..<end])
    }
}
