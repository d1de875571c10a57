import Library
import Replica
import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

/// Checkpoints: read by a newcomer instead of the whole log, written now and then by who wrote the log.
extension Synchronizer {
    /// How far the log has been read here. A device that knows nothing of the container yet gives it its id, if nobody has, and
    /// begins with the newest checkpoint.
    func meetContainer() async throws -> LogHead {
        if let head = try head() { return head }
        let identity = try await identifyContainer()
        // It knew a container before there were heads.
        if try store.read({ try $0.replicaCount() }) > 0 { try await join(identity.id) }
        if let head = try head() { return head }
        try await takeOverLatest(of: identity.id)
        if let head = try head() { return head }
        try store.write { try $0.set(identity.emptyLog) }
        return identity.emptyLog
    }

    private func identifyContainer() async throws(LogError) -> ContainerIdentity {
        if let identity = try await ContainerIdentity.read(from: cloud.store) { return identity }
        // What others have written to has lost its object, and must not get another id.
        guard try await log.positions(after: .start, atMost: 1).isEmpty else { throw .container(.unnamed) }
        var random = store.surroundings.random()
        return try await ContainerIdentity(.random(using: &random)).establish(in: cloud.store)
    }

    private func takeOverLatest(of container: ContainerID) async throws {
        let file = try store.files.staging.openUnnamedFile("checkpoint")
        do throws(CheckpointError) {
            guard
                let checkpoint = try await checkpoints.latest(
                    of: container, into: FileDescriptor(rawValue: file.number))
            else { return }
            try await onBlockingThread { [self] () throws(CheckpointError) in
                try withExtendedLifetime(file) { () throws(CheckpointError) in try takeOver(checkpoint) }
            }
        } catch {
            if case .store(let reason) = error { throw LogError.store(reason) }
            store.logger.warning("reading the log from its start", metadata: ["error": "\(error)"])
        }
    }

    private func takeOver(_ checkpoint: FetchedCheckpoint) throws(CheckpointError) {
        do {
            try tree.fill { catalog, isEmpty, insert in
                let next = checkpoint.head.position.next.number
                try catalog.addMany(indexingAfterwards: isEmpty) {
                    try checkpoint.forEach { entry, record in
                        try catalog.store(entry, as: record)
                        for content in entry.departedContents(at: next) { try catalog.note(content) }
                        if !entry.isDeleted { try insert(entry) }
                    }
                }
                try catalog.set(checkpoint.head)
            }
        } catch let error as CheckpointError {
            throw error
        } catch {
            throw .invalid("\(error)")
        }
        // So much is not needed again.
        malloc_trim(0)
    }

    /// Writes a checkpoint in the background if the commit that this device has just written calls for one.
    func writeCheckpointIfDue() async throws {
        guard let head = try head() else { return }
        let position = head.position
        // Cheap to rule out before anything is counted.
        guard checkpoints.isDue(at: position, entries: 0), isWritingCheckpoint.withLock({ !$0 }),
            checkpoints.isDue(at: position, entries: try store.read { try $0.replicaCount() })
        else { return }
        let snapshot = try await onBlockingThread { [store] in
            try CheckpointSnapshot(of: store.catalog, in: store.files)
        }
        isWritingCheckpoint.withLock { $0 = true }
        Task {
            do throws(CheckpointError) { try await write(snapshot, at: head) } catch {
                // The next one that is due will do.
                store.logger.warning("a checkpoint could not be written", metadata: ["error": "\(error)"])
            }
            isWritingCheckpoint.withLock { $0 = false }
        }
    }

    /// Writes a checkpoint. If another device has written one of that position before, that one stays.
    func write(_ snapshot: CheckpointSnapshot, at head: LogHead) async throws(CheckpointError) {
        var parts: [String] = []
        for part in snapshot.parts {
            parts.append(try await checkpoints.write(try snapshot.read(part), at: head.position))
        }
        try await checkpoints.finish(CheckpointManifest(head: head, count: snapshot.count, parts: parts))
    }
}

/// The committed state as it is now, in a file without a name: the log may go on while it is sent.
struct CheckpointSnapshot: Sendable {
    let count: Int
    /// Where each part stands in the file.
    private(set) var parts: [Range<Int64>] = []
    private let file: Descriptor
    private static let recordsAtOnce = 1000

    init(of catalog: Catalog, in backing: BackingStore) throws {
        file = try backing.staging.openUnnamedFile("checkpoint")
        let ids = Self.foldersFirst(try catalog.read { try $0.replicaParents() })
        count = ids.count
        var part: [UInt8] = []
        var next = 0
        while next < ids.count {
            let some = ids[next..<min(next + Self.recordsAtOnce, ids.count)]
            for record in try catalog.read({ catalog in try some.compactMap { try catalog.replicaRecord($0) } }) {
                part += record + [UInt8(ascii: "\n")]
                if part.count >= Checkpoints.partLength { try append(&part) }
            }
            next += some.count
        }
        if !part.isEmpty { try append(&part) }
    }

    private mutating func append(_ part: inout [UInt8]) throws {
        let start = parts.last?.upperBound ?? 0
        try FileDescriptor(rawValue: file.number).writeAll(toAbsoluteOffset: start, part)
        parts.append(start..<start + Int64(part.count))
        part.removeAll(keepingCapacity: true)
    }

    func read(_ part: Range<Int64>) throws(CheckpointError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: part.count)
        let count = bytes.withUnsafeMutableBytes {
            pread(file.number, $0.baseAddress, $0.count, off_t(part.lowerBound))
        }
        guard count == part.count else { throw .invalid("its file here cannot be read") }
        return bytes
    }

    /// Each after the folder that it lies in.
    static func foldersFirst(_ parents: [(id: EntryID, parent: EntryID)]) -> [EntryID] {
        let children = Dictionary(grouping: parents, by: \.parent)
        var ordered = (children[.cloudRoot] ?? []).map(\.id)
        var next = 0
        while next < ordered.count {
            if let inner = children[ordered[next]] { ordered += inner.map(\.id) }
            next += 1
        }
        return ordered
    }
}
