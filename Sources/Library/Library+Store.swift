import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// The store as a whole.
extension Library {
    /// Ends the use of the store cleanly. No call may be under way or follow.
    public func close() throws {
        try comparison.close()
    }

    /// Notes which documents' contents were changed in the store while no mount used it. Takes a while where there are many;
    /// whatever is about to take the place of a file looks at that itself.
    public func recordEditsInStore(until isOver: () -> Bool) {
        comparison.recordEditsInStore(until: isOver)
    }
}
