import Documents
import FoundationEssentials
import GRDB

/// One entry and its neighbours.
extension CatalogTransaction {
    private func written(sql: String, bind: (inout DirectStatement) -> Void) throws -> Entry? {
        try turn.readWritten { db in
            var statement = try DirectStatement(db, sql: sql)
            bind(&statement)
            return try statement.step().map(Entry.init)
        }
    }

    /// - Parameter index: the one to use, where SQLite would choose badly.
    func entries(
        by index: StaticString? = nil, where condition: StaticString, _ arguments: StatementArguments
    ) throws -> [Entry] {
        try turn.read { db in
            let hint = index.map { "INDEXED BY \($0)" } ?? ""
            let statement = try db.cachedStatement(
                sql: "SELECT \(EntryColumns.list) FROM entries \(hint) WHERE \(condition)")
            return try Array(EntryCursor(statement, arguments))
        }
    }

    public func entry(_ inode: InodeNumber) throws -> Entry? {
        if let row = waiting[inode] { return row.entry }
        if let known = cache.entry(inode) { return known }
        let found = try written(sql: EntryColumns.byInode) { $0.bind(inode.number) }
        if let found { cache.note(found) }
        return found
    }

    public func entry(_ id: EntryID) throws -> Entry? {
        if let entry = waiting.entry(id) { return entry }
        // A row that waits says something else by now.
        return try written(sql: EntryColumns.byUUID) { $0.bind(id.uuid) }.flatMap {
            waiting[$0.inode] == nil ? $0 : nil
        }
    }

    public func entry(in parent: InodeNumber, filename: String) throws -> Entry? {
        let name = EntryCache.Name(kind: .filename, parent: parent, text: filename)
        return try entry(named: name) { () throws in
            if let entry = waiting.entries(named: name).first { return entry }
            let found = try written(sql: EntryColumns.byFilename) {
                $0.bind(parent.number)
                $0.bind(filename)
            }
            return found.flatMap { waiting[$0.inode] == nil ? $0 : nil }
        }
    }

    private func entry(named name: EntryCache.Name, query: () throws -> Entry?) throws -> Entry? {
        switch cache.meaning(of: name) {
        case .entry(let entry): return entry
        case .nothing: return nil
        case .unknown:
            let found = try query()
            cache.note(name, means: found)
            return found
        }
    }

    /// The document created first of those that bear the name.
    public func document(in parent: InodeNumber, fullName: String) throws -> Entry? {
        let name = EntryCache.Name(kind: .fullName, parent: parent, text: fullName)
        return try entry(named: name) { () throws in
            let bearers = waiting.entries(named: name) + [try firstWritten(parent, fullName)].compactMap { $0 }
            return bearers.min { ($0.created, $0.inode) < ($1.created, $1.inode) }
        }
    }

    /// Of the rows with a name that do not wait: one that does is called otherwise by now, or is known.
    private func firstWritten(_ parent: InodeNumber, _ fullName: String) throws -> Entry? {
        try turn.readWritten { db in
            var statement = try DirectStatement(db, sql: EntryColumns.byFullName)
            statement.bind(parent.number)
            statement.bind(fullName)
            while let row = try statement.step() {
                let entry = Entry(row)
                if waiting[entry.inode] == nil { return entry }
            }
            return nil
        }
    }

    /// The newest document that nobody has named since it was created as `Untitled`.
    public func newestUntitled(in parent: InodeNumber, pathExtension: String) throws -> Entry? {
        try entries(
            where: "parent=? AND naming=? AND extension=? ORDER BY created DESC, id DESC LIMIT 1",
            [parent.number, Naming.untitled.code, pathExtension]
        ).first
    }

    /// In listing order.
    public func children(of parent: InodeNumber) throws -> [Entry] {
        try entries(where: "parent=? AND id<>parent ORDER BY position, id", [parent.number])
    }

    public func hasChildren(_ parent: InodeNumber) throws -> Bool {
        try turn.read { db in
            let statement = try db.cachedStatement(sql: "SELECT 1 FROM entries WHERE parent=? LIMIT 1")
            return try Bool.fetchOne(statement, arguments: [parent.number]) != nil
        }
    }

