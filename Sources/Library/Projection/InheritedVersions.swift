import Catalog
import Documents
import Replica
import Replication

/// Finds versions that passed from one document to another, among the entries that are projected together: a document was renamed over
/// another one, which keeps its version.
struct InheritedVersions {
    private let replica: CatalogReplica
    private let touched: [EntryID]
    /// The versions that passed to another document; nil until they are needed.
    private var versions: [VersionID: DocumentVersion]?

    init(_ replica: CatalogReplica, among touched: [EntryID]) {
        self.replica = replica
        self.touched = touched
    }

    /// The version that the file of `entry` holds, if it has just passed to another document.
    mutating func version(heldBy entry: Entry) throws -> DocumentVersion? {
        guard let id = entry.id, let held = entry.contentVersion,
            try replica.entry(id)?.versions?.contains(held) == false
        else { return nil }
        let known = try versions ?? inheritedVersions()
        versions = known
        return known[held].flatMap { $0.keeper == id ? $0 : nil }
    }

    private func inheritedVersions() throws -> [VersionID: DocumentVersion] {
        let versions = try touched.flatMap { try replica.entry($0)?.versions?.all ?? [] }
        return Dictionary(versions.filter { $0.keeper != nil }.map { ($0.id, $0) }) { first, _ in first }
    }
}
