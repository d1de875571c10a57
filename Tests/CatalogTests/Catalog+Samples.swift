import Catalog
import Documents
import FoundationEssentials
import Foundation
import TestSupport

/// Runs `body` with a new catalog, and removes it.
func withCatalog(_ body: (Catalog) throws -> Void) throws {
    try withTemporaryFolder { folder in
        let catalog = try Catalog(path: folder + "/catalog")
        try body(catalog)
        try catalog.close()
    }
}

extension Identifier {
    /// An id that is easy to recognise.
    init(numbered number: UInt8) { self.init(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))) }
}

extension Entry {
    static func folder(
        _ name: String, in parent: InodeNumber = .local, location: Location = .local, position: OrderKey = 1
    ) -> Entry {
        Entry(
            parent: parent, location: location, nature: .folder(NamingContext(keepsNames: false, isScratch: false)),
            filename: name, created: Timestamp(nanoseconds: 1), position: position, mode: 0o755)
    }

    static func document(
        _ fullName: String, filename: String, in parent: InodeNumber = .local, location: Location = .local,
        created: Int64 = 1, position: OrderKey = 1, naming: Naming = .given, id: EntryID? = nil
    ) throws -> Entry {
        let identity = DocumentIdentity(name: DocumentName(splitting: try EntryName(fullName)), naming: naming)
        var entry = Entry(
            parent: parent, location: location, nature: .document(identity), filename: filename,
            created: Timestamp(nanoseconds: created), position: position, mode: 0o644)
        entry.hasGeneratedFilename = true
        entry.id = id
        return entry
    }
}

extension Transaction {
    /// Inserts a chain of folders, each in the one before, and returns their inodes.
    func insertFolders(_ names: [String], in top: InodeNumber = .local) throws -> [InodeNumber] {
        var parent = top
        return try names.map { name in
            parent = try insert(.folder(name, in: parent))
            return parent
        }
    }
}

/// A catalog in a folder of its own, for tests that use it from several tasks; both go with it.
final class CatalogBox: Sendable {
    let catalog: Catalog
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "docfs-catalog-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        catalog = try Catalog(path: folder + "/catalog")
    }

    deinit {
        try? catalog.close()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
