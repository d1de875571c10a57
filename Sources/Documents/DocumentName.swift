/// The name of a document that belongs to the person: display name and extension (Semantics, "Display names").
///
/// The extension follows the last dot. It has 1 to 16 characters and no space, and the part before the dot is not empty;
/// otherwise the name has no extension. Joined, both parts are the whole name, byte for byte.
public struct DocumentName: Sendable, Equatable {
    /// Not empty. The name without its extension and the dot before it.
    public let displayName: String
    /// Without the dot; empty when there is none.
    public let pathExtension: String

    /// Characters (Unicode scalars).
    public static let longestExtension = 16

    /// Splits a whole name.
    public init(splitting name: EntryName) {
        let text = name.text
        guard let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")), dot != text.startIndex else {
            self.init(displayName: text, unchecked: "")
            return
        }
        let suffix = text[text.utf8.index(after: dot)...]
        if Self.isExtension(suffix) {
            self.init(displayName: String(text[..<dot]), unchecked: String(suffix))
        } else {
            self.init(displayName: text, unchecked: "")
        }
    }

    /// Joins a new display name and an existing extension.
    ///
    /// - Throws: `NameError` if the whole name is not valid, or the display name is empty.
    public init(displayName: String, pathExtension: String) throws(NameError) {
        if displayName.isEmpty { throw .invalid }
        self.init(displayName: displayName, unchecked: pathExtension)
        _ = try EntryName(full)
    }

    private init(displayName: String, unchecked pathExtension: String) {
        self.displayName = displayName
        self.pathExtension = pathExtension
    }

    /// A name that was validated before it was stored.
    public init(storedDisplayName: String, pathExtension: String) {
        self.init(displayName: storedDisplayName, unchecked: pathExtension)
    }

    /// Display name and extension, as a person types it.
    public var full: String {
        pathExtension.isEmpty ? displayName : displayName + "." + pathExtension
    }

    /// Byte for byte, as file systems compare names.
    public static func == (left: Self, right: Self) -> Bool {
        left.displayName.isIdentical(to: right.displayName)
            && left.pathExtension.isIdentical(to: right.pathExtension)
    }

    static func isExtension(_ text: Substring) -> Bool {
        let utf8 = text.utf8
        if utf8.isEmpty || utf8.contains(UInt8(ascii: " ")) { return false }
        return utf8.count <= longestExtension
            || (utf8.count <= longestExtension * 4 && text.unicodeScalars.count <= longestExtension)
    }
}
