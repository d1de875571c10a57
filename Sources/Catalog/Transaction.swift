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

    /// Runs `undo` if the transaction fails, before the tree is unlocked. What was added last runs first. If it throws, the listener is told
    /// of the failure (`Catalog.Listener`).
    public func ifFailed(_ undo: @escaping () throws -> Void) { turn.undo.append(undo) }

    /// Runs `body` when the transaction has succeeded, with the tree unlocked. If it throws, the listener is told (`Catalog.Listener`).
    public func whenDone(_ body: @escaping () throws -> Void) { turn.afterwards.append(body) }

    /// Call this before the file of an entry is moved away from the path by which the entry could be rebuilt: its row may not wait
    /// any longer. Nothing is committed in the midst of a transaction: if the row waits, this throws, the waiting rows are committed, and the
    /// body runs again from its start.
    public func requireWritten(_ inode: InodeNumber) throws {
        if waiting[inode] != nil || turn.carries(inode) { try turn.requireNoneWaiting() }
    }

    /// As `requireWritten`, for all rows: call this where the files of several entries are moved.
    public func requireAllWritten() throws { if !waiting.isEmpty || turn.carriesAny { try turn.requireNoneWaiting() } }
}
