/// Why bytes are not a valid name (Semantics, "Two names").
public enum NameError: Error, Equatable, Sendable {
    /// Empty, `.`, `..`, or contains `/` or NUL (EINVAL).
    case invalid
    /// Not UTF-8 (EILSEQ).
    case notUTF8
    /// Over 255 bytes (ENAMETOOLONG).
    case tooLong
}

/// One component of a path: UTF-8, 1 to 255 bytes, without `/` and NUL, neither `.` nor `..`.
///
/// Compared byte for byte, unlike `String`, for which composed and decomposed "é" are equal.
public struct EntryName: Sendable, CustomStringConvertible {
    /// Bytes in the longest name, as on every Linux file system.
    public static let maximumLength = 255

    /// Valid UTF-8, as the bytes were.
    public let text: String

    /// - Throws: `NameError.invalid` or `.tooLong`.
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

    /// - Parameter bytes: as a system call passes them.
    /// - Throws: `NameError`.
    public init(bytes: some Collection<UInt8>) throws(NameError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        try self.init(text)
    }

    /// The name itself.
    public var description: String { text }

    /// Whether the name begins with a dot. The filename of such a document is the name that it was given.
    public var isHidden: Bool { text.utf8.first == UInt8(ascii: ".") }
}

extension EntryName: Hashable {
    /// Byte for byte, as file systems compare names.
    public static func == (left: Self, right: Self) -> Bool { left.text.isIdentical(to: right.text) }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension String {
    /// Whether both are equal byte for byte. For `==`, composed and decomposed characters are equal.
    public func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// The longest prefix of at most `length` bytes of UTF-8 that splits no character.
    public func prefix(bytes length: Int) -> String {
        guard utf8.count > length else { return self }
        var end = startIndex
        var total = 0
        for index in indices {
            let next = self.index(after: index)
            total += utf8.distance(from: index, to: next)
            if total > length { break }
            end = next
        }
        return String(self[..<end])
    }
}
