import Catalog
import Backing
import Replication

extension Fingerprint {
    /// The fingerprint of the file that the version was made from.
    init(_ version: DocumentVersion) { self.init(size: version.size, modified: version.modified) }
}