    /// All below a folder, parents before their children; the folder itself is not among them.
    public func descendants(of folder: InodeNumber) throws -> [Entry] {
        var found = try children(of: folder)
        var next = 0
        while next < found.count {
            if found[next].kind == .folder { found += try children(of: found[next].inode) }
            next += 1
        }
        return found
    }

    /// Whether `inode` is `ancestor` or lies below it.
    public func isInside(_ inode: InodeNumber, ancestor: InodeNumber) throws -> Bool {
        var current = inode
        while current != ancestor {
            guard current != .root, let entry = try entry(current) else { return false }
            current = entry.parent
        }
        return true
    }

    /// How many folders lie between an entry and `local` or `cloud`.
    public func depth(of entry: Entry) throws -> Int {
        var depth = 0
        var folder = entry.parent
        while folder > .cloud, let above = try self.entry(folder) {
            depth += 1
            folder = above.parent
        }
        return depth
    }

    /// The position after the last entry of a folder.
    public func nextPosition(in parent: InodeNumber) throws -> Double {
        let last = try cache.lastPosition(in: parent) { () throws in
            try turn.read { db in
                let statement = try db.cachedStatement(sql: "SELECT max(position) FROM entries WHERE parent=?")
                return try Double.fetchOne(statement, arguments: [parent.number]) ?? 0
            }
        }
        return last.rounded(.down) + 1
    }

    /// Whether some document, anywhere on this device, has the generated filename already.
    public func isFilenameTaken(_ filename: String, in parent: InodeNumber) throws -> Bool {
        // A row that is written still may have given the name up: then it counts as taken for a moment longer.
        if waiting.hasFilename(filename) { return true }
        return try turn.readWritten { db in
            var statement = try DirectStatement(
                db, sql: "SELECT 1 FROM entries WHERE filename=? AND (hasGeneratedFilename OR parent=?) LIMIT 1")
            statement.bind(filename)
            statement.bind(parent.number)
            return try statement.step() != nil
        }
    }

    /// The entries anywhere on this device that have a generated filename: one, but for sequential filenames of several devices.
    public func entries(generatedFilename filename: String) throws -> [Entry] {
        try entries(where: "filename=? AND hasGeneratedFilename", [filename])
    }

    @discardableResult
    public func insert(_ entry: Entry) throws -> InodeNumber {
        var entry = entry
        let isNew = entry.inode == InodeNumber(0)
        if isNew { entry.inode = inodes.next() }
        if !turn.postpones(.present(entry), for: entry.inode, isNew: true) {
            try turn.write { db in
                var statement = try DirectStatement(db, sql: EntryColumns.insert)
                entry.bind(to: &statement)
                try statement.run()
            }
        }
        counts.note(from: nil, to: entry)
        cache.replace(nil, by: entry)
        if isNew, entry.kind == .folder { cache.noteEmpty(entry.inode) }
        return entry.inode
    }

    public func update(_ entry: Entry) throws {
        // What has no row any more gets none by being changed.
        guard let old = try self.entry(entry.inode) else { return }
        if !turn.postpones(.present(entry), for: entry.inode, isNew: false) {
            try turn.write { db in
                var statement = try DirectStatement(db, sql: EntryColumns.update)
                entry.bind(to: &statement)
                statement.bind(entry.inode.number)
                try statement.run()
            }
        }
        counts.note(from: old, to: entry)
        cache.replace(old, by: entry)
    }

    public func delete(_ inode: InodeNumber) throws {
        guard let old = try entry(inode) else { return }
        if !turn.postpones(.removed, for: inode, isNew: false) {
            try turn.write { db in
                var statement = try DirectStatement(db, sql: EntryColumns.delete)
                statement.bind(inode.number)
                try statement.run()
            }
        }
        counts.note(from: old, to: nil)
        cache.remove(old)
    }

    /// Removes an entry whose identity another one has now, which is changed to that.
    public func replace(_ inode: InodeNumber, by entry: Entry) throws {
        try delete(inode)
        try update(entry)
        // The row of what it replaced tells of its place, and of more than its file does.
        waiting.noteKnown(entry.inode)
    }

