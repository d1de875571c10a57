import Glibc

/// The name of an object: components joined by `/`, each 1 to 255 bytes of UTF-8 and neither `.` nor
/// `..`, so that a key can be a path below a folder and never lead out of it.
public struct ObjectKey: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// At least one.
    public let components: [String]

    /// - Returns: nil for components that make no key.
    public init?(_ components: [String]) {
        guard !components.isEmpty, components.allSatisfy(Self.isComponent) else { return nil }
        self.components = components
    }

    /// - Returns: nil for a text that is no key.
    public init?(_ text: String) {
        self.init(text.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
    }

    /// - Parameter components: known to make a key, as those that docfs itself chooses.
    package init(valid components: [String]) { self.components = components }

    /// The components, joined by `/`.
    public var description: String { components.joined(separator: "/") }

    /// The last component: a filename, where the object is a document's.
    public var last: String { components[components.count - 1] }

    /// Byte for byte, as stores compare keys.
    public static func == (left: Self, right: Self) -> Bool { compare(left, right) == 0 }

    public func hash(into hasher: inout Hasher) { withBytes { hasher.combine(bytes: $0) } }

    /// By bytes, as S3 lists.
    public static func < (left: Self, right: Self) -> Bool { compare(left, right) < 0 }

    /// As memcmp(3).
    private static func compare(_ left: Self, _ right: Self) -> Int {
        left.withBytes { left in
            right.withBytes { right in
                let order = Int(memcmp(left.baseAddress!, right.baseAddress!, min(left.count, right.count)))
                return order == 0 ? left.count - right.count : order
            }
        }
    }

    /// - Parameter body: gets at least one byte: a key is not empty.
    private func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        var text = description
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    private static func isComponent(_ text: String) -> Bool {
        let utf8 = text.utf8
        return !utf8.isEmpty && utf8.count <= 255 && !utf8.elementsEqual(".".utf8)
            && !utf8.elementsEqual("..".utf8) && !utf8.contains(0) && !utf8.contains(UInt8(ascii: "/"))
    }
}
