import Documents

/// One change of the tree, inside one `Catalog.write`: the only way to change rows. It collects the rows that change, how changes of files are
/// undone, and what is told of it. All of it happens, or nothing; what is told is told afterwards.
public final class Transaction: Rows {
    let inodes: InodeSupply
    private let letsRowsWait: Bool

    init(
        _ turn: Turn, inodes: InodeSupply, cache: EntryCache, counts: EntryCounts, waiting: WaitingRows,
        trash: TrashCount, letsRowsWait: Bool
    ) {
        self.inodes = inodes
        self.letsRowsWait = letsRowsWait
        super.init(turn, cache: cache, counts: counts, waiting: waiting, trash: trash)
    }

    /// When the rows that this transaction changes are written; `now` by default. Set it to `soon` only if the rows could be rebuilt
    /// from files. It has no effect once a row was written.
    public var durability: Durability {
        get { turn.durability }
        set { turn.durability = letsRowsWait ? newValue : .now }
    }

    /// Adds an event to those that the listener is told when the transaction has succeeded.
    public func announce(_ event: TreeEvent) { turn.events.append(event) }

    /// Runs `undo` if the transaction fails, before the tree is unlocked. What was added last runs first.
    public func ifFailed(_ undo: @escaping () -> Void) { turn.undo.append(undo) }

    /// Runs `body` when the transaction has succeeded, with the tree unlocked.
    public func whenDone(_ body: @escaping () -> Void) { turn.afterwards.append(body) }

    /// Commits all rows that wait. Call this first in a write that moves the files of several entries (`writeIfWaiting`).
    public func writeWaiting() throws { if !waiting.isEmpty || turn.carriesAny { try turn.commitWaiting() } }

    /// Call this before the file of an entry is moved away from the path by which the entry could be rebuilt: if the row
    /// still waits, it is committed now. To be called before this write changes any row.
    public func writeIfWaiting(_ inode: InodeNumber) throws {
        if waiting[inode] != nil || turn.carries(inode) { try turn.commitWaiting() }
    }
}
