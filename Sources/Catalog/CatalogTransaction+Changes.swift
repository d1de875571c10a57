import Documents
import GRDB

/// Entries are made, changed and removed: the rows, and what is remembered of them.
extension CatalogTransaction {
    @discardableResult
    public func insert(_ entry: Entry) throws -> InodeNumber {
        var entry = entry
        let isNew = entry.inode == InodeNumber(0)
        if isNew { entry.inode = inodes.next() }
        if !turn.postpones(.present(entry), for: entry.inode, isNew: true) {
            try turn.write { db in
                var statement = try DirectStatement(db, sql: EntryStatements.insert)
                statement.bind(entry)
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
                var statement = try DirectStatement(db, sql: EntryStatements.update)
                statement.bind(entry)
                statement.bind(entry.inode)
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
                var statement = try DirectStatement(db, sql: EntryStatements.delete)
                statement.bind(inode)
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
