import Documents

/// The rows of the catalog as one transaction sees them, for use inside one `Catalog.read` or, as a `Transaction`, one `Catalog.write`, with
/// the tree locked. Each query throws `CatalogError` where SQLite fails. It must not outlive the call.
public class Rows {
    let turn: Turn
    let cache: EntryCache
    let counts: EntryCounts
    let waiting: WaitingRows
    let trash: TrashCount

    init(_ turn: Turn, cache: EntryCache, counts: EntryCounts, waiting: WaitingRows, trash: TrashCount) {
        self.turn = turn
        self.cache = cache
        self.counts = counts
        self.waiting = waiting
        self.trash = trash
    }

    /// Call this before files of a folder are used. If the transaction fails, the folder's files are compared with their rows.
    public func willUseFiles(of folder: InodeNumber) { turn.insertFolder(folder) }

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
