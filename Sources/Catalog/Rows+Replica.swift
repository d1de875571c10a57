import Documents
import FoundationEssentials
import GRDB

/// A deletion that is not yet committed to the container.
public struct Withdrawal: Sendable, Equatable {
    /// The id of the deleted entry.
    public var id: EntryID
    /// The versions that this device knew when it deleted the document. A version that is not among them wins over the
    /// deletion.
    public var seen: [VersionID]
    /// Its depth in the tree. Deletions are committed deepest first, so that a folder follows its contents.
    public var depth: Int
    /// Deletions and changes with the same bundle are committed together; nil for one that belongs to none.
    public var bundle: Int64?
    /// If it was renamed over another document: that document.
    public var heir: EntryID?
    /// Its conflict versions, which now belong to `heir`.
    public var bequest: [VersionID]

    public init(
        id: EntryID, seen: [VersionID], depth: Int, bundle: Int64?, heir: EntryID? = nil, bequest: [VersionID] = []
    ) {
        self.heir = heir
        self.bequest = bequest
        self.id = id
        self.seen = seen
        self.depth = depth
        self.bundle = bundle
    }
}

/// The committed state of the container (the replica), and records that wait to be committed.
extension Rows {
    /// An entry of the committed state as JSON (`ReplicaEntry`), which may be a deleted one; nil if the log never named it, or no longer
    /// does.
    public func replicaRecord(_ id: EntryID) throws -> [UInt8]? {
        try record(sql: "SELECT record FROM replica WHERE uuid=?", id)
    }

    /// Whether an entry of the committed state is deleted; nil if the log never named it, or no longer does. Much faster than decoding its
    /// record.
    public func replicaIsDeleted(_ id: EntryID) throws -> Bool? {
        try turn.readWritten { db in
            var statement = try DirectStatement(db, sql: "SELECT isDeleted FROM replica WHERE uuid=?")
            statement.bind(id)
            return try statement.next().map { $0[0] }
        }
    }

    /// The leaves of an entry's versions, the current one first; nil for an entry that an earlier release stored, and for an unknown one.
    public func replicaLeaves(of id: EntryID) throws -> [VersionID]? {
        try turn.readWritten { db in
            var statement = try DirectStatement(db, sql: "SELECT leaves FROM replica WHERE uuid=?")
            statement.bind(id)
            guard let row = try statement.next(), let leaves: [UInt8] = row[0] else { return nil }
            return [VersionID](packed: leaves)
        }
    }

    /// The folder of an entry that is not deleted.
    public func replicaParent(of id: EntryID) throws -> EntryID? {
        try turn.readWritten { db in
            var statement = try DirectStatement(db, sql: "SELECT parent FROM replica WHERE uuid=? AND NOT isDeleted")
            statement.bind(id)
            return try statement.next().map { $0[0] }
        }
    }

    /// The documents of a folder that have this full name and are not deleted, by id.
    public func replicaDocuments(in parent: EntryID, fullName: String) throws -> [EntryID] {
        try replicaEntries(in: parent, where: "fullName", is: fullName)
    }

    /// The entries of a folder that have this filename and are not deleted: at most one.
    public func replicaEntries(in parent: EntryID, filename: String) throws -> [EntryID] {
        try replicaEntries(in: parent, where: "filename", is: filename)
    }

    private func replicaEntries(in parent: EntryID, where column: String, is name: String) throws -> [EntryID] {
        try turn.readWritten { db in
            var statement = try DirectStatement(
                db, sql: "SELECT uuid FROM replica WHERE parent=? AND \(column)=? AND NOT isDeleted ORDER BY uuid")
            statement.bind(parent)
            statement.bind(name)
            var found: [EntryID] = []
            while let row = try statement.next() { found.append(row[0]) }
            return found
        }
    }

    /// Whether one of the entries of a folder that are not deleted is wanted.
    public func replicaHasChild(of parent: EntryID, where isWanted: (EntryID) -> Bool) throws -> Bool {
        try turn.readWritten { db in
            var statement = try DirectStatement(db, sql: "SELECT uuid FROM replica WHERE parent=? AND NOT isDeleted")
            statement.bind(parent)
            while let row = try statement.next() { if isWanted(row[0]) { return true } }
            return false
        }
    }

    /// The entries of a folder that are not deleted.
    public func replicaChildren(of parent: EntryID) throws -> [EntryID] {
        try turn.readWritten { db in
            let statement = try db.cachedStatement(
                sql: "SELECT uuid FROM replica WHERE parent=? AND NOT isDeleted ORDER BY uuid")
            return try UUID.fetchAll(statement, arguments: [parent.uuid]).map(EntryID.init)
        }
    }

