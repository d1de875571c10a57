import Catalog
import Documents
import Glibc

extension Fingerprint {
    /// The fingerprint of the file now.
    ///
    /// - Parameter status: of stat(2).
    package init(_ status: stat) { self.init(size: Int64(status.st_size), modified: Timestamp(status.st_mtim)) }
}
