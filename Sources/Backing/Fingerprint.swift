import Catalog
import Documents
import Glibc

/// Size and time of a file: unchanged as long as they are, without reading it. Each write changes them, as fine as the kernel
/// tells times.
package struct Fingerprint: Equatable {
    /// Bytes.
    package let size: Int64
    package let modified: Timestamp

    package init(size: Int64, modified: Timestamp) {
        self.size = size
        self.modified = modified
    }

    package init(_ status: stat) { self.init(size: Int64(status.st_size), modified: Timestamp(status.st_mtim)) }

    /// As a row remembers its file.
    package init(_ entry: Entry) { self.init(size: entry.size, modified: entry.modified) }
}
