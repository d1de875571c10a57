import Documents
import FoundationEssentials
import LinuxFiles
import ObjectStore
import SystemPackage

/// Reads and writes the checkpoints of a container.
public struct Checkpoints: Sendable {
    static let folder = "checkpoint"
    private static let manifestName = "manifest"
    /// Bytes. A part ends with the entry that reaches this length.
    public static let partLength = 4 << 20
    /// Bytes.
    private static let largestPart = 64 << 20
    /// Bytes.
    private static let largestManifest = 4 << 20
    private static let keysAtOnce = 1000
    /// A new device may be reading the older one while the next is written.
    private static let keptCount = 2
    private static let parallelReads = 8

    /// Positions from one checkpoint to the next, while there are few entries.
    public static let shortestInterval: Int64 = 64

    private let store: any ObjectStore
    private let interval: Int64

    /// - Parameter interval: positions from one checkpoint to the next, while there are few entries.
    public init(store: any ObjectStore, interval: Int64 = shortestInterval) {
        self.store = store
        self.interval = interval
    }

    /// Whether the device that wrote the commit at `position` also writes a checkpoint. The more entries there are, the rarer. It depends on
    /// the position, so that one device does it.
    public func isDue(at position: LogPosition, entries: Int) -> Bool {
        var interval = interval
        while interval < Int64(entries) / 100 { interval *= 2 }
        return position.number > 0 && position.number.isMultiple(of: interval)
    }

    // MARK: Reading

    /// The newest checkpoint of a container of which all objects are there and undamaged; nil if there is none.
    ///
    /// - Parameters:
    ///   - earliest: older ones do not count.
    ///   - pinned: the devices that the reader knows; nil where it knows none.
    ///   - file: an empty file of the caller's, into which the parts are written.
    public func latest(
        of container: ContainerID, since earliest: LogPosition = .start, knowing pinned: Members? = nil,
        into file: FileDescriptor
    ) async throws(CheckpointError) -> FetchedCheckpoint? {
        for position in try await positions().reversed() where position >= earliest {
            do throws(CheckpointError) {
                return try await fetch(position, of: container, knowing: pinned, into: file)
            } catch {
                // A damaged one is passed over: an older one, or the log from its start, says the same.
                if case .store(let reason) = error, !reason.concernsOneObject { throw error }
            }
        }
        return nil
    }

    private func positions() async throws(CheckpointError) -> [LogPosition] {
        try await keys().filter { $0.last == Self.manifestName }.compactMap {
            Int64($0.components[1]).flatMap(LogPosition.init(named:))
        }
    }

