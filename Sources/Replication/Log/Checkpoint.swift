import Documents
import FoundationEssentials
import ObjectStore
import SystemPackage

/// The state of the replica at some position of the log, so that a newcomer need not read all that led
/// there: `checkpoint/POSITION/manifest`, written last, and parts that are named by their content.
///
/// A part is a list of entries as JSON, one a line, folders before what lies in them.
public struct CheckpointManifest: Codable, Sendable, Equatable {
    public static let currentFormat = 1

    public var format = CheckpointManifest.currentFormat
    /// Where the log goes on, and what its next entry follows.
    public var head: LogHead
    /// Entries in all parts.
    public var count: Int
    /// SHA-256 digests in hexadecimal, in the order in which the parts are to be read.
    public var parts: [String]

    public init(head: LogHead, count: Int, parts: [String]) {
        self.head = head
        self.count = count
        self.parts = parts
    }
}

/// Why a checkpoint cannot be used. The log has everything, only slower.
public enum CheckpointError: Error, Sendable, CustomStringConvertible {
    case store(ObjectStoreError)
    case invalid(String)

    public var description: String {
        switch self {
        case .store(let error): error.description
        case .invalid(let reason): "a checkpoint of the cloud is invalid: \(reason)"
        }
    }
}

/// A checkpoint that was fetched into a file, verified part by part, and not yet looked into: with a
/// million entries it is too large to be held in memory.
public struct FetchedCheckpoint: Sendable {
    /// The head of the log as a device has it that begins here.
    public let head: LogHead
    let count: Int
    let file: FileDescriptor
    /// Where each part stands in the file, in the order in which they are to be read.
    let parts: [Range<Int64>]
}

/// Where checkpoints are, and how many are kept.
public struct Checkpoints: Sendable {
    static let folder = "checkpoint"
    private static let manifestName = "manifest"
    /// Bytes; a part ends with the entry that reaches this.
    public static let partLength = 4 << 20
    private static let largestPart = 64 << 20
    private static let largestManifest = 4 << 20
    /// A newcomer may be reading one while the next is written.
    private static let keptCount = 2
    private static let parallelReads = 8

    /// Commits from one checkpoint to the next, while there are few entries.
    public static let shortestInterval: Int64 = 64

    private let store: any ObjectStore
    private let interval: Int64

    /// - Parameter interval: commits from one checkpoint to the next, while there are few entries.
    public init(store: any ObjectStore, interval: Int64 = shortestInterval) {
        self.store = store
        self.interval = interval
    }

    /// Whether the device that wrote the commit at `position` writes a checkpoint after it: the rarer the
    /// larger the state, and by the position alone, so that one device does it.
    public func isDue(at position: LogPosition, entries: Int) -> Bool {
        var interval = interval
        while interval < Int64(entries) / 100 { interval *= 2 }
        return position.number > 0 && position.number.isMultiple(of: interval)
    }

    // MARK: Reading

    /// The newest checkpoint of a container that is whole; nil when there is none.
    ///
    /// - Parameter file: an empty one of the caller's, which takes the entries.
    public func latest(
        of container: ContainerID, into file: FileDescriptor
    ) async throws(CheckpointError) -> FetchedCheckpoint? {
        for position in try await positions().reversed() {
            do throws(CheckpointError) {
                return try await fetch(position, of: container, into: file)
            } catch {
                // An older one, or the log from its start, will do.
                if case .store(let reason) = error, !reason.concernsOneObject { throw error }
            }
        }
        return nil
    }

    private func positions() async throws(CheckpointError) -> [LogPosition] {
        try await keys().filter { $0.last == Self.manifestName }.compactMap {
            Int64($0.components[1]).map(LogPosition.init)
        }
    }

