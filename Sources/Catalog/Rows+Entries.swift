import Documents
import GRDB

/// Finds an entry, its children and its ancestors.
extension Rows {
    private func written(_ sql: String, bind: (inout DirectStatement) -> Void) throws -> Entry? {
        try turn.readWritten { db in
            var statement = try DirectStatement(db, sql: sql)
            bind(&statement)
            return try statement.next().map(Entry.init)
        }
    }

    /// - Parameters:
    ///   - index: the index that SQLite must use, where it would choose a slow one.
    ///   - condition: the SQL after WHERE.
    ///   - bind: binds its arguments.
    func entries(
        by index: String? = nil, where condition: String, bind: (inout DirectStatement) -> Void = { _ in }
    ) throws -> [Entry] {
        try turn.read { db in
            let hint = index.map { "INDEXED BY \($0) " } ?? ""
            var statement = try DirectStatement(db, sql: "\(EntryStatements.select)\(hint)WHERE \(condition)")
            bind(&statement)
            var entries: [Entry] = []
            while let row = try statement.next() { entries.append(Entry(row)) }
            return entries
        }
    }

    /// The entry with this inode number; nil if there is none.
    public func entry(_ inode: InodeNumber) throws -> Entry? {
        if let row = waiting[inode] { return row.entry }
        if let known = cache.entry(inode) { return known }
        let found = try written(EntryStatements.byInode) { $0.bind(inode) }
        if let found { cache.store(found) }
        return found
    }

    /// The entry with this id; nil if there is none. `EntryID.cloudRoot` is the folder `cloud`.
    public func entry(_ id: EntryID) throws -> Entry? {
        if let entry = waiting.entry(id) { return entry }
        // If a newer form of the row waits, it has another id, or it would have been found above.
        return try written(EntryStatements.byUUID) { $0.bind(id) }.flatMap {
            waiting[$0.inode] == nil ? $0 : nil
        }
    }

    /// The entry of a folder with this filename, compared byte for byte; nil if there is none.
    public func entry(in parent: InodeNumber, filename: String) throws -> Entry? {
        let name = EntryCache.Name(kind: .filename, parent: parent, text: filename)
        return try entry(named: name) { () throws in
            if let entry = waiting.entries(named: name).first { return entry }
            let found = try written(EntryStatements.byFilename) {
                $0.bind(parent)
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
            cache.store(name, means: found)
            return found
        }
    }

    /// The oldest of the documents of a folder with this full name; nil if there is none.
    public func document(in parent: InodeNumber, fullName: String) throws -> Entry? {
        let name = EntryCache.Name(kind: .fullName, parent: parent, text: fullName)
        return try entry(named: name) { () throws in
            let owners = waiting.entries(named: name) + [try firstWritten(parent, fullName)].compactMap { $0 }
            return owners.min { ($0.created, $0.inode) < ($1.created, $1.inode) }
        }
    }

    /// The oldest written row with this full name. Rows of which a newer form waits are skipped: their names come from that.
    private func firstWritten(_ parent: InodeNumber, _ fullName: String) throws -> Entry? {
        try turn.readWritten { db in
            var statement = try DirectStatement(db, sql: EntryStatements.byFullName)
            statement.bind(parent)
            statement.bind(fullName)
            while let row = try statement.next() {
                let entry = Entry(row)
                if waiting[entry.inode] == nil { return entry }
            }
            return nil
        }
    }

    /// The newest document that was created as `Untitled` and not named since.
    public func newestUntitled(in parent: InodeNumber, pathExtension: String) throws -> Entry? {
        try entries(where: "parent=? AND naming=? AND extension=? ORDER BY created DESC, id DESC LIMIT 1") {
            $0.bind(parent)
            $0.bind(Naming.untitled)
            $0.bind(pathExtension)
        }.first
    }

    /// The entries of a folder, in the order of their order keys.
    public func children(of parent: InodeNumber) throws -> [Entry] {
        try entries(where: "parent=? AND id<>parent ORDER BY \(EntryStatements.manualOrder)") { $0.bind(parent) }
    }

    /// Whether a folder has any entry, scratch files included.
    public func hasChildren(_ parent: InodeNumber) throws -> Bool {
        try turn.read { db in
            let statement = try db.cachedStatement(sql: "SELECT 1 FROM entries WHERE parent=? LIMIT 1")
            return try Bool.fetchOne(statement, arguments: [parent.number]) != nil
        }
    }

    /// All entries below a folder, without the folder itself. Parents come before their children.
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

    /// A key that no entry of a folder exceeds: a new entry's must be greater.
    public func lastPosition(in parent: InodeNumber) throws -> OrderKey {
        try cache.lastPosition(in: parent) { () throws in
            try turn.read { db in
                let statement = try db.cachedStatement(sql: "SELECT max(position) FROM entries WHERE parent=?")
                return try String.fetchOne(statement, arguments: [parent.number]).map(OrderKey.init(unchecked:))
                    ?? .zero
            }
        }
    }

    /// Whether an entry of a folder has a key, other than one with this number.
    public func isPositionTaken(_ position: OrderKey, in parent: InodeNumber, besides inode: InodeNumber) throws -> Bool
    {
        try turn.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT EXISTS(SELECT 1 FROM entries WHERE parent=? AND position=? AND id<>?)")
            return try Bool.fetchOne(statement, arguments: [parent.number, position.text, inode.number]) ?? false
        }
    }

    /// Whether a filename that is generated for an entry of `parent` is taken: by a generated filename anywhere on this device, or by any
    /// entry of that folder.
    public func isFilenameInUse(_ filename: String, in parent: InodeNumber) throws -> Bool {
        // A written row may have an older name than its waiting form. The old name then counts as taken until the newer
        // form is written.
        if waiting.hasFilename(filename) { return true }
        return try turn.readWritten { db in
            var statement = try DirectStatement(
                db, sql: "SELECT 1 FROM entries WHERE filename=? AND (hasGeneratedFilename OR parent=?) LIMIT 1")
            statement.bind(filename)
            statement.bind(parent)
            return try statement.next() != nil
        }
    }

    /// All entries on this device with this generated filename. There may be several if devices number filenames
    /// (`FilenameConvention.sequential`).
    public func entries(generatedFilename filename: String) throws -> [Entry] {
        try entries(where: "filename=? AND hasGeneratedFilename") { $0.bind(filename) }
    }
}