    /// Gives an entry an inode number that nothing ever had, and returns it.
    public func renumber(_ inode: InodeNumber) throws -> InodeNumber {
        let new = inodes.next()
        try turn.write { db in
            try db.cachedStatement(sql: "UPDATE entries SET id=? WHERE id=?").execute(arguments: [
                new.number, inode.number,
            ])
        }
        cache.forget(inode)
        return new
    }
}

/// Sets of entries.
extension CatalogTransaction {
    /// Documents in a container, and how many conflict versions they have.
    public func documentCount(in container: Container) throws -> (documents: Int, conflicts: Int) {
        let count = try counts.count(in: container) { container in
            try turn.read { db in
                let row = try Row.fetchOne(
                    db.cachedStatement(
                        sql: "SELECT count(*), total(conflicts) FROM entries WHERE kind=1 AND container=?"),
                    arguments: [container == .local ? 0 : 1])
                return EntryCounts.Count(documents: row?[0] ?? 0, conflicts: Int((row?[1] as Double?) ?? 0))
            }
        }
        return (count.documents, count.conflicts)
    }

    /// Forgets by which inode numbers the backing files were known: in a copy of the store they mean nothing.
    public func forgetBackingFiles() throws {
        try turn.write { try $0.execute(sql: "UPDATE entries SET backingInode=0, backingBirth=0") }
        cache.forgetAll()
    }

    /// Records or forgets the last failure of an entry.
    public func setError(_ error: String?, of inode: InodeNumber) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "UPDATE entries SET error=? WHERE id=? AND error IS NOT ?")
                .execute(arguments: [error, inode.number, error])
        }
        cache.forget(inode)
    }
}

/// Very many entries at once.
extension CatalogTransaction {
    /// What can be left to the end while rows are added that nobody looks for.
    private static let lateIndexes = [
        "entriesByFilename", "entriesByFullName", "entriesByPosition", "replicaByFilename", "replicaByFullName",
    ]

    /// Runs `body`, which adds rows.
    ///
    /// - Parameter indexesAfterwards: indexes them all at once in the end, which takes much less time. By
    ///   name or position nothing is found then within `body`.
    public func addMany(indexingAfterwards indexesAfterwards: Bool, _ body: () throws -> Void) throws {
        guard indexesAfterwards else { return try body() }
        var definitions: [String] = []
        try turn.write { db in
            for index in Self.lateIndexes {
                definitions += try String.fetchAll(
                    db, sql: "SELECT sql FROM sqlite_master WHERE type='index' AND name=?", arguments: [index])
                try db.execute(sql: "DROP INDEX \(index)")
            }
            // So much is also what sorting takes for an index. Rows come in no order that a larger cache would help with.
            try db.execute(sql: "PRAGMA cache_size = -\(Catalog.cacheLength / 4)")
        }
        defer { try? turn.write { try $0.execute(sql: "PRAGMA cache_size = -\(Catalog.cacheLength)") } }
        try body()
        try turn.write { db in for definition in definitions { try db.execute(sql: definition) } }
    }
}

/// What a listing needs of an entry.
public struct ListingRow: Sendable {
    public let inode: InodeNumber
    public let kind: EntryKind
    public let filename: String
    /// Documents only.
    public let fullName: String?
    public let created: Timestamp
    /// Unresolved conflict versions.
    public let conflicts: Int
}

extension CatalogTransaction {
    /// A folder's children in listing order.
    public func listing(of parent: InodeNumber) throws -> [ListingRow] {
        try turn.read { db in
            var statement = try DirectStatement(
                db,
                sql: """
                    SELECT id, kind, filename, fullName, created, conflicts FROM entries
                    WHERE parent=? AND id<>parent ORDER BY position, id
                    """)
            statement.bind(parent.number)
            var rows: [ListingRow] = []
            while let row = try statement.step() {
                rows.append(
                    ListingRow(
                        inode: InodeNumber(row[0]), kind: EntryKind(code: row[1]), filename: row[2],
                        fullName: row.optional(3),
                        created: Timestamp(nanoseconds: row[4]), conflicts: row[5]))
            }
            return rows
        }
    }
}
