@testable import Catalog
import Documents
import GRDB
import TestSupport
import Testing

/// Entries as rows: every column comes back as it went in.
struct EntryRowTests {
    /// Entries of every nature, of which no column has the value that it has in `plain`, as far as the nature has it.
    private static let samples: [Entry] = [
        .folder(NamingContext(keepsNames: true, isScratch: true)),
        .document(
            DocumentIdentity(
                name: DocumentName(storedDisplayName: "cafe\u{301}", pathExtension: "txt"), naming: .untitled)),
        .symbolicLink(target: [47, 255]),
    ].map(full)

    private static func full(_ nature: EntryNature) -> Entry {
        var entry = Entry(
            parent: .cloud, location: .cloud, nature: nature, filename: "cafe\u{301}.txt",
            created: Timestamp(nanoseconds: -1), position: 1.25, mode: 0o7777)
        entry.inode = InodeNumber(4711)
        entry.hasGeneratedFilename = true
        entry.id = EntryID(numbered: 1)
        entry.attributes = [0, 1, 255]
        entry.isHere = false
        entry.evidence = FileEvidence(inode: .max, birth: .min)
        entry.size = .max
        entry.modified = Timestamp(nanoseconds: .min)
        entry.changed = Timestamp(nanoseconds: 6)
        entry.file.arrived = Timestamp(nanoseconds: 7)
        entry.currentVersion = VersionID(numbered: 2)
        entry.contentVersion = VersionID(numbered: 3)
        entry.pending = [.creation, .position]
        entry.revision = 12
        entry.bundle = 13
        entry.conflicts = 14
        entry.error = "retrying in 8 s"
        entry.awaited = Array("{}".utf8)
        return entry
    }

    private static var plain: Entry {
        Entry(
            parent: .local, location: nil, nature: .scratch, filename: "a", created: Timestamp(nanoseconds: 5),
            position: 0, mode: 0)
    }

    /// The value of an entry for each column, by the table of columns.
    private struct Values: ColumnVisitor {
        static let isReader = false
        var values: [String] = []

        mutating func column<Value: ColumnValue>(_ name: StaticString, _ value: inout Value) {
            values.append("\(name): \(String(reflecting: value))")
        }

        init(_ entry: Entry) {
            var entry = entry
            entry.visitColumns(&self)
        }
    }

    /// The value of an entry for each column and each field, so that a field without a column differs as well.
    private func content(_ entry: Entry) -> [String] { Values(entry).values + Self.fields(entry) }

    /// The fields of an entry and of its parts in words.
    private static func fields(_ value: Any) -> [String] {
        let parts: [Any.Type] = [Entry.self, Placement.self, BackingState.self, SynchronizationState.self]
        return Mirror(reflecting: value).children.flatMap { field in
            parts.contains { $0 == type(of: field.value) }
                ? fields(field.value) : ["\(field.label ?? ""): \(String(reflecting: field.value))"]
        }
    }

    @Test func `the samples set every column and every field`() {
        let plain = Values(Self.plain).values
        let differing = Self.samples.map { sample in zip(Values(sample).values, plain).map(!=) }
        for (number, name) in ColumnNames.all.enumerated() {
            #expect(differing.contains { $0[number] }, "no sample sets \(name)")
        }
        for sample in Self.samples {
            for (field, other) in zip(Self.fields(sample), Self.fields(Self.plain)) { #expect(field != other) }
        }
    }

    @Test func `the table of columns names those of the database, each once`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            try Catalog(path: path).close()
            let queue = try DatabaseQueue(path: path)
            let columns = try queue.read {
                try String.fetchAll($0, sql: "SELECT name FROM pragma_table_info('entries')")
            }
            #expect(columns.sorted() == ColumnNames.all.sorted())
            try queue.close()
        }
    }

    @Test func `an entry comes back with every column it was inserted with`() throws {
        for sample in Self.samples {
            try withCatalog { catalog throws in
                #expect(try catalog.write { try $0.insert(sample) } == InodeNumber(4711))
                catalog.forgetRows()
                let found = try #require(try catalog.read { try $0.entry(InodeNumber(4711)) })
                #expect(content(found) == content(sample))
            }
        }
    }

    @Test func `an entry without anything optional comes back so`() throws {
        try withCatalog { catalog throws in
            var entry = Self.plain
            entry.inode = try catalog.write { try $0.insert(entry) }
            catalog.forgetRows()
            let found = try #require(try catalog.read { try $0.entry(entry.inode) })
            #expect(content(found) == content(entry))
        }
    }

    @Test func `an update sets every column, and nothing of another entry`() throws {
        for sample in Self.samples {
            try withCatalog { catalog throws in
                func stored(_ inode: InodeNumber) throws -> Entry {
                    catalog.forgetRows()
                    return try #require(try catalog.read { try $0.entry(inode) })
                }
                var other = Self.plain
                other.inode = try catalog.write { try $0.insert(other) }
                var entry = Self.plain
                entry.filename = "b"
                entry.inode = InodeNumber(4711)
                _ = try catalog.write { try $0.insert(entry) }
                try catalog.write { try $0.update(sample) }
                #expect(content(try stored(entry.inode)) == content(sample))
                try catalog.write { try $0.update(entry) }
                #expect(content(try stored(entry.inode)) == content(entry))
                #expect(content(try stored(other.inode)) == content(other))
            }
        }
    }

    @Test(arguments: [
        EntryNature.folder(NamingContext(keepsNames: false, isScratch: true)), .scratch, .symbolicLink(target: []),
        .document(DocumentIdentity(name: DocumentName(storedDisplayName: "a", pathExtension: ""), naming: .given)),
        .document(DocumentIdentity(name: DocumentName(storedDisplayName: "a", pathExtension: ""), naming: .automatic)),
        .document(DocumentIdentity(name: DocumentName(storedDisplayName: "a", pathExtension: "b"), naming: .untitled)),
    ])
    func `every kind and every naming comes back`(nature: EntryNature) throws {
        try withCatalog { catalog throws in
            var entry = Entry.folder("x")
            entry.nature = nature
            let inode = try catalog.write { try $0.insert(entry) }
            catalog.forgetRows()
            #expect(try catalog.read { try $0.entry(inode) }?.nature == nature)
        }
    }

    @Test(arguments: [nil, Location.local, .cloud])
    func `every location comes back`(location: Location?) throws {
        try withCatalog { catalog throws in
            var entry = Entry.folder("x")
            entry.location = location
            let inode = try catalog.write { try $0.insert(entry) }
            catalog.forgetRows()
            #expect(try catalog.read { try $0.entry(inode) }?.location == location)
        }
    }

    @Test func `names keep their bytes`() throws {
        try withCatalog { catalog throws in
            for name in ["caf\u{e9}", "cafe\u{301}"] {
                let inode = try catalog.write { try $0.insert(.document(name + ".txt", filename: name)) }
                catalog.forgetRows()
                let found = try #require(try catalog.read { try $0.entry(inode) })
                #expect(Array(found.filename.utf8) == Array(name.utf8))
                #expect(Array((found.name?.full ?? "").utf8) == Array((name + ".txt").utf8))
            }
        }
    }
}
