import Documents
import GRDB

/// The queries of the catalog, for use inside one `Catalog.read` or `Catalog.write`.
public struct CatalogTransaction {
    let turn: Turn
    let inodes: InodeSupply
    let cache: EntryCache
    let counts: EntryCounts
    let waiting: WaitingRows
    let letsRowsWait: Bool

    /// When the rows that the write under way is going to change are to be written; `now` unless it is set. For `soon`, all
    /// that they say must be told by files. Rows that are written with others wait for nothing.
    public var durability: Durability {
        get { turn.durability }
        nonmutating set { turn.durability = letsRowsWait ? newValue : .now }
    }

    /// Has something announced when the write has succeeded.
    public func announce(_ event: TreeEvent) { turn.events.append(event) }

    /// Files in a folder are going to be changed: if the write fails, they are compared with their rows.
    public func willChangeFiles(in folder: InodeNumber) { turn.noteFolder(folder) }

    /// Has something undone if the write fails, before anybody else has the tree.
    public func ifFailed(_ undo: @escaping () -> Void) { turn.undo.append(undo) }

    /// Must be called before the file of an entry leaves the place that tells whose it is: the row of what waits says it then.
    public func writeIfWaiting(_ inode: InodeNumber) throws {
        if waiting[inode] != nil || turn.carries(inode) { try turn.commitWaiting() }
    }

    /// What lstat(2) said of an entry's file, if that was noted since its row last changed.
    public func status(of inode: InodeNumber) -> NotedStatus? { cache.status(of: inode) }

    /// Remembers what lstat(2) says of an entry's file, as long as the row stays what it is and is asked for now and then. Who
    /// changes the file otherwise says so (`Catalog.forgetStatus`).
    public func noteStatus(_ status: NotedStatus, of inode: InodeNumber) { cache.note(status, of: inode) }

    /// Whether an entry was made and nothing was written of it: its file alone tells of it.
    public func isUnwritten(_ inode: InodeNumber) -> Bool { waiting.isNew(inode) }
}
