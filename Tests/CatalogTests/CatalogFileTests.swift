@testable import Catalog
import Documents
import Foundation
import GRDB
import Testing
import TestSupport

/// The catalog as a file: made, opened again, locked.
struct CatalogFileTests {
    @Test func `what was written moves into the database when nothing is written for a while`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            let catalog = try Catalog(path: path)
            func size() throws -> Int {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                return try #require(attributes[.size] as? Int)
            }
            for number in 0..<600 {
                try catalog.write { _ = try $0.insert(.folder("folder \(number)")) }
            }
            let before = try size()
            try catalog.checkpointIfQuiet()
            #expect(try size() == before, "something was written just before")
            try catalog.checkpointIfQuiet()
            #expect(try size() > before)
            try catalog.close()
        }
    }

    @Test func `a fresh catalog has the tree`() throws {
        try withCatalog { catalog in
            try catalog.read { rows in
                let root = try #require(try rows.entry(.root))
                #expect(root.kind == .folder)
                #expect(root.location == nil)
                #expect(try rows.children(of: .root).map(\.filename) == ["Documents"])
                #expect(try rows.children(of: .root).map(\.inode) == [.documents])
                let containers = try rows.children(of: .documents)
                #expect(containers.map(\.filename) == ["local", "cloud"])
                #expect(containers.map(\.inode) == [.local, .cloud])
                #expect(containers.map(\.location) == [.local, .cloud])
                #expect(containers.allSatisfy { $0.kind == .folder && $0.mode == 0o755 && $0.pending.isEmpty })
                #expect(containers.map(\.id) == [nil, .cloudRoot])
                #expect(try rows.descendants(of: .documents).allSatisfy { $0.inode <= .cloud })
                #expect(try rows.pendingCount() == 0)
            }
        }
    }

    @Test func `written rows are there when the catalog is opened again`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            let first = try Catalog(path: path)
            let inode = try first.write { transaction in
                try transaction.set(.deviceName, "laptop")
                return try transaction.insert(.document("Groceries.txt", filename: "a.txt"))
            }
            try first.close()
            let second = try Catalog(path: path)
            try second.read { rows throws in
                #expect(try rows.setting(.deviceName) == "laptop")
                #expect(try rows.document(in: .local, fullName: "Groceries.txt")?.inode == inode)
                #expect(try rows.children(of: .documents).count == 2)
            }
            try second.close()
        }
    }

    @Test func `synchronized rows are in the files even if the process ends there`() throws {
        try withTemporaryFolder { folder in
            let catalog = try Catalog(path: folder + "/catalog")
            try catalog.write { try $0.set(.deviceName, "laptop") }
            try catalog.synchronize()
            // A killed process leaves the database and its log as they are now.
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: folder + "/catalog" + suffix, toPath: folder + "/copy" + suffix)
            }
            let copy = try Catalog(path: folder + "/copy")
            #expect(try copy.read { try $0.setting(.deviceName) } == "laptop")
            try copy.close()
            try catalog.close()
        }
    }

    @Test func `only the owner may read a new catalog and its log`() throws {
        try withTemporaryFolder { folder in
            let catalog = try Catalog(path: folder + "/catalog")
            try catalog.write { try $0.set(.deviceName, "laptop") }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(names == ["catalog", "catalog-wal"])
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
            try catalog.close()
        }
    }

    @Test func `a catalog that was only opened can be synchronized`() throws {
        try withTemporaryFolder { folder in
            try Catalog(path: folder + "/catalog").close()
            let catalog = try Catalog(path: folder + "/catalog")
            #expect(throws: Never.self) { try catalog.synchronize() }
            try catalog.close()
        }
    }

    @Test func `another process can neither read nor write a catalog in use`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            func ask() throws -> String {
                let sqlite = Process()
                sqlite.executableURL = URL(filePath: "/usr/bin/sqlite3")
                sqlite.arguments = [path, "SELECT count(*) FROM entries"]
                let output = Pipe()
                (sqlite.standardOutput, sqlite.standardError) = (output, output)
                try sqlite.run()
                let text = try output.fileHandleForReading.readToEnd() ?? Data()
                sqlite.waitUntilExit()
                return String(decoding: text, as: UTF8.self)
            }
            let catalog = try Catalog(path: path)
            #expect(try ask().contains("locked"))
            try catalog.write { try $0.set(.deviceName, "laptop") }
            // Also when its log was copied by a connection of its own.
            #expect(try #require(try catalog.log.copy()).copied > 0)
            #expect(try ask().contains("locked"))
            try catalog.close()
            #expect(try Int(ask().trimmingCharacters(in: .whitespacesAndNewlines)) != nil)
        }
    }

    @Test func `a catalog in use cannot be opened a second time`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            let first = try Catalog(path: path)
            for name in ["catalog", "./catalog"] {
                #expect(throws: CatalogError.self) { try Catalog(path: folder + "/" + name) }
            }
            try first.write { try $0.set(.deviceName, "laptop") }
            try first.close()
            let second = try Catalog(path: path)
            #expect(try second.read { try $0.setting(.deviceName) } == "laptop")
            try second.abandon()
            try Catalog(path: path).close()
        }
    }

    /// A byte in the description of a table: SQLite takes it for another column.
    @Test func `a catalog whose tables have other columns than they should is damaged`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            try Catalog(path: path).close()
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        PRAGMA writable_schema=1;
                        UPDATE sqlite_schema SET sql=replace(sql, 'currentVersion', 'currentVersioo') WHERE name='entries';
                        """)
            }
            try queue.close()
            let catalog = try Catalog(path: path)
            #expect {
                _ = try catalog.read { try $0.entry(InodeNumber(7)) }
            } throws: { error in
                if case CatalogError.damaged = error { true } else { false }
            }
            try catalog.close()
        }
    }

    @Test func `a catalog in a folder that is not there cannot be opened`() throws {
        try withTemporaryFolder { folder in
            #expect(throws: (any Error).self) { try Catalog(path: folder + "/missing/catalog") }
        }
    }

    @Test func `a file that is no catalog is refused and left as it is`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            let text = Data(String(repeating: "This is a letter to a friend. ", count: 100).utf8)
            try text.write(to: URL(fileURLWithPath: path))
            #expect(throws: (any Error).self) { try Catalog(path: path) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
        }
    }

    @Test func `the catalog names the migrations it has had, so that later releases can add theirs`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            try Catalog(path: path).close()
            let queue = try DatabaseQueue(path: path)
            let applied = try queue.read { try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations") }
            #expect(
                applied == [
                    "7: placeholders know when they changed", "8: order keys", "9: what was done can be undone",
                    "10: contents that stay here, and when each was opened",
                    "11: what moves to the preferred location",
                    "14: names of actions in columns; an index for the whole order",
                    "15: choices among versions can be undone",
                    "16: contents that come from a version of another document; when contents arrived",
                    "17: restoring a version can be undone",
                    "18: what other devices deleted",
                    "19: a commit takes a part of very many deletions",
                    "20: bundles and leaves",
                    "21: the leaves of each entry of the container",
                ])
            try queue.close()
        }
    }
}
