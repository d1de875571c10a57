import Documents
import FoundationEssentials
import GRDB

/// The questions of `docfs check`: rows that contradict other rows. A catalog that only docfs has written holds none.
extension Rows {
    /// Entries that no chain of folders connects with the top of the tree.
    public func unreachableEntries() throws -> [Entry] {
        try entries(
            where: """
                id NOT IN (
                    WITH RECURSIVE reached(id, kind) AS (
                        SELECT id, kind FROM entries WHERE id=\(InodeNumber.root)
                        UNION SELECT entries.id, entries.kind FROM entries JOIN reached ON entries.parent=reached.id
                        WHERE reached.kind=\(EntryKind.folder.sql))
                    SELECT id FROM reached)
                """)
    }

    /// Entries in a folder of another container, or beside `local` and `cloud`.
    public func misplacedEntries() throws -> [Entry] {
        try entries(
            where: """
                id>\(InodeNumber.cloud) AND EXISTS(
                    SELECT 1 FROM entries AS folder WHERE folder.id=entries.parent
                    AND (folder.container IS NULL OR folder.container IS NOT entries.container))
                """)
    }

    /// Folders in which two entries have the same order key, or an entry has one that is none. Scratch files do not count: a backup
    /// keeps the key of the document that it was.
    public func foldersWithUnclearOrder() throws -> Set<InodeNumber> {
        try turn.read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT parent, position FROM entries
                    WHERE parent>\(InodeNumber.documents) AND uuid IS NOT NULL ORDER BY parent, position
                    """)
            var found: Set<InodeNumber> = []
            var last: (parent: Int64, key: String)?
            while let row = try rows.next() {
                let (parent, key): (Int64, String) = (row[0], row[1])
                let isRepeated = last.map { $0.parent == parent && $0.key.utf8.elementsEqual(key.utf8) } ?? false
                if isRepeated || OrderKey(key) == nil { found.insert(InodeNumber(parent)) }
                last = (parent, key)
            }
            return found
        }
    }

    /// Entries of the cloud that the container should have, and that its committed state lacks.
    public func entriesUnknownToContainer() throws -> [Entry] {
        try entries(
            where: """
                id>\(InodeNumber.cloud) AND \(EntryCondition.isInCloud) AND uuid IS NOT NULL
                AND NOT \(EntryCondition.hasPending([.creation, .revival]))
                AND NOT EXISTS(SELECT 1 FROM replica WHERE replica.uuid=entries.uuid AND NOT isDeleted)
                """)
    }

    /// Entries of the container that neither stand in the tree nor were removed here.
    public func replicaEntriesNotShown() throws -> [EntryID] {
        try turn.read { db in
            try UUID.fetchAll(
                db,
                sql: """
                    SELECT uuid FROM replica WHERE NOT isDeleted
                    AND NOT EXISTS(
                        SELECT 1 FROM entries WHERE entries.uuid=replica.uuid
                        AND (\(EntryCondition.isInCloud) OR \(EntryCondition.isAwaited)))
                    AND NOT EXISTS(SELECT 1 FROM withdrawals WHERE withdrawals.uuid=replica.uuid) ORDER BY uuid
                    """
            ).map(EntryID.init)
        }
    }

    /// Steps of the undo list that belong to no action.
    public func stepsWithoutAction() throws -> [ActionStep] {
        try steps(where: "action NOT IN (SELECT number FROM actions)")
    }
}
