import Catalog
import Documents
import Replication

extension Entry {
    /// Takes over what the container tells of a document's versions: the current one, its size, and how many are in conflict with it.
    mutating func setVersions(_ versions: VersionHistory?) {
        currentVersion = versions?.current.id
        conflicts = versions?.conflicts.count ?? 0
        size = versions?.current.size ?? 0
    }
}
