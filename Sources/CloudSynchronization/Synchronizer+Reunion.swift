import Library
import Replica
import Backing
import Catalog
import Documents
import Foundation
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

/// Making a damaged container whole, and following one that was made whole elsewhere (PRODUCT 5).
///
/// Where the log cannot be followed, a new chain begins beyond all that is there, with a checkpoint of what the container still says
/// and of what this device knew. A device that meets such a checkpoint takes it over, and tells the container in turn of what only
/// it knew. Until all that is in the log, nothing changes here: whoever is interrupted begins again.
extension Synchronizer {
    private static let entriesAtOnce = 500
    /// Positions between a chain that was broken and the one that begins anew.
    private static let gap: Int64 = 1000

    /// Whether another device has begun the log anew; then this one follows.
    func followsRepair() async throws -> Bool {
        guard let head = try head() else { return false }
        let root: LogPosition
        do throws(CheckpointError) {
            guard let latest = try await checkpoints.latestHead(), latest.container == head.container,
                latest.root > head.root
            else { return false }
            root = latest.root
        } catch {
            if case .store(let reason) = error { throw LogError.store(reason) }
            return false
        }
        store.logger.notice("the cloud container was made whole by another device, and is taken over")
        try await join(head.container, from: root)
        return true
    }

    /// Takes over the container as it is, and adds what only this device knows.
    ///
    /// - Parameter root: where its chain is known to begin, at least.
    func join(_ container: ContainerID, from root: LogPosition = .start) async throws {
        let fresh = try await reread(container, salvages: false)
        defer { fresh.close() }
        // The checkpoint that the chain begins with is damaged, and an older one was found.
        guard try fresh.head.root >= root else { throw LogError.container(.otherHistory(at: root)) }
        while try await !append(announcement(in: fresh) + commits(into: fresh, .container), fresh) {
            try await readOn(fresh)
        }
        try adopt(fresh)
    }

    /// A chain that has just begun gets an entry at once, if one without changes: by that every device notices it before it writes to
    /// the chain before.
    private func announcement(in fresh: FreshReplica) throws -> [Commit] {
        let head = try fresh.head
        return head.commit == nil && head.root > LogPosition.start.next ? [commit(of: [])] : []
    }

    /// - Returns: false where another device wrote to the log meanwhile.
    private func append(_ commits: [Commit], _ fresh: FreshReplica) async throws -> Bool {
        for commit in commits {
            let entry = try LogEntry(commit, after: try fresh.head.link)
            guard case .appended = try await log.append(entry, at: try fresh.head.position.next) else { return false }
            try fresh.take(entry)
        }
        return true
    }

    /// Begins the log anew with all that the container still says, and all that this device knows.
    func refound(_ container: ContainerID) async throws {
        try await beginChain(of: container)
        // If another device was first, that one's chain counts.
        try await join(container)
    }

    private func beginChain(of container: ContainerID) async throws {
        let fresh = try await reread(container, salvages: true)
        defer { fresh.close() }
        for commit in try commits(into: fresh, .device) { try fresh.take(commit) }
        var head = try fresh.head
        // Beyond all that was, and beyond where a chain began before: by that others know that it has begun anew. And far enough that
        // a device which has not noticed yet does not write where the new chain goes on.
        let mine = try self.head()
        let last = max(head.position, mine?.position ?? .start, mine?.root ?? .start)
        head.position = LogPosition(last.number + Self.gap)
        head.root = head.position.next
        head.readFrom = head.root
        head.commit = nil
        var random = store.surroundings.random()
        head.hash = ObjectHash(of: CommitID.random(using: &random).bytes + ContainerID.random(using: &random).bytes)
        try fresh.set(head)
        try await publish(fresh)
    }

    // MARK: What the container says

    private func reread(_ container: ContainerID, salvages: Bool) async throws -> FreshReplica {
        let fresh = try FreshReplica(
            in: store.path, beginning: ContainerIdentity(container).emptyLog)
        do {
            let file = try store.files.staging.openUnnamedFile("checkpoint")
            do throws(CheckpointError) {
                if let checkpoint = try await checkpoints.latest(
                    of: container, into: FileDescriptor(rawValue: file.number))
                {
                    do { try withExtendedLifetime(file) { try fresh.take(checkpoint) } } catch {
                        throw CheckpointError.invalid("\(error)")
                    }
                }
            } catch {
                if case .store(let reason) = error { throw LogError.store(reason) }
                store.logger.warning("reading the log from its start", metadata: ["error": "\(error)"])
            }
            do { try await readOn(fresh) } catch let error as LogError where salvages && error.isDamage {
                store.logger.warning("the log cannot be read on", metadata: ["error": "\(error)"])
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
                do { try fresh.take(entry) } catch let fault as ContainerFault { throw LogError.container(fault) }
            }
        }
    }

    /// What stands in the log beyond the place where it breaks off is applied as far as it can be read.
    private func salvage(_ fresh: FreshReplica) async throws {
        var last = try fresh.head.position
        while true {
            let page = try await log.positions(after: last, atMost: ContainerAudit.pageLength)
            for position in page {
                do throws(LogError) {
                    if let entry = try await log.read(position), entry.link.container == (try? fresh.head.container) {
                        do { try fresh.take(entry.commit) } catch {
                            store.logger.error("a log entry could not be applied", metadata: ["error": "\(error)"])
                        }
                    }
                } catch {
                    guard error.isDamage else { throw error }
                    store.logger.warning("a log entry is passed over", metadata: ["error": "\(error)"])
                }
                last = position
            }
            if page.count < ContainerAudit.pageLength { break }
        }
        var head = try fresh.head
        head.position = max(head.position, last)
        try fresh.set(head)
    }

