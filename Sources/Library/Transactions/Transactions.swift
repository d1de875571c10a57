import Backing
import Catalog
import Documents
import Glibc
import Logging
import Synchronization
import SystemPackage

/// Reads and changes the tree for the other parts of the library, one transaction at a time. A change of rows and files is made as a
/// whole.
///
/// Writes that the kernel made by itself are recorded before the next change that goes by them, so that its rules see them as writes.
final class Transactions: Sendable {
    private let store: DocumentStore
    private let cloud: any ContentSource
    private let openFiles: OpenFiles
    private let unseenWrites: UnseenWrites
    private let transfers: Transfers
    private let notices: ChangeNotices
    private let diskTrouble = DiskTrouble()

    /// Clocks, randomness and properties of the machine.
    var surroundings: Surroundings { store.surroundings }
    /// For failures that no caller is told of.
    var logger: Logger { store.logger }

    init(
        _ store: DocumentStore, cloud: any ContentSource, openFiles: OpenFiles, unseenWrites: UnseenWrites,
        transfers: Transfers, notices: ChangeNotices
    ) {
        self.store = store
        self.cloud = cloud
        self.openFiles = openFiles
        self.unseenWrites = unseenWrites
        self.transfers = transfers
        self.notices = notices
    }

    /// The number of changes so far. While it is the same, a read returns what it returned before.
    var writeCount: Int { store.catalog.writeCount }

    /// An entry's file changed, and its row did not (`Rows.cacheStatus`).
    func forgetStatus(of inode: InodeNumber) { store.catalog.forgetStatus(of: inode) }

    /// Writes the row of an entry if it still waits.
    ///
    /// - Throws: `CatalogError`; the row then goes on waiting.
    func writeIfWaiting(_ inode: InodeNumber) throws { try store.catalog.writeIfWaiting(inode) }

    /// Reads the catalog.
    func inspect<Value>(_ body: (Rows) throws -> Value) throws(Refusal) -> Value {
        do { return try store.read(body) } catch { throw refusal(for: error) }
    }

    /// Changes the tree in one transaction. If `body` throws, the catalog is not changed.
    ///
    /// - Parameters:
    ///   - isNew: whether `body` makes something that takes room for good. On a full disk that is refused before `body` runs; all other
    ///     changes find room in the reserve.
    ///   - concerned: the entries whose contents the rules of `body` go by. Of other files it is not looked whether the kernel wrote to them.
    func mutate<Value>(
        makingNew isNew: Bool = false, concerning concerned: ConcernedEntries = .all,
        _ body: (Transaction) throws -> Value
    ) throws(Refusal) -> Value {
        let value: Value
        do {
            if isNew { try store.requireWritable() }
            try recordUnseenWrites(to: concerned)
            value = try store.write(body)
        } catch { throw refusal(for: error) }
        diskTrouble.end()
        notices.stateChanged()
        return value
    }

    /// What keeps the disk of the store from taking changes, in one line; nil if nothing does, as far as anybody tried.
    var diskError: String? {
        guard let error = diskTrouble.error else { return nil }
        let isOver =
            error == .noSpace && !store.reserve.isScarce || error == .readOnlyFileSystem && !store.files.isReadOnly
        if isOver { diskTrouble.end() }
        return isOver ? nil : DiskTrouble.sentence(error, store: store.path)
    }

    /// Whether `mutate(makingNew: true)` would find room now. For callers that learn inside a transaction whether they make something
    /// new.
    var hasRoom: Bool {
        // An unreadable disk is reported by the change that follows.
        (try? store.requireWritable()) != nil
    }

    private func refusal(for error: any Error) -> Refusal {
        var refusal = Refusal(error)
        if case .storeFailed = refusal {
            store.logger.error("an operation failed", metadata: ["error": "\(error)"])
            // SQLite does not tell.
            if store.files.isReadOnly { refusal = .file(.readOnlyFileSystem) }
        }
        if diskTrouble.note(refusal) { notices.stateChanged() }
        return refusal
    }

    /// The content of a document changes: the row records that it must be sent.
    func markContentChanged(_ entry: inout Entry) {
        guard entry.kind == .document else { return }
        entry.markPending(.content)
        openFiles.file(entry.inode)?.withWriting { if $0.writers > 0 { $0.markModified() } }
    }

    /// Records all writes to these entries that the kernel made by itself until now. Must not be called inside a transaction.
    func recordUnseenWrites(to concerned: ConcernedEntries = .all) throws {
        try unseenWrites.recordWritten(among: concerned) { written in
            try store.write { transaction in
                let entries = try written.compactMap { try transaction.entry($0.inode) }
                if entries.allSatisfy({ transaction.isRebuilt($0) }) { transaction.durability = .soon }
                for var entry in entries {
                    markContentChanged(&entry)
                    try transaction.update(entry)
                }
            }
            // A file that was closed before its write could be recorded gets the time of its close now.
            for file in written where !openFiles.isOpenForWriting(file.inode) { transfers.markClosed(file.inode) }
            cloud.changesAreWaiting()
            notices.stateChanged()
        }
    }

    /// As `recordUnseenWrites`. A failure is logged; the next call that succeeds records the writes.
    ///
    /// - Returns: whether it succeeded.
    @discardableResult
    func tryToRecordUnseenWrites(to concerned: ConcernedEntries = .all) -> Bool {
        do { try recordUnseenWrites(to: concerned) } catch {
            store.logger.error("a write could not be recorded", metadata: ["error": "\(error)"])
            return false
        }
        return true
    }
}

extension Rows {
    /// Whether a crash loses nothing of an entry's row: it was never written, and all of it can be read from the file.
    ///
    /// - Parameter mode: the one that it is to get; nil if it keeps its own.
    func isRebuilt(_ entry: Entry, withMode mode: UInt16? = nil) -> Bool {
        isUnwritten(entry.inode) && BackingFolder.keepsMode(mode ?? entry.mode)
    }
}
