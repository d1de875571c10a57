import Catalog
import Documents
import Glibc
import Replication

/// By what a file is recognised as unchanged without being read: each write changes it, as fine as the kernel tells times.
struct FileLook: Equatable {
    /// Bytes.
    let size: Int64
    let modified: Timestamp

    init(_ status: stat) {
        size = Int64(status.st_size)
        modified = Timestamp(status.st_mtim)
    }

    /// What a row remembers of its file.
    init(_ entry: Entry) {
        size = entry.size
        modified = entry.modified
    }

    init(_ version: DocumentVersion) {
        size = version.size
        modified = version.modified
    }
}
