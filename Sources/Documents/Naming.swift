/// How a document got its display name (Semantics, "Two names").
public enum Naming: String, Codable, Sendable {
    /// A person: when creating or renaming the document, or by setting the attribute.
    case given
    /// docfs (`AutomaticName`), since a person removed the attribute.
    case automatic
    /// docfs (`AutomaticName`), since the document was created as `Untitled` or `Untitled.EXT`. That name also still resolves.
    case untitled

    /// For a document that is created under `name`.
    public init(createdAs name: DocumentName) {
        self = name.displayName == Self.untitledName ? .untitled : .given
    }

    /// The display name by which a program asks for an automatic one (Semantics, "Automatic names").
    public static let untitledName = "Untitled"

    /// `Untitled.EXT`, by which an untitled document is found besides its names; nil for others.
    public func alias(extension pathExtension: String) -> DocumentName? {
        self == .untitled ? DocumentName(storedDisplayName: Self.untitledName, pathExtension: pathExtension) : nil
    }
}

/// Makes the display name of a document that no person has named.
public enum AutomaticName {
    /// Characters of the line that are used at most.
    public static let maximumLength = 64

    /// Bytes of the text that are read at most.
    public static let examinedLength = 64 * 1024

    /// Returns the first line that is not blank, or the filename's stem if the content is not text.
    ///
    /// - Parameter content: the beginning of the document; bytes beyond `examinedLength` are ignored.
    public static func make(
        content: some Collection<UInt8>, filename: String, pathExtension: String
    ) -> DocumentName {
        // `try?`: a filename that is no valid name gives no stem.
        let stem = (try? EntryName(filename)).map { DocumentName(splitting: $0).displayName } ?? Naming.untitledName
        let fallback = DocumentName(storedDisplayName: stem, pathExtension: pathExtension)
        guard let line = firstLine(of: Array(content.prefix(examinedLength))) else { return fallback }
        let room = EntryName.maximumLength - (pathExtension.isEmpty ? 0 : pathExtension.utf8.count + 1)
        // `try?`: a line that is no valid name, such as `..`, is not used. The slash alone is replaced.
        let shown = String(line.prefix(maximumLength)).replacing("/", with: "-").prefix(bytes: room)
        let name = try? DocumentName(displayName: String(trimmed(Substring(shown))), pathExtension: pathExtension)
        // A document called `.state` would hide the folder's.
        guard let name, !VirtualName.isReserved(name.full) else { return fallback }
        return name
    }

    /// Nil if the bytes are not text (they contain NUL or are not UTF-8), or only white space.
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

    /// Shortens a long line without splitting a character.
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
