import Documents
import GRDB

/// The queries of the catalog, for use inside one `Catalog.read` or `Catalog.write`, with the tree locked. Each throws `CatalogError` where
/// SQLite fails. It must not outlive the call.
public struct CatalogTransaction {
    let turn: Turn
    let inodes: InodeSupply
    let cache: EntryCache
    let counts: EntryCounts
    let waiting: WaitingRows
    let trash: TrashCount
    let letsRowsWait: Bool

    /// When the rows that this write changes are written; `now` by default. Set it to `soon` only if the rows could be rebuilt
    /// from files. It has no effect once this write has opened a transaction.
    public var durability: Durability {
        get { turn.durability }
        nonmutating set { turn.durability = letsRowsWait ? newValue : .now }
    }

    /// Adds an event to those that the listener is told when the write has succeeded.
    public func announce(_ event: TreeEvent) { turn.events.append(event) }

    /// Call this before changing files in a folder. If the write fails, the folder's files are compared with their rows.
    public func willChangeFiles(in folder: InodeNumber) { turn.insertFolder(folder) }

    /// Runs `undo` if the write fails, before the tree is unlocked.
    public func ifFailed(_ undo: @escaping () -> Void) { turn.undo.append(undo) }

    /// Runs `body` when the write has succeeded, with the tree unlocked.
    public func whenDone(_ body: @escaping () -> Void) { turn.afterwards.append(body) }

    /// Commits all rows that wait. Call this first in a write that moves the files of several entries (`writeIfWaiting`).
    public func writeWaiting() throws { if !waiting.isEmpty || turn.carriesAny { try turn.commitWaiting() } }

    /// Call this before the file of an entry is moved away from the path by which the entry could be rebuilt: if the row
    /// still waits, it is committed now. To be called before this write changes any row.
    public func writeIfWaiting(_ inode: InodeNumber) throws {
        if waiting[inode] != nil || turn.carries(inode) { try turn.commitWaiting() }
    }

    /// The cached result of lstat(2) for an entry's file; nil if there is none since its row last changed.
    public func status(of inode: InodeNumber) -> CachedStatus? { cache.status(of: inode) }

    /// Caches the result of lstat(2) for an entry's file until the row changes or falls out of the cache. Code that changes
    /// the file without its row must call `Catalog.forgetStatus`.
    public func cacheStatus(_ status: CachedStatus, of inode: InodeNumber) {
        cache.setStatus(status, of: inode)
    }

    /// Whether an entry was created and no row of it was ever written. After a crash, only its file tells of it.
    public func isUnwritten(_ inode: InodeNumber) -> Bool { waiting.isNew(inode) }
}
