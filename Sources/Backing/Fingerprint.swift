import Catalog
import Documents
import Glibc

/// Size and modification time of a file. While they stay the same the content counts as unchanged, and need not be read. Two writes within
/// one tick of the kernel's clock may give the same fingerprint.
package struct Fingerprint: Equatable {
    /// Bytes.
    package let size: Int64
    /// Time of modification (st_mtime).
    package let modified: Timestamp

    package init(size: Int64, modified: Timestamp) {
        self.size = size
        self.modified = modified
    }

    /// The fingerprint of the file now.
    ///
    /// - Parameter status: of stat(2).
    package init(_ status: stat) { self.init(size: Int64(status.st_size), modified: Timestamp(status.st_mtim)) }

    /// The fingerprint of the file as its row has it.
    package init(_ entry: Entry) { self.init(size: entry.size, modified: entry.modified) }
}
