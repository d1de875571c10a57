import Ciphers
import Documents
import LinuxFiles
import ObjectStore
import Synchronization
import SystemPackage

/// A store whose keeper cannot read it (the page Secrecy): contents, names and lengths are encrypted, and each object is bound to what it is, so that
/// none can stand in for another one. The keeper sees how many objects there are, about how long they are, and when they were made.
public final class EncryptedStore: ObjectStore {
    /// What the keeper sees.
    let keeper: any ObjectStore
    /// Of the container.
    public let keys: ContainerKeys
    /// Of the objects that were read in parts last.
    private let seals = Mutex<[ObjectKey: FoundSeal]>([:])

    private struct FoundSeal {
        let seal: ObjectSeal
        let candidate: Candidate
    }

    /// What an object is, and where it lies under one of the container's keys.
    private struct Candidate {
        let name: ObjectName
        let key: ContainerKey
        let stored: ObjectKey
    }

    private static let mostSeals = 256
    /// What is left of the last reading of all names, by prefix.
    private let readings = Mutex<[ObjectKey: Reading]>([:])

    private struct Reading {
        /// What was told last.
        let last: ObjectKey
        let rest: [ObjectKey]
        let time: ContinuousClock.Instant

        static let longestAge = Duration.seconds(60)
    }

    /// - Parameter store: what the keeper sees.
    public init(_ store: any ObjectStore, keys: ContainerKeys) {
        keeper = store
        self.keys = keys
    }

    private static let changed = "it was not made under this name with the container's key, or was changed"

    /// Under which names and keys an object may lie; it is written to the first.
    private func candidates(of key: ObjectKey) throws(ObjectStoreError) -> [Candidate] {
        guard let name = ObjectName(key) else { throw .failed(key, .invalidArgument) }
        return name.periods(of: keys.periods).map {
            Candidate(name: name, key: $0.key, stored: name.encrypted(with: $0.nameKey))
        }
    }

    /// Asks for an object where it is.
    private func found<Value>(
        _ key: ObjectKey, _ body: (Candidate) async throws(ObjectStoreError) -> Value
    ) async throws(ObjectStoreError) -> Value {
        var rest = try candidates(of: key)[...]
        while let candidate = rest.popFirst() {
            do throws(ObjectStoreError) { return try await named(key, at: candidate, body) } catch {
                guard case .notFound = error, !rest.isEmpty else { throw error }
            }
        }
        throw .notFound(key)
    }

    /// Errors name objects as this device does.
    private func named<Value>(
        _ key: ObjectKey, at candidate: Candidate, _ body: (Candidate) async throws(ObjectStoreError) -> Value
    ) async throws(ObjectStoreError) -> Value {
        do throws(ObjectStoreError) { return try await body(candidate) } catch {
            switch error {
            case .notFound(candidate.stored): throw .notFound(key)
            case .corrupted(candidate.stored, let reason): throw .corrupted(key, reason)
            case .failed(candidate.stored, let errno): throw .failed(key, errno)
            default: throw error
            }
        }
    }

    // MARK: Writing

