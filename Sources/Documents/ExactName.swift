/// A name that is compared byte for byte, as file systems do. For Swift's strings, composed and decomposed characters are equal.
public struct ExactName: Hashable, Sendable {
    /// As it was given.
    public let text: String

    public init(_ text: String) { self.text = text }

    /// Byte for byte.
    public static func == (first: Self, second: Self) -> Bool { first.text.isIdentical(to: second.text) }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
