/// A name as file systems compare it, byte for byte: Swift's own strings are equal when they look alike.
public struct ExactName: Hashable, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }

    public static func == (first: Self, second: Self) -> Bool { first.text.isIdentical(to: second.text) }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