    public func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        try await put(key, bytes, at: try candidates(of: key)[0])
    }

    private func put(_ key: ObjectKey, _ bytes: [UInt8], at candidate: Candidate) async throws(ObjectStoreError)
        -> PutOutcome
    {
        let seal = newSeal(candidate, length: Int64(bytes.count))
        let sealed: [UInt8]
        do throws(Errno) {
            sealed = try SealedContent(BytesInMemory(bytes: bytes), seal: seal).read(
                at: 0, count: Int(seal.layout.sealedLength))
        } catch { throw .failed(key, error) }
        return try await named(key, at: candidate) { candidate throws(ObjectStoreError) in
            try await keeper.putIfAbsent(candidate.stored, sealed)
        }
    }

    public func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64, progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        let candidate = try candidates(of: key)[0]
        let seal = newSeal(candidate, length: length)
        let share = ProgressShare(of: length, in: seal.layout.sealedLength)
        let sealed = SealedContent(content, seal: seal)
        return try await named(key, at: candidate) { candidate throws(ObjectStoreError) in
            try await keeper.putIfAbsent(candidate.stored, sealed, length: seal.layout.sealedLength) {
                progress(share.next($0))
            }
        }
    }

    private func newSeal(_ candidate: Candidate, length: Int64) -> ObjectSeal {
        ObjectSeal(
            of: candidate.name, with: candidate.key, length: length, salt: randomBytes(Int(SealedLayout.saltLength)))
    }

    // MARK: Reading

    public func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        let longest = Int(SealedLayout(length: Int64(limit)).sealedLength)
        return try await found(key) { candidate throws(ObjectStoreError) in
            let sealed = try await keeper.get(candidate.stored, limit: longest)
            let header = sealed.prefix(Int(SealedLayout.headerLength))
            guard let seal = ObjectSeal(header: header, of: candidate.name, with: candidate.key),
                Int64(sealed.count) == seal.layout.sealedLength
            else { throw .corrupted(key, Self.changed) }
            guard seal.layout.length <= limit else { throw .corrupted(key, "it is larger than \(limit) bytes") }
            let content = try open(sealed, from: 0, chunks: 0..<seal.layout.chunkCount, seal, key)
            return Array(content.prefix(Int(seal.layout.length)))
        }
    }

    public func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        try await get(key, range: range) { _ in }
    }

    public func get(
        _ key: ObjectKey, range: Range<Int64>, arrived: @escaping @Sendable (Int64) -> Void
    ) async throws(ObjectStoreError) -> [UInt8] {
        if let known = seals.withLock({ $0[key] }) {
            do throws(ObjectStoreError) { return try await part(range, of: key, known, arrived) } catch {
                // Another one may have been made under the name meanwhile, or under another key.
                switch error {
                case .corrupted, .notFound: seals.withLock { $0[key] = nil }
                default: throw error
                }
            }
        }
        if range.lowerBound < SealedLayout.chunkLength { return try await beginning(range, of: key, arrived) }
        return try await part(range, of: key, try await readSeal(of: key), arrived)
    }

    /// With the header, in one request: chunks stand where they do whatever the length is, but for the end of the last one.
    private func beginning(
        _ range: Range<Int64>, of key: ObjectKey, _ arrived: @escaping @Sendable (Int64) -> Void
    ) async throws(ObjectStoreError) -> [UInt8] {
        let longest = SealedLayout(length: SealedLayout.longestContent)
        let end = longest.chunks(of: range).last.map { longest.bytes(of: $0).upperBound } ?? SealedLayout.headerLength
        let share = ProgressShare(of: Int64(range.count), in: end)
        return try await found(key) { candidate throws(ObjectStoreError) in
            let sealed = try await keeper.get(candidate.stored, range: 0..<end) { arrived(share.next($0)) }
            let seal = try rememberSeal(of: key, at: candidate, sealed.prefix(Int(SealedLayout.headerLength))).seal
            let chunks = seal.layout.chunks(of: range)
            let content = cut(try open(sealed, from: 0, chunks: chunks, seal, key), to: range, chunks, seal.layout)
            // An object that is shorter than thought has come to its end before.
            arrived(max(0, Int64(content.count) - share.told))
            return content
        }
    }

    private func part(
        _ range: Range<Int64>, of key: ObjectKey, _ found: FoundSeal, _ arrived: @escaping @Sendable (Int64) -> Void
    ) async throws(ObjectStoreError) -> [UInt8] {
        let seal = found.seal
        let chunks = seal.layout.chunks(of: range)
        guard let last = chunks.last else { return [] }
        let piece = seal.layout.bytes(of: chunks.lowerBound).lowerBound..<seal.layout.bytes(of: last).upperBound
        let wanted = range.clamped(to: 0..<seal.layout.length)
        let share = ProgressShare(of: Int64(wanted.count), in: Int64(piece.count))
        let sealed = try await named(key, at: found.candidate) { candidate throws(ObjectStoreError) in
            try await keeper.get(candidate.stored, range: piece) { arrived(share.next($0)) }
        }
        return cut(try open(sealed, from: piece.lowerBound, chunks: chunks, seal, key), to: range, chunks, seal.layout)
    }

    /// - Parameter content: of whole chunks.
    private func cut(
        _ content: [UInt8], to range: Range<Int64>, _ chunks: Range<Int64>, _ layout: SealedLayout
    ) -> [UInt8] {
        let wanted = range.clamped(to: 0..<layout.length)
        if wanted.count == content.count { return content }
        let start = wanted.lowerBound - layout.content(of: chunks.lowerBound).lowerBound
        return Array(content.dropFirst(Int(start)).prefix(wanted.count))
    }

    /// - Parameters:
    ///   - bytes: of the object.
    ///   - start: where they begin in the object.
    /// - Returns: the chunks with their padding.
    private func open(
        _ bytes: consuming [UInt8], from start: Int64, chunks: Range<Int64>, _ seal: ObjectSeal, _ key: ObjectKey
    ) throws(ObjectStoreError) -> [UInt8] {
        guard seal.open(chunks, in: &bytes, from: start) else { throw .corrupted(key, Self.changed) }
        return bytes
    }

    private func readSeal(of key: ObjectKey) async throws(ObjectStoreError) -> FoundSeal {
        try await found(key) { candidate throws(ObjectStoreError) in
            let header = try await keeper.get(candidate.stored, range: 0..<SealedLayout.headerLength)
            return try rememberSeal(of: key, at: candidate, header)
        }
    }

    private func rememberSeal(
        of key: ObjectKey, at candidate: Candidate, _ header: some Collection<UInt8>
    ) throws(ObjectStoreError) -> FoundSeal {
        guard let seal = ObjectSeal(header: header, of: candidate.name, with: candidate.key) else {
            throw .corrupted(key, Self.changed)
        }
        let found = FoundSeal(seal: seal, candidate: candidate)
        seals.withLock { seals in
            if seals.count >= Self.mostSeals { seals = [:] }
            seals[key] = found
        }
        return found
    }

    // MARK: Listing

    /// The encrypted names have no order, so all of them are read, and told in the order of the keys. The page that follows another one is told
    /// from the same reading: page by page takes no longer than at once.
    public func list(_ prefix: ObjectKey, after: ObjectKey?, limit: Int) async throws(ObjectStoreError) -> [ObjectKey] {
        let rest: [ObjectKey]
        if let after, let known = takeReading(of: prefix, after: after) {
            rest = known
        } else {
            rest = try await keys(below: prefix).filter { key in after.map { key > $0 } ?? true }
        }
        let page = Array(rest.prefix(limit))
        if let last = page.last, rest.count > limit {
            let reading = Reading(last: last, rest: Array(rest.dropFirst(limit)), time: .now)
            readings.withLock { $0[prefix] = reading }
        }
        return page
    }

    private func takeReading(of prefix: ObjectKey, after: ObjectKey) -> [ObjectKey]? {
        guard let reading = readings.withLock({ $0.removeValue(forKey: prefix) }), reading.last == after,
            .now - reading.time < Reading.longestAge
        else { return nil }
        return reading.rest
    }

    private func keys(below prefix: ObjectKey) async throws(ObjectStoreError) -> [ObjectKey] {
        let periods = keys.periods
        let found = try await keeper.list(ObjectName.folder, after: nil, limit: .max).compactMap { stored in
            periods.lazy.compactMap { Self.name(stored, $0, among: periods) }.first
        }
        // A content may lie under two keys.
        return Set(found.filter { $0.components.count > 1 && $0.components[0] == prefix.description }).sorted()
    }

    /// - Returns: nil for what was not stored under this key, or is nothing there: a device that was left behind may write under a former key.
    private static func name(
        _ stored: ObjectKey, _ period: ContainerKeys.Period, among periods: [ContainerKeys.Period]
    ) -> ObjectKey? {
        guard let name = ObjectName(encrypted: stored, with: period.nameKey),
            name.periods(of: periods).contains(where: { $0.start == period.start })
        else { return nil }
        return name.key
    }

    // MARK: The rest

    public func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp {
        try await found(key) { candidate throws(ObjectStoreError) in try await keeper.modified(candidate.stored) }
    }

    public func now() async throws(ObjectStoreError) -> Timestamp { try await keeper.now() }

    public func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
        seals.withLock { $0[key] = nil }
        for candidate in try candidates(of: key) {
            try await named(key, at: candidate) { candidate throws(ObjectStoreError) in
                try await keeper.delete(candidate.stored)
            }
        }
    }

    public func probe() async throws(ObjectStoreError) { try await keeper.probe() }

    /// Also makes the copies of the key object again that are lost: without one nobody else could join, and a newcomer would take the place for
    /// an empty one.
    public func recreate() async throws(ObjectStoreError) {
        try await keeper.recreate()
        // Another process may have changed the passphrase. Without what it has kept, what this mount met is better than nothing.
        try? await onBlockingThread { [keys] in try keys.reload() }
        let kept = keys.kept
        try await kept.object.restore(in: keeper, of: kept.ring)
    }

    public var isEncrypted: Bool { true }

    public var listsAllNames: Bool { true }

    public var quickestPoll: Duration { keeper.quickestPoll }

    public var longestPoll: Duration { keeper.longestPoll }

    /// Any object may be the one that is waited for.
    public func watch(_ prefix: ObjectKey, _ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        keeper.watch(ObjectName.folder, onChange)
    }
}
