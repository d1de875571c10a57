/// What a person is told of one document beside its row. What does not apply is left out.
package struct DocumentFacts: Sendable, Encodable {
    /// A content that the document has, had, or could have.
    package struct Version: Sendable, Encodable {
        /// How a page names it; nil for the current one.
        package var reference: VersionReference?
        package var name: String
        /// Who made it, as far as it is known.
        package var device: String?
        /// Whether that is this device.
        package var isOwn: Bool
        /// Bytes.
        package var size: Int64
        /// Seconds since 1970.
        package var modified: Int
        package var preview: Preview.Kind

        package init(
            reference: VersionReference?, name: String, device: String?, isOwn: Bool, size: Int64, modified: Int
        ) {
            self.reference = reference
            self.name = name
            self.device = device
            self.isOwn = isOwn
            self.size = size
            self.modified = modified
            preview = Preview(ofName: name).kind
        }
    }

    /// An extended attribute that a person or a program gave it.
    package struct Attribute: Sendable, Encodable {
        package let name: String
        /// Nil for bytes that are no text.
        package let text: String?
        /// Bytes.
        package let size: Int

        package init(name: String, value: [UInt8]) {
            self.name = name
            text = String(validating: value, as: UTF8.self)
            size = value.count
        }
    }

    package var current: Version
    package var conflicts: [Version] = []
    /// What it was before, the latest first.
    package var versions: [Version] = []
    /// The last failure, and what happens next.
    package var error: String?
    /// Where it is on disk.
    package var path: String
    package var attributes: [Attribute] = []

    package init(current: Version, path: String) {
        self.current = current
        self.path = path
    }
}

/// Another version of a document, as a page names it: `conflicts/NAME` or `versions/NAME`. Its file lies in the folder of that name beside the
/// document.
package struct VersionReference: Sendable, Equatable, Encodable {
    package enum Kind: String, Sendable { case conflicts, versions }

    package let kind: Kind
    package let name: String

    package init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    /// - Returns: nil for a text that names no file in those folders.
    package init?(_ text: String) {
        guard let slash = text.firstIndex(of: "/"), let kind = Kind(rawValue: String(text[..<slash])) else {
            return nil
        }
        let name = text[text.index(after: slash)...]
        guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else { return nil }
        self.init(kind, String(name))
    }

    package var text: String { "\(kind.rawValue)/\(name)" }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
