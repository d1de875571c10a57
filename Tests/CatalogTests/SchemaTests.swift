@testable import Catalog
import GRDB
import TestSupport
import Testing

/// Stores that another docfs made.
struct SchemaTests {
    private static func edit(_ path: String, _ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write(body)
        try queue.close()
    }

    @Test func `a catalog that came to the first released schema by the steps before it opens with all that is in it`()
        throws
    {
        try withTemporaryFolder { folder throws in
            let path = folder + "/catalog"
            let first = try Catalog(path: path)
            let inode = try first.write { try $0.insert(.folder("a")) }
            try first.close()
            try Self.edit(path) { db throws in
                for number in 1...6 {
                    try db.execute(sql: "INSERT INTO grdb_migrations VALUES(?)", arguments: ["\(number): earlier"])
                }
            }
            let catalog = try Catalog(path: path)
            #expect(try catalog.read { try $0.entry(inode) }?.filename == "a")
            try catalog.close()
        }
    }

    @Test func `a catalog from before the first released schema is refused, and left as it is`() throws {
        try withTemporaryFolder { folder throws in
            let path = folder + "/catalog"
            try Catalog(path: path).close()
            try Self.edit(path) { try $0.execute(sql: "UPDATE grdb_migrations SET identifier='6: earlier'") }
            #expect(throws: CatalogError.self) { try Catalog(path: path) }
            try Self.edit(path) { db throws in
                #expect(try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations") == ["6: earlier"])
                #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM entries") == 4)
            }
        }
    }
}