    private func keys() async throws(CheckpointError) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        while true {
            let page = try await stored { () throws(ObjectStoreError) in
                try await store.list(ObjectKey(Self.folder)!, after: keys.last, limit: 1000)
            }
            keys += page
            if page.count < 1000 { return keys.filter { $0.components.count == 3 } }
        }
    }

    private func fetch(
        _ position: LogPosition, of container: ContainerID, into file: FileDescriptor
    ) async throws(CheckpointError) -> FetchedCheckpoint {
        let manifest = try await manifest(position)
        guard manifest.head.container == container else { throw .invalid("it belongs to another container") }
        let parts = try await fetchParts(manifest.parts, position, into: file)
        var head = manifest.head
        head.readFrom = max(head.root, position)
        return FetchedCheckpoint(head: head, count: manifest.count, file: file, parts: parts)
    }

    private func manifest(_ position: LogPosition) async throws(CheckpointError) -> CheckpointManifest {
        let bytes = try await stored { () throws(ObjectStoreError) in
            try await store.get(Self.key(position, Self.manifestName), limit: Self.largestManifest)
        }
        guard let manifest = try? JSONDecoder().decode(CheckpointManifest.self, from: Data(bytes)),
            manifest.format == CheckpointManifest.currentFormat, manifest.head.position == position,
            manifest.head.root <= position.next, manifest.count >= 0,
            manifest.parts.allSatisfy({ $0.utf8.count == 64 && !$0.utf8.contains(UInt8(ascii: "/")) })
        else { throw .invalid("its manifest") }
        return manifest
    }

    /// The head of the newest checkpoint whose manifest can be read; nil when there is none.
    public func latestHead() async throws(CheckpointError) -> LogHead? {
        for position in try await positions().reversed() {
            do throws(CheckpointError) { return try await manifest(position).head } catch {
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
            do { try file.writeAll(toAbsoluteOffset: end, part) } catch {
                throw .invalid("its copy here cannot be written: \(error)")
            }
            return end + Int64(part.count)
        }
    }

    private func fetchPart(_ digest: String, _ position: LogPosition) async -> Result<[UInt8], CheckpointError> {
        do throws(ObjectStoreError) {
            let bytes = try await store.get(Self.key(position, digest), limit: Self.largestPart)
            return Digest.sha256(of: bytes) == digest ? .success(bytes) : .failure(.invalid("a part of it was changed"))
        } catch { return .failure(.store(error)) }
    }

    // MARK: Writing

    /// Writes a part, which counts once a manifest names it.
    ///
    /// - Returns: its digest.
    public func write(_ part: [UInt8], at position: LogPosition) async throws(CheckpointError) -> String {
        let digest = Digest.sha256(of: part)
        _ = try await stored { () throws(ObjectStoreError) in
            try await store.putIfAbsent(Self.key(position, digest), part)
        }
        return digest
    }

    /// Completes a checkpoint, and removes those that are older than the one before it.
    ///
    /// - Returns: false where another device has written one of that position before.
    @discardableResult
    public func finish(_ manifest: CheckpointManifest) async throws(CheckpointError) -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let bytes = try? encoder.encode(manifest) else { throw .invalid("its manifest") }
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
        // Manifests first: what has lost parts must not be found.
        let manifests = old.filter { $0.last == Self.manifestName }
        let parts = old.filter { $0.last != Self.manifestName }
        for key in manifests + parts {
            try await stored { () throws(ObjectStoreError) in try await store.delete(key) }
        }
    }

    private static func key(_ position: LogPosition, _ name: String) -> ObjectKey {
        ObjectKey([folder, position.key.last, name])!
    }

    private func stored<Value>(
        _ body: () async throws(ObjectStoreError) -> Value
    ) async throws(CheckpointError) -> Value {
        do throws(ObjectStoreError) { return try await body() } catch { throw .store(error) }
    }
}

extension ObjectStoreError {
    /// Not the store as a whole.
    fileprivate var concernsOneObject: Bool {
        switch self {
        case .notFound, .corrupted: true
        default: false
        }
    }
}
