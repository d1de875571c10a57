import Backing
import Catalog
import Documents
import Glibc
import Logging
import ObjectStore
import Synchronization
import SystemPackage

/// Reads and changes the tree for the other parts of the library: one at a time, and each change with its files as a whole.
///
/// A write that the kernel did by itself is noticed before the next change, so that the rules see it as a write.
final class Transactions: Sendable {
    let store: DocumentStore
    let cloud: any ContentSource
    let openFiles = OpenFiles()
    let unseenWrites = UnseenWrites()
    let transfers: Transfers
    let notices: ChangeNotices

    init(_ store: DocumentStore, cloud: any ContentSource, pace: SendingPace) {
        self.store = store
        self.cloud = cloud
        transfers = Transfers(cloud: cloud, pace: pace, instant: store.surroundings.instant)
        notices = ChangeNotices(now: store.surroundings.now)
    }

    /// Reads the catalog.
    func inspect<Value>(_ body: (CatalogTransaction) throws -> Value) throws(Refusal) -> Value {
        do { return try store.read(body) } catch { throw refusal(for: error) }
    }

    /// Changes the tree in one step: all of it or, when `body` throws, nothing in the catalog.
    ///
    /// - Parameter isNew: whether it makes something that takes room for good. On a full disk that is refused, before anything
    ///   is done; whatever else there is to do finds room in the reserve.
    func mutate<Value>(makingNew isNew: Bool = false, _ body: (CatalogTransaction) throws -> Value) throws(Refusal)
        -> Value
    {
        let value: Value
        do {
            if isNew { try store.requireWritable() }
            try noteUnseenWrites()
            value = try store.write(body)
        } catch { throw refusal(for: error) }
        notices.stateChanged()
        return value
    }

    /// Whether something new may be made, for those who find out later whether they must.
    var hasRoom: Bool { (try? store.requireWritable()) != nil }

    private func refusal(for error: any Error) -> Refusal {
        let refusal = Refusal(error)
        if case .storeFailed = refusal { store.logger.error("an operation failed", metadata: ["error": "\(error)"]) }
        return refusal
    }

    func noteContentChange(_ entry: inout Entry) {
        guard entry.kind == .document else { return }
        entry.notePending(.content)
        openFiles.file(entry.inode)?.state.withLock { if $0.writers > 0 { $0.isModified = true } }
    }

    /// What has been written unseen up to now counts as written. Not from inside a step.
    func noteUnseenWrites() throws {
        try unseenWrites.takeWritten { written in
            try store.write { catalog in
                for file in written {
                    guard var entry = try catalog.entry(file.inode) else { continue }
                    noteContentChange(&entry)
                    try catalog.update(entry)
                }
            }
            // It could not be noted while it was open.
            for file in written where !openFiles.isOpenForWriting(file.inode) { transfers.noteClosed(file.inode) }
            cloud.changesAreWaiting()
            notices.stateChanged()
        }
    }

    /// - Returns: whether it succeeded. What could not be noted is so with the next step that succeeds.
    @discardableResult
    func attemptToNoteUnseenWrites() -> Bool {
        do { try noteUnseenWrites() } catch {
            store.logger.error("a write could not be noted", metadata: ["error": "\(error)"])
            return false
        }
        return true
    }
}
