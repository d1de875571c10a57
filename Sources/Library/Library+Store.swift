import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// The store as a whole.
extension Library {
    /// Closes the store cleanly. No call may be under way or follow.
    ///
    /// - Throws: when the catalog cannot be written; the next start then reconciles the store.
    public func close() throws {
        preferredLocation.stop()
        evictions.recordOpenings(evenIfEarly: true)
        try comparison.close()
    }

    /// The path of an entry's file in the store, for the log. Nil if that cannot be found out.
    public func storePath(of inode: InodeNumber) -> String? {
        try? transactions.inspect { rows in
            try rows.entry(inode).map { try StorePath.text(of: $0, rows) }
        }
    }

    /// Records which documents were edited in the store while docfs did not run. That takes a while for many documents. A change that
    /// replaces a file in the meantime checks that file first.
    public func recordEditsInStore(until isOver: () -> Bool) {
        comparison.recordEditsInStore(until: isOver)
    }
}
