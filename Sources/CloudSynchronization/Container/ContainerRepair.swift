import Backing
import Catalog
import Ciphers
import Documents
import FoundationEssentials
import Library
import Logging
import ObjectStore
import Replica
import Replication

/// Repairs a damaged container, and takes over a container that another device repaired (ContainerFormat, "A container that is damaged").
///
/// If the log cannot be followed, a new chain begins at positions after all that exist, with a checkpoint of what can still be read from the
/// container and of what this device knew. A device that finds such a checkpoint takes it over, and adds to the container what only it
/// knew. Nothing changes on a device until all of that is in the log: if it is interrupted, it begins again.
struct ContainerRepair: Sendable {
    private let container: ContainerAccess
    private let tree: any SynchronizedTree
    private let inspector: ContainerInspector
    private let uploads: FinishedUploads
    private let checkpointWriter: CheckpointWriter

    var store: DocumentStore { container.store }
    private var log: ReplicatedLog { container.log }

    static let entriesAtOnce = 500
    /// Positions between a broken chain and the one that begins anew.
    static let gap: Int64 = 1000

    init(
        _ container: ContainerAccess, _ tree: any SynchronizedTree, _ inspector: ContainerInspector,
        _ uploads: FinishedUploads, _ checkpointWriter: CheckpointWriter
    ) {
        self.container = container
        self.tree = tree
        self.inspector = inspector
        self.uploads = uploads
        self.checkpointWriter = checkpointWriter
    }

    /// Takes over the container if another device has begun the log anew.
    ///
    /// - Returns: whether another device has.
    func takeOverIfRepaired() async throws -> Bool {
        guard let head = try container.head(), let latest = try await container.latestCheckpointHead(for: head),
            latest.container == head.container, latest.root > head.root
        else { return false }
        store.logger.notice("another device repaired the cloud container; it is taken over")
        try await takeOver(head.container, from: latest.root)
        return true
    }

    /// Takes over the container as it is, and adds what only this device knows.
    ///
    /// - Parameter root: the earliest position at which its chain can begin.
    func takeOver(_ id: ContainerID, from root: LogPosition = .start) async throws {
        let fresh = try await reread(id, salvages: false)
        defer { fresh.close() }
        // If it is earlier, the checkpoint that the chain begins with is damaged, and an older one was found.
        guard try fresh.head.root >= root else { throw LogError.container(.otherHistory(at: root)) }
        while try await !append(announcement(in: fresh) + commits(into: fresh, .container), fresh) {
            try await readOn(fresh)
        }
        try replaceReplica(by: fresh)
    }

    /// The catalog's record of the container is damaged: reads the container again, and sends nothing.
    func rereadReplica() async throws {
        guard let head = try container.head() else { return }
        let fresh = try await reread(head.container, salvages: false)
        defer { fresh.close() }
        // A container that was put back to an older state is a matter of its own (`takeOverIfRepaired`).
        guard try fresh.head.position >= head.position else {
            throw LogError.container(.otherHistory(at: head.position))
        }
        try replaceReplica(by: fresh)
    }

    /// A chain that has just begun gets an entry at once, even one without changes. By this entry other devices notice the new chain before
    /// they write to the broken one.
    private func announcement(in fresh: FreshReplica) throws -> [Commit] {
        let head = try fresh.head
        return head.commit == nil && head.root > LogPosition.start.next ? [Commit([], from: store)] : []
    }

    /// - Returns: false where another device wrote to the log meanwhile.
    private func append(_ commits: [Commit], _ fresh: FreshReplica) async throws -> Bool {
        for commit in commits {
            let head = try fresh.head
            let entry = try container.entry(commit, after: head)
            guard case .appended(let entry) = try await log.append(entry, at: head.position.next) else { return false }
            try fresh.apply(entry)
        }
        return true
    }

    /// Begins the log anew with all that can still be read from the container, and all that this device knows.
    func restartLog(of id: ContainerID) async throws {
        try await beginChain(of: id)
        // If another device was first, its chain counts.
        try await takeOver(id)
    }

    private func beginChain(of id: ContainerID) async throws {
        let fresh = try await reread(id, salvages: true)
        defer { fresh.close() }
        for commit in try commits(into: fresh, .device) { try fresh.apply(commit) }
        var head = try fresh.head
        // After all positions that were used, and after the roots of earlier chains: this is how other devices recognize a new chain. The
        // gap keeps a device that has not noticed yet from writing to a position of the new chain.
        let mine = try container.head()
        let last = max(
            head.position, mine?.position ?? .start, mine?.root ?? .start,
            try await container.newestCheckpointPosition())
        head.position = LogPosition(last.number + Self.gap)
        head.root = head.position.next
        head.readFrom = head.root
        head.commit = nil
        if let key = container.signingKey {
            let device = store.device
            do throws(ContainerFault) {
                try head.join(device.id, name: device.name, key: key.publicKey, at: store.surroundings.now())
            } catch { throw LogError.container(error) }
        }
        var random = store.surroundings.random()
        head.hash = ObjectHash(of: CommitID.random(using: &random).bytes + ContainerID.random(using: &random).bytes)
        try fresh.set(head)
        try await publish(fresh)
    }

