/// Who chose a document's display name (PRODUCT 2).
public enum Naming: String, Codable, Sendable {
    /// A person: by creating the document under it, by renaming or through the attribute.
    case given
    /// Nobody any more: the attribute was removed.
    case automatic
    /// Nobody yet: created as `Untitled` or `Untitled.EXT`, and still to be reached under that name.
    case untitled

    /// How a document starts that is created under `name`.
    public init(createdAs name: DocumentName) {
        self = name.displayName == Self.untitledName ? .untitled : .given
    }

    public static let untitledName = "Untitled"
}

/// The display name of a document that nobody has named.
public enum AutomaticName {
    /// Characters of a line that make a name, at the most.
    public static let maximumLength = 64

    /// How much of a text is looked at, in bytes.
    public static let examinedLength = 64 * 1024

    /// The first non-blank line of a text, or the filename's stem where there is no text.
    ///
    /// - Parameter content: the first bytes of the document, at most `examinedLength` of them count.
    public static func make(
        content: some Collection<UInt8>, filename: String, pathExtension: String
    ) -> DocumentName {
        let stem = DocumentName(splitting: stored(filename)).displayName
        let fallback = DocumentName(storedDisplayName: stem, pathExtension: pathExtension)
        guard let line = firstLine(of: Array(content.prefix(examinedLength))) else { return fallback }
        let room = EntryName.maximumLength - (pathExtension.isEmpty ? 0 : pathExtension.utf8.count + 1)
        // A slash cannot stand in a name; everything else of the line can.
        let shown = String(line.prefix(maximumLength)).replacing("/", with: "-").prefix(bytes: room)
        let name = trimmed(Substring(shown))
        return (try? DocumentName(displayName: String(name), pathExtension: pathExtension)) ?? fallback
    }

    private static func stored(_ filename: String) -> EntryName {
        (try? EntryName(filename)) ?? (try! EntryName(Naming.untitledName))
    }

    /// Nil for what is no text: nothing but white space, a NUL, or not UTF-8.
    private static func firstLine(of bytes: [UInt8]) -> Substring? {
        if bytes.contains(0) { return nil }
        let isLineEnd: (UInt8) -> Bool = { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        for line in bytes.split(whereSeparator: isLineEnd) {
            guard let text = String(validating: wholeCharacters(line), as: UTF8.self) else { return nil }
            let content = trimmed(Substring(text.trimmingByteOrderMark))
            if !content.isEmpty { return content }
        }
        return nil
    }

    /// A line that was cut off by `examinedLength` may end within a character.
    private static func wholeCharacters(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard line.count > maximumLength * 32 else { return line }
        let cut = line.prefix(maximumLength * 32)
        let start = cut.lastIndex { $0 & 0b1100_0000 != 0b1000_0000 } ?? cut.startIndex
        return cut[..<start]
    }

    private static func trimmed(_ text: Substring) -> Substring {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return text[first...last]
    }
}

extension String {
    fileprivate var trimmingByteOrderMark: String {
        unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
    }
}