    // MARK: What only this device knows

    private func commits(into fresh: FreshReplica, _ authority: Reunion.Authority) throws -> [Commit] {
        var changes: [Change] = []
        var deletions: [Change] = []
        let ids = CheckpointSnapshot.foldersFirst(try store.read { try $0.replicaParents() })
        for start in stride(from: 0, to: ids.count, by: Self.entriesAtOnce) {
            let some = ids[start..<min(start + Self.entriesAtOnce, ids.count)]
            let (mine, theirs) = (try Self.entries(some, store.catalog), try Self.entries(some, fresh.catalog))
            for id in some {
                guard let entry = mine[id], theirs[id] != entry else { continue }
                for change in Reunion.changes(from: entry, into: theirs[id], authority) {
                    if case .delete = change { deletions.append(change) } else { changes.append(change) }
                }
            }
        }
        // What is in a folder goes before the folder.
        changes += deletions.reversed()
        let isNews = try hasEffect(changes, fresh)
        return isNews ? commits(of: changes) : []
    }

    /// A deletion of what came back since, say, changes nothing, however often it is told.
    private func hasEffect(_ changes: [Change], _ fresh: FreshReplica) throws -> Bool {
        let head = try fresh.head
        struct Unwanted: Error { let state: StateHash }
        do {
            try fresh.catalog.write { catalog in
                var replica = CatalogReplica(catalog, after: head)
                for commit in commits(of: changes) { _ = try apply(commit, to: &replica) }
                throw Unwanted(state: replica.state)
            }
        } catch let attempt as Unwanted { return attempt.state != head.state }
        return false
    }

    private func commits(of changes: [Change]) -> [Commit] {
        var commits: [Commit] = []
        var rest = changes[...]
        while !rest.isEmpty {
            var bytes = 0
            let some = rest.prefix { change in
                bytes += change.approximateLength
                return bytes <= CommitDraft.mostBytes
            }
            let next = some.isEmpty ? rest.prefix(1) : some
            commits.append(commit(of: Array(next)))
            rest = rest.dropFirst(next.count)
        }
        return commits
    }

    private func commit(of changes: [Change]) -> Commit {
        var random = store.surroundings.random()
        return Commit(
            id: .random(using: &random), device: store.device.id, deviceName: store.device.name,
            time: store.surroundings.now(), changes: changes)
    }

    private static func entries(_ ids: some Sequence<EntryID>, _ catalog: Catalog) throws -> [EntryID: ReplicaEntry] {
        try catalog.read { catalog in
            let replica = CatalogReplica(catalog)
            var entries: [EntryID: ReplicaEntry] = [:]
            for id in ids { entries[id] = try replica.entry(id) }
            return entries
        }
    }

    // MARK: Taking over

    private func publish(_ fresh: FreshReplica) async throws {
        let head = try fresh.head
        let snapshot = try CheckpointSnapshot(of: fresh.catalog, in: store.files)
        do throws(CheckpointError) { try await write(snapshot, at: head) } catch {
            if case .store(let reason) = error { throw LogError.store(reason) }
            throw error
        }
    }

    /// From now on the container is that one, for this device, too.
    private func adopt(_ fresh: FreshReplica) throws {
        let head = try fresh.head
        try tree.follow(in: { try $0.folders().map(\.inode) }) { catalog in
            let touched = try replaceReplica(by: fresh, head, catalog)
            try catalog.set(head)
            // What was sent, or on its way, was so to what the container was before; the store may not have it any more.
            try catalog.forgetAllUploads()
            try catalog.emptyOutbox()
            return (ReplicaChange(CatalogReplica(catalog), touched: touched), ())
        }
        uploaded.withLock { $0 = [:] }
        inspection.withLock { $0 = Inspection() }
    }

    /// - Returns: the entries that are others than they were.
    private func replaceReplica(by fresh: FreshReplica, _ head: LogHead, _ catalog: CatalogTransaction) throws
        -> [EntryID]
    {
        let former = Set(try catalog.replicaParents().map(\.id))
        let ids = CheckpointSnapshot.foldersFirst(try fresh.catalog.read { try $0.replicaParents() })
        var touched: [EntryID] = []
        try catalog.forgetDepartedContents()
        for start in stride(from: 0, to: ids.count, by: Self.entriesAtOnce) {
            let some = ids[start..<min(start + Self.entriesAtOnce, ids.count)]
            let records = try fresh.catalog.read { fresh in try some.map { ($0, try fresh.replicaRecord($0)) } }
            for case (let id, let record?) in records {
                let entry = try JSONDecoder().decode(ReplicaEntry.self, from: Data(record))
                for content in entry.departedContents(at: head.position.next.number) { try catalog.note(content) }
                if try catalog.replicaRecord(id) == record { continue }
                try catalog.store(entry, as: record)
                touched.append(id)
            }
        }
        for id in former.subtracting(ids) {
            try catalog.deleteReplicaRecord(id)
            touched.append(id)
        }
        return touched
    }
}

extension Change {
    /// Bytes that it takes in a log entry, about.
    fileprivate var approximateLength: Int {
        switch self {
        case .create(let entry):
            1000 * (1 + (entry.versions?.all.count ?? 0)) + (entry.description.attributes?.count ?? 0) * 4 / 3
        case .describe(_, let change): 1000 + (change.attributes?.json?.count ?? 0) * 4 / 3
        case .save: 1000
        case .delete(_, let versions), .bequeath(_, _, let versions): 200 + 40 * versions.count
        case .resolve(_, let resolution): 200 + 40 * resolution.discarded.count
        }
    }
}