    /// Takes the state that the log has, if all of the log fits together: then this device had applied an entry wrongly, and nothing that
    /// it believes is told to others.
    ///
    /// - Returns: false where another device wrote an entry with another state, or the log is damaged.
    func takeStateOfLog(of id: ContainerID) async throws -> Bool {
        guard let mine = try container.head() else { return false }
        let beginning = try container.beginning(of: id)
        let fresh = try FreshReplica(in: store.path, beginning: beginning)
        defer { fresh.close() }
        // A checkpoint may come from a device with a wrong state. Entries after it tell; of one that is newer than this device there may be
        // none.
        if mine.root != beginning.root || container.founding > .start {
            try await container.useLatestCheckpoint(of: id) { try fresh.add($0) }
        }
        guard try fresh.head.root == mine.root, try fresh.head.position <= mine.position else { return false }
        do { try await readOn(fresh) } catch let error as LogError where error.isDamage { return false }
        guard try fresh.head.position > mine.position else { return false }
        store.logger.error("this device had a wrong state of the cloud container; it takes that of the log")
        try replaceReplica(by: fresh)
        return true
    }

    // MARK: Reading the container again

    /// - Parameter salvages: whether a log that breaks off is read as far as it can be.
    private func reread(_ id: ContainerID, salvages: Bool) async throws -> FreshReplica {
        try container.requireKeys()
        let fresh = try FreshReplica(in: store.path, beginning: try container.beginning(of: id))
        do {
            try await container.useLatestCheckpoint(of: id) { try fresh.add($0) }
            do {
                // What came before the newest key was announced could have been written by whoever has a former one.
                if try fresh.head.position < container.founding { throw LogError.container(.unfounded) }
                try await readOn(fresh)
            } catch let error as LogError where salvages && error.isDamage {
                store.logger.warning("the log cannot be read further", metadata: ["error": "\(error)"])
            }
            if salvages { try await salvage(fresh) }
            return fresh
        } catch {
            fresh.close()
            throw error
        }
    }

    private func readOn(_ fresh: FreshReplica) async throws {
        while true {
            let entries = try await log.read(after: try fresh.head.position)
            if entries.isEmpty { return }
            for entry in entries {
                try container.admit(entry, after: try fresh.head)
                try fresh.apply(entry)
                // Those after it were asked for under the former key.
                if entry.commit.newKey != nil { break }
            }
        }
    }

    /// Applies the entries after the position at which the log breaks off, as far as they can be read.
    private func salvage(_ fresh: FreshReplica) async throws {
        let head = try fresh.head
        var last = max(head.position, container.founding)
        while true {
            let page = try await log.positions(after: last, atMost: ContainerAudit.pageLength)
            for position in page {
                do {
                    if let entry = try await log.read(position), entry.link.container == head.container {
                        try salvage(entry, at: position, fresh)
                    }
                } catch let error as LogError where error.isDamage {
                    store.logger.warning("a log entry is skipped", metadata: ["error": "\(error)"])
                }
                last = position
            }
            if page.count < ContainerAudit.pageLength { break }
        }
        var end = try fresh.head
        end.position = max(end.position, last)
        try fresh.set(end)
    }

    private func salvage(_ entry: LogEntry, at position: LogPosition, _ fresh: FreshReplica) throws {
        let head = try fresh.head
        do throws(ContainerFault) { try head.check(writerOf: entry, at: position) } catch {
            throw LogError.container(error)
        }
        try container.admit(entry, at: position)
        try fresh.follow(writerOf: entry, at: position)
        do { try fresh.apply(entry.commit) } catch {
            store.logger.error("a log entry could not be applied", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Changing over

    private func publish(_ fresh: FreshReplica) async throws {
        let head = try fresh.head
        let snapshot = try CheckpointSnapshot(of: fresh.catalog, in: store.files)
        do throws(CheckpointError) { try await checkpointWriter.write(snapshot, at: head) } catch {
            if case .store(let reason) = error { throw LogError.store(reason) }
            throw error
        }
    }

    /// From now on this device, too, has the container as `fresh` has it.
    private func replaceReplica(by fresh: FreshReplica) throws {
        let head = try fresh.head
        try tree.follow(in: { try $0.folders().map(\.inode) }) { transaction in
            let touched = try replaceRecords(by: fresh, head, transaction)
            try transaction.set(head)
            // Contents and a commit that were sent belonged to the container as it was before. The store may have lost them.
            try transaction.forgetAllUploads()
            try transaction.emptyOutbox()
            return (ReplicaChange(CatalogReplica(transaction), touched: touched), ())
        }
        uploads.forgetAll()
        inspector.restart()
    }

    /// - Returns: the entries that changed.
    private func replaceRecords(by fresh: FreshReplica, _ head: LogHead, _ transaction: Transaction) throws
        -> [EntryID]
    {
        let former = Set(try transaction.replicaParents().map(\.id))
        let ids = CheckpointSnapshot.foldersFirst(try fresh.catalog.read { try $0.replicaParents() })
        var touched: [EntryID] = []
        try transaction.forgetDepartedContents()
        for start in stride(from: 0, to: ids.count, by: Self.entriesAtOnce) {
            let some = ids[start..<min(start + Self.entriesAtOnce, ids.count)]
            let records = try fresh.catalog.read { fresh in try some.map { ($0, try fresh.replicaRecord($0)) } }
            for case (let id, let record?) in records {
                let entry = try JSONDecoder().decode(ReplicaEntry.self, from: Data(record))
                for content in entry.departedContents(at: head.position.next.number) { try transaction.record(content) }
                if try transaction.replicaRecord(id) == record { continue }
                try transaction.store(entry, as: record)
                touched.append(id)
            }
        }
        for id in former.subtracting(ids) {
            try transaction.deleteReplicaRecord(id)
            touched.append(id)
        }
        return touched
    }
}