    /// Whether more than so many documents of a folder were deleted here, each by itself, and the container has not been told.
    public func hasDeletedDocuments(in parent: EntryID, moreThan count: Int) throws -> Bool {
        try turn.readWritten { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT 1 FROM replica JOIN withdrawals USING (uuid)
                    WHERE parent=? AND NOT isDeleted AND withdrawals.bundle IS NULL AND length(seen) > 0 LIMIT 1 OFFSET ?
                    """)
            return try Bool.fetchOne(statement, arguments: [parent.uuid, count]) != nil
        }
    }

    /// The number of deletions that the container has not been told of.
    public func withdrawalCount() throws -> Int {
        try turn.readWritten { db in
            try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM withdrawals")) ?? 0
        }
    }

    /// The number of entries in the committed state, deleted ones included.
    public func replicaCount() throws -> Int {
        try turn.readWritten { db in try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM replica")) ?? 0 }
    }

    /// Every entry with its folder.
    public func replicaParents() throws -> [(id: EntryID, parent: EntryID)] {
        try turn.readWritten { db in
            let rows = try Row.fetchCursor(db.cachedStatement(sql: "SELECT uuid, parent FROM replica"))
            var parents: [(id: EntryID, parent: EntryID)] = []
            while let row = try rows.next() { parents.append((EntryID(row[0] as UUID), EntryID(row[1] as UUID))) }
            return parents
        }
    }

    /// Deletions to commit, deepest first: those of bundles, and so many of those with an heir and of the others. Those in which the versions
    /// seen are not recorded yet are left out (`unfinishedWithdrawals`).
    public func withdrawals(single: Int = .max, inherited: Int = .max) throws -> [Withdrawal] {
        let bundled = try withdrawals("AND bundle IS NOT NULL")
        let inherited = try withdrawals("AND bundle IS NULL AND heir IS NOT NULL ORDER BY heir LIMIT ?") {
            $0.bind(inherited)
        }
        let single = try withdrawals("AND bundle IS NULL AND heir IS NULL ORDER BY depth DESC, uuid LIMIT ?") {
            $0.bind(single)
        }
        return (bundled + inherited + single).sorted { ($1.depth, $0.id) < ($0.depth, $1.id) }
    }

    /// Withdrawals of documents that were renamed over `heir`.
    public func withdrawals(inFavourOf heir: EntryID) throws -> [Withdrawal] {
        try withdrawals("AND heir=? ORDER BY uuid") { $0.bind(heir) }
    }

    /// The deletion of one entry to commit.
    public func withdrawal(of id: EntryID) throws -> Withdrawal? {
        try withdrawals("AND uuid=?") { $0.bind(id) }.first
    }

    private func withdrawals(
        _ rest: String, _ bind: (inout DirectStatement) -> Void = { _ in }
    ) throws -> [Withdrawal] {
        try turn.readWritten { db in
            var statement = try DirectStatement(
                db,
                sql: "SELECT uuid, seen, depth, bundle, heir, bequest FROM withdrawals WHERE seen IS NOT NULL \(rest)")
            bind(&statement)
            var found: [Withdrawal] = []
            while let row = try statement.next() {
                found.append(
                    Withdrawal(
                        id: row[0], seen: [VersionID](packed: row[1]), depth: row[2], bundle: row[3], heir: row[4],
                        bequest: [VersionID](packed: row[5])))
            }
            return found
        }
    }

    /// Whether an entry was deleted here and the container has not been told, including one whose versions seen are not recorded yet.
    public func hasWithdrawal(_ id: EntryID) throws -> Bool {
        try turn.readWritten { db in
            var statement = try DirectStatement(db, sql: "SELECT 1 FROM withdrawals WHERE uuid=?")
            statement.bind(id)
            return try statement.next() != nil
        }
    }

    /// The choice that was made here among the versions of a document and is not yet committed, as JSON; nil if there is none.
    public func resolution(of id: EntryID) throws -> [UInt8]? {
        try record(sql: "SELECT record FROM resolutions WHERE uuid=?", id)
    }

    private func record(sql: String, _ id: EntryID) throws -> [UInt8]? {
        try turn.readWritten { db in
            var statement = try DirectStatement(db, sql: sql)
            statement.bind(id)
            return try statement.next().map { $0[0] }
        }
    }

    /// All choices among versions that are not yet committed, as JSON, by the ids of their documents.
    public func resolutions() throws -> [(id: EntryID, record: [UInt8])] {
        try turn.readWritten { db in
            try Row.fetchAll(db.cachedStatement(sql: "SELECT uuid, record FROM resolutions ORDER BY uuid"))
                .map { (EntryID($0[0] as UUID), Array($0[1] as Data)) }
        }
    }

    /// The commit that was being appended to the log, if it is not known whether it arrived there; else nil.
    public func outbox() throws -> [UInt8]? {
        try turn.readWritten { db in
            try Data.fetchOne(db.cachedStatement(sql: "SELECT record FROM outbox")).map(Array.init)
        }
    }

    /// Whether it is not known yet what became of a commit.
    public func hasOutbox() throws -> Bool {
        try turn.readWritten { db in
            try DirectStatement(db, sql: "SELECT 1 FROM outbox LIMIT 1").next() != nil
        }
    }

    /// Whether the commit in the outbox has this id.
    public func isInOutbox(_ commit: CommitID) throws -> Bool {
        try turn.readWritten { db in
            try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT 1 FROM outbox WHERE commitID=?"), arguments: [commit.uuid]) != nil
        }
    }
}

extension Transaction {
    /// Stores an entry of the committed state, in place of an older record.
    ///
    /// - Parameters:
    ///   - record: the entry as JSON.
    ///   - fullName: nil unless it is a document.
    ///   - isDeleted: whether it is a tombstone. The other queries do not find it by its names then.
    ///   - leaves: of its versions, the current one first; none unless it is a document.
    public func storeReplicaRecord(
        _ record: [UInt8], id: EntryID, parent: EntryID, filename: String, fullName: String?, isDeleted: Bool,
        leaves: [VersionID]
    ) throws {
        try turn.write { db in
            var statement = try DirectStatement(db, sql: "REPLACE INTO replica VALUES(?,?,?,?,?,?,?)")
            statement.bind(id)
            statement.bind(parent)
            statement.bind(filename)
            statement.bind(fullName)
            statement.bind(isDeleted)
            statement.bind(record)
            statement.bind(leaves.packed)
            try statement.run()
        }
    }

    /// Removes the record of an entry altogether. A deletion that the log tells of is stored as a record instead.
    public func deleteReplicaRecord(_ id: EntryID) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "DELETE FROM replica WHERE uuid=?").execute(arguments: [id.uuid])
        }
    }

    /// Records a deletion, in place of an older record of the same entry. It finishes one that `moveDescendantsOutOfCloud` began.
    public func store(_ withdrawal: Withdrawal) throws {
        try turn.write { db in
            var statement = try DirectStatement(
                db, sql: "REPLACE INTO withdrawals(uuid, seen, depth, bundle, heir, bequest) VALUES(?,?,?,?,?,?)")
            statement.bind(withdrawal.id)
            statement.bind(withdrawal.seen.packed)
            statement.bind(withdrawal.depth)
            statement.bind(withdrawal.bundle)
            statement.bind(withdrawal.heir)
            statement.bind(withdrawal.heir == nil ? nil : withdrawal.bequest.packed)
            try statement.run()
        }
    }

    /// Forgets a deletion: the log has it, or the entry is back.
    public func deleteWithdrawal(_ id: EntryID) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "DELETE FROM withdrawals WHERE uuid=?").execute(arguments: [id.uuid])
        }
    }

    /// Stores a choice among the versions of a document, in place of an older one.
    ///
    /// - Parameter record: as JSON; nil when the choice was committed or does not count any more.
    public func setResolution(_ record: [UInt8]?, of id: EntryID) throws {
        try turn.write { db in
            if let record {
                try db.cachedStatement(sql: "REPLACE INTO resolutions VALUES(?,?)").execute(arguments: [
                    id.uuid, Data(record),
                ])
            } else {
                try db.cachedStatement(sql: "DELETE FROM resolutions WHERE uuid=?").execute(arguments: [id.uuid])
            }
        }
    }

    /// Forgets the commit in the outbox. Call this when the log has it, when another commit got its position, or when the log that it was
    /// sent to no longer exists.
    public func emptyOutbox() throws { try turn.write { try $0.execute(sql: "DELETE FROM outbox") } }

    /// Stores the commit that is about to be appended to the log, in place of any other (`Crashes`).
    ///
    /// - Parameters:
    ///   - record: the commit with the pending flags that it clears.
    ///   - commit: the id of the commit.
    public func setOutbox(_ record: [UInt8], commit: CommitID) throws {
        try emptyOutbox()
        try turn.write { db in
            try db.cachedStatement(sql: "INSERT INTO outbox VALUES(?,?)").execute(arguments: [
                commit.uuid, Data(record),
            ])
        }
    }
}
