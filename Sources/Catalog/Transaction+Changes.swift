import Documents
import GRDB

/// Inserts, changes and deletes entries, in the rows and in the caches.
extension Transaction {
    /// Inserts a row. An entry with inode number 0 gets a new number; another keeps its own.
    ///
    /// - Returns: the inode number.
    /// - Throws: `CatalogError`, also where its folder has the filename already, or another row has the id.
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
        counts.update(from: nil, to: entry)
        cache.replace(nil, by: entry)
        if isNew, entry.kind == .folder { cache.insertEmptyFolder(entry.inode) }
        return entry.inode
    }

    /// Writes a row that exists; does nothing if it was deleted. The caller marks what is pending.
    public func update(_ entry: Entry) throws {
        // An entry that was deleted meanwhile stays deleted.
        guard let old = try self.entry(entry.inode) else { return }
        if !turn.postpones(.present(entry), for: entry.inode, isNew: false) {
            try turn.write { db in
                var statement = try DirectStatement(db, sql: EntryStatements.update)
                statement.bind(entry)
                statement.bind(entry.inode)
                try statement.run()
            }
        }
        counts.update(from: old, to: entry)
        cache.replace(old, by: entry)
    }

    /// Deletes a row; does nothing if there is none. The rows of a folder's children stay.
    public func delete(_ inode: InodeNumber) throws {
        guard let old = try entry(inode) else { return }
        if !turn.postpones(.removed, for: inode, isNew: false) {
            try turn.write { db in
                var statement = try DirectStatement(db, sql: EntryStatements.delete)
                statement.bind(inode)
                try statement.run()
            }
        }
        counts.update(from: old, to: nil)
        cache.remove(old)
    }

    /// Deletes an entry whose identity `entry` has taken over, and updates `entry`.
    public func replace(_ inode: InodeNumber, by entry: Entry) throws {
        try delete(inode)
        try update(entry)
        // The written row of the replaced entry still names the same document, so the file is not all that is known of it.
        waiting.removeFromNew(entry.inode)
    }

    /// Gives an entry a new inode number, which was never used before. The rows of a folder's children keep the old one as their parent.
    ///
    /// - Returns: the new number.
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

/// Adds very many entries at once.
extension Transaction {
    /// Indexes that `addMany` may drop and build again at the end.
    private static let lateIndexes = [
        "entriesByFilename", "entriesByFullName", "entriesByPosition", "replicaByFilename", "replicaByFullName",
    ]

    /// Runs `body`, which adds rows.
    ///
    /// - Parameter indexesAfterwards: whether to build the indexes at the end, which takes much less time. Within `body`,
    ///   searches by name or position then find nothing.
    public func addMany(indexingAfterwards indexesAfterwards: Bool, _ body: () throws -> Void) throws {
        guard indexesAfterwards else { return try body() }
        var definitions: [String] = []
        try turn.write { db in
            for index in Self.lateIndexes {
                definitions += try String.fetchAll(
                    db, sql: "SELECT sql FROM sqlite_master WHERE type='index' AND name=?", arguments: [index])
                try db.execute(sql: "DROP INDEX \(index)")
            }
            // Building an index sorts in memory of this size. The rows come in random order, so a larger page cache would
            // not help.
            try db.execute(sql: "PRAGMA cache_size = -\(Catalog.cacheLength / 4)")
        }
        // If this fails, the cache is smaller until the next start; nothing else depends on it.
        defer { try? turn.write { try $0.execute(sql: "PRAGMA cache_size = -\(Catalog.cacheLength)") } }
        try body()
        try turn.write { db in for definition in definitions { try db.execute(sql: definition) } }
    }
}
