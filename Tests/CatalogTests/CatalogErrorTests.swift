@testable import Catalog
import GRDB
import Glibc
import Testing

/// What an error of SQLite means for the catalog.
struct CatalogErrorTests {
    @Test(arguments: [(EDQUOT, true), (EIO, false), (0, false)])
    func `a write that fails because of a quota is one that found no room`(cause: Int32, isFull: Bool) {
        let error = CatalogError(DatabaseError(resultCode: .SQLITE_IOERR_WRITE), cause: cause)
        if case .full = error { #expect(isFull) } else { #expect(!isFull) }
    }
}
