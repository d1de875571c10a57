import Catalog
import Documents
import FoundationEssentials
import Replication

/// A content that an entry is to get from a version of the container which is not its own: the entry was a placeholder, and has another identity
/// now, or none. The version is named whole, since the document that it belongs to may be saved or deleted meanwhile.
struct AwaitedContent: Codable {
    let document: EntryID
    let version: DocumentVersion
}

extension Entry {
    /// - Throws: an error if the row says something else.
    func awaitedContent() throws -> AwaitedContent? {
        try awaited.map { try JSONDecoder().decode(AwaitedContent.self, from: Data($0)) }
    }

    /// From now on the entry waits for this content.
    mutating func wait(for content: AwaitedContent) throws {
        awaited = Array(try JSONEncoder().encode(content))
        isHere = false
        evidence = nil
        currentVersion = nil
        contentVersion = nil
        conflicts = 0
    }
}