    private func keys() async throws(CheckpointError) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        while true {
            let page = try await stored { () throws(ObjectStoreError) in
                try await store.list(ObjectKey(valid: [Self.folder]), after: keys.last, limit: Self.keysAtOnce)
            }
            keys += page
            if page.count < Self.keysAtOnce { return keys.filter { $0.components.count == 3 } }
        }
    }

    private func fetch(
        _ position: LogPosition, of container: ContainerID, knowing pinned: Members?, into file: FileDescriptor
    ) async throws(CheckpointError) -> FetchedCheckpoint {
        let manifest = try await manifest(position, of: container, knowing: pinned)
        let parts = try await fetchParts(manifest.parts, position, into: file)
        return FetchedCheckpoint(head: manifest.head.logHead, count: manifest.count, file: file, parts: parts)
    }

    private func manifest(
        _ position: LogPosition, of container: ContainerID, knowing pinned: Members?
    ) async throws(CheckpointError) -> CheckpointManifest {
        let manifest = try await manifest(position)
        guard manifest.head.container == container else { throw .invalid("it belongs to another container") }
        let isSigned = manifest.device != nil || manifest.signature != nil || manifest.head.members != nil
        if isSigned, !store.isEncrypted { throw .invalid("it is signed, in a container that is not encrypted") }
        guard manifest.isBelieved(by: pinned) else {
            throw .invalid("it was not signed by the device in whose name it is, or names another key of a device")
        }
        return manifest
    }

    private func manifest(_ position: LogPosition) async throws(CheckpointError) -> CheckpointManifest {
        let bytes = try await stored { () throws(ObjectStoreError) in
            try await store.get(Self.key(position, Self.manifestName), limit: Self.largestManifest)
        }
        let manifest: CheckpointManifest
        do { manifest = try CheckpointManifest(decoding: bytes) } catch let error as CheckpointError {
            throw error
        } catch {
            throw .invalid("its manifest cannot be read")
        }
        guard manifest.format == CheckpointManifest.currentFormat, manifest.head.position == position,
            manifest.head.root <= position.next, manifest.count >= 0, manifest.parts.allSatisfy(Digest.isHexadecimal)
        else { throw .invalid("a value in its manifest") }
        return manifest
    }

    /// The newest position at which there is a checkpoint, whatever is in it; the start if there is none.
    public func newestPosition() async throws(CheckpointError) -> LogPosition {
        try await positions().last ?? .start
    }

    /// The head of the newest checkpoint whose manifest can be read and believed; nil if there is none.
    ///
    /// - Parameter pinned: the devices that the reader knows; nil where it knows none.
    public func latestHead(
        of container: ContainerID, knowing pinned: Members?
    ) async throws(CheckpointError) -> LogHead? {
        for position in try await positions().reversed() {
            do throws(CheckpointError) {
                return try await manifest(position, of: container, knowing: pinned).head.logHead
            } catch {
                if case .store(let reason) = error, !reason.concernsOneObject { throw error }
            }
        }
        return nil
    }

    private func fetchParts(
        _ digests: [String], _ position: LogPosition, into file: FileDescriptor
    ) async throws(CheckpointError) -> [Range<Int64>] {
        typealias Fetched = (index: Int, part: Result<[UInt8], CheckpointError>)
        let result = await withTaskGroup(
            of: Fetched.self, returning: Result<[Range<Int64>], CheckpointError>.self
        ) { group in
            var rest = digests.enumerated().makeIterator()
            func fetchNext() {
                guard let (index, digest) = rest.next() else { return }
                group.addTask {
                    let part = await fetchPart(digest, position)
                    return (index, part)
                }
            }
            for _ in 0..<Self.parallelReads { fetchNext() }
            var ranges = [Range<Int64>](repeating: 0..<0, count: digests.count)
            var end: Int64 = 0
            for await fetched in group {
                let written: Result<Int64, CheckpointError>
                do throws(CheckpointError) {
                    written = .success(try await append(try fetched.part.get(), to: file, at: end))
                } catch { written = .failure(error) }
                guard case .success(let newEnd) = written else {
                    group.cancelAll()
                    return written.map { _ in [] }
                }
                ranges[fetched.index] = end..<newEnd
                end = newEnd
                fetchNext()
            }
            return .success(ranges)
        }
        return try result.get()
    }

    private func append(_ part: [UInt8], to file: FileDescriptor, at end: Int64) async throws(CheckpointError) -> Int64
    {
        try await onBlockingThread { () throws(CheckpointError) in
            do throws(Errno) { try file.write(part, at: end) } catch {
                throw .invalid("the file for its parts cannot be written: \(error)")
            }
            return end + Int64(part.count)
        }
    }

    private func fetchPart(_ digest: String, _ position: LogPosition) async -> Result<[UInt8], CheckpointError> {
        do throws(ObjectStoreError) {
            let bytes = try await store.get(Self.key(position, digest), limit: Self.largestPart)
            return Digest.sha256(of: bytes) == digest
                ? .success(bytes) : .failure(.invalid("a part of it does not have its digest"))
        } catch { return .failure(.store(error)) }
    }

    // MARK: Writing

    /// Writes a part. It counts once a manifest names it.
    ///
    /// - Returns: its digest.
    public func write(_ part: [UInt8], at position: LogPosition) async throws(CheckpointError) -> String {
        let digest = Digest.sha256(of: part)
        _ = try await stored { () throws(ObjectStoreError) in
            try await store.putIfAbsent(Self.key(position, digest), part)
        }
        return digest
    }

    /// Writes the manifest, which completes a checkpoint, and removes those that are older than the one before it.
    ///
    /// - Returns: false if another device has written another checkpoint of that position before.
    @discardableResult
    public func finish(_ manifest: CheckpointManifest) async throws(CheckpointError) -> Bool {
        let bytes: Data
        do { bytes = try manifest.encoded() } catch { throw .invalid("its manifest cannot be written: \(error)") }
        let key = Self.key(manifest.head.position, Self.manifestName)
        let outcome = try await stored { () throws(ObjectStoreError) in try await store.putIfAbsent(key, Array(bytes)) }
        if outcome == .alreadyExists {
            let present = try await self.manifest(manifest.head.position)
            if present != manifest { return false }
        }
        try await removeOld()
        return true
    }

    private func removeOld() async throws(CheckpointError) {
        let keys = try await keys()
        let whole = keys.filter { $0.last == Self.manifestName }.map { $0.components[1] }.sorted()
        guard whole.count > Self.keptCount, let oldestKept = whole.suffix(Self.keptCount).first else { return }
        let old = keys.filter { $0.components[1] < oldestKept }
        // Manifests first, so that nobody finds a checkpoint that lacks parts.
        let manifests = old.filter { $0.last == Self.manifestName }
        let parts = old.filter { $0.last != Self.manifestName }
        for key in manifests + parts {
            try await stored { () throws(ObjectStoreError) in try await store.delete(key) }
        }
    }

    /// Removes what there is of a checkpoint that cannot be read: the manifest first, so that nobody finds one that lacks parts.
    public func remove(at position: LogPosition) async throws(CheckpointError) {
        let all = try await keys().filter { $0.components[1] == position.key.last }
        for key in all.filter({ $0.last == Self.manifestName }) + all.filter({ $0.last != Self.manifestName }) {
            try await stored { () throws(ObjectStoreError) in try await store.delete(key) }
        }
    }

    private static func key(_ position: LogPosition, _ name: String) -> ObjectKey {
        ObjectKey(valid: [folder, position.key.last, name])
    }

    private func stored<Value>(
        _ body: () async throws(ObjectStoreError) -> Value
    ) async throws(CheckpointError) -> Value {
        do throws(ObjectStoreError) { return try await body() } catch { throw .store(error) }
    }
}

extension ObjectStoreError {
    /// Whether the object cannot be had, and the store can.
    fileprivate var concernsOneObject: Bool {
        switch self {
        case .notFound, .corrupted: true
        default: false
        }
    }
}
