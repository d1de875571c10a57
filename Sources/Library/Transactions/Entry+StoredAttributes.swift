import Catalog
import Documents

/// The extended attributes that are kept with an entry.
extension Entry {
    /// All of them together, in bytes, as they are stored: more would not fit into a commit.
    private static let mostAttributes = 512 * 1024

    func storedAttributes() throws -> ExtendedAttributes {
        try attributes.map { try ExtendedAttributes(json: $0) } ?? ExtendedAttributes()
    }

    mutating func setStoredAttributes(_ stored: ExtendedAttributes) throws { attributes = try stored.json() }

    /// - Throws: ENOSPC where they are too large together.
    func requireSmallAttributes() throws(Refusal) {
        if let attributes, attributes.count > Self.mostAttributes { throw .attributesTooLarge }
    }
}
