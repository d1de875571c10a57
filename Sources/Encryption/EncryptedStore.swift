import Ciphers
import Documents
import ObjectStore
import Synchronization
import SystemPackage

/// A store whose keeper cannot read it (the page Secrecy): contents, names and lengths are encrypted, and each object is bound to what it is, so that
/// none can stand in for another one. The keeper sees how many objects there are, about how long they are, and when they were made.
public final class EncryptedStore: ObjectStore {
    private let store: any ObjectStore
    let containerKey: ContainerKey
    /// The key object as this device knows it now: its passphrase may have been changed.
    private let keyObject: @Sendable () -> KeyObject?
    private let nameKey: SecretBytes
    /// Of the objects that were read in parts last.
    private let seals = Mutex<[ObjectKey: ObjectSeal]>([:])

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

    /// - Parameters:
    ///   - store: what the keeper sees.
    ///   - key: of the container.
    ///   - keyObject: the one that holds it, to be made again where it is lost.
    public init(_ store: any ObjectStore, key: ContainerKey, keyObject: @escaping @Sendable () -> KeyObject? = { nil })
    {
        self.keyObject = keyObject
        self.store = store
        containerKey = key
        nameKey = key.nameKey
    }

    private func name(_ key: ObjectKey) throws(ObjectStoreError) -> (name: ObjectName, place: ObjectKey) {
        guard let name = ObjectName(key) else { throw .failed(key, .invalidArgument) }
        return (name, name.encrypted(with: nameKey))
    }

    private static let changed = "it was not made under this name with the container's key, or was changed"

    /// Errors name objects as this device does.
    private func asked<Value>(
        _ key: ObjectKey, _ body: (ObjectKey) async throws(ObjectStoreError) -> Value
    ) async throws(ObjectStoreError) -> Value {
        let place = try name(key).place
        do throws(ObjectStoreError) { return try await body(place) } catch {
            switch error {
            case .notFound(place): throw .notFound(key)
            case .corrupted(place, let reason): throw .corrupted(key, reason)
            case .failed(place, let errno): throw .failed(key, errno)
            default: throw error
            }
        }
    }

    // MARK: Writing

    public func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        let seal = try newSeal(key, length: Int64(bytes.count))
        let sealed: [UInt8]
        do throws(Errno) {
            sealed = try SealedContent(BytesInMemory(bytes: bytes), seal: seal).read(
                at: 0, count: Int(seal.layout.sealedLength))
        } catch { throw .failed(key, error) }
        return try await asked(key) { place throws(ObjectStoreError) in try await store.putIfAbsent(place, sealed) }
    }

    public func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64, progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        let seal = try newSeal(key, length: length)
        let share = ProgressShare(of: length, in: seal.layout.sealedLength)
        let sealed = SealedContent(content, seal: seal)
        return try await asked(key) { place throws(ObjectStoreError) in
            try await store.putIfAbsent(place, sealed, length: seal.layout.sealedLength) { progress(share.next($0)) }
        }
    }

    private func newSeal(_ key: ObjectKey, length: Int64) throws(ObjectStoreError) -> ObjectSeal {
        ObjectSeal(
            of: try name(key).name, with: containerKey, length: length, salt: randomBytes(Int(SealedLayout.saltLength)))
    }

    // MARK: Reading

    public func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        let longest = Int(SealedLayout(length: Int64(limit)).sealedLength)
        let sealed = try await asked(key) { place throws(ObjectStoreError) in
            try await store.get(place, limit: longest)
        }
        let header = sealed.prefix(Int(SealedLayout.headerLength))
        guard let seal = ObjectSeal(header: header, of: try name(key).name, with: containerKey),
            Int64(sealed.count) == seal.layout.sealedLength
        else { throw .corrupted(key, Self.changed) }
        guard seal.layout.length <= limit else { throw .corrupted(key, "it is larger than \(limit) bytes") }
        let content = try open(sealed, from: 0, chunks: 0..<seal.layout.chunkCount, seal, key)
        return Array(content.prefix(Int(seal.layout.length)))
    }

    public func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        try await get(key, range: range) { _ in }
    }

    public func get(
        _ key: ObjectKey, range: Range<Int64>, arrived: @escaping @Sendable (Int64) -> Void
    ) async throws(ObjectStoreError) -> [UInt8] {
        if let known = seals.withLock({ $0[key] }) {
            do throws(ObjectStoreError) { return try await part(range, of: key, known, arrived) } catch {
                // Another one may have been made under the name meanwhile.
                guard case .corrupted = error else { throw error }
                seals.withLock { $0[key] = nil }
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
        let end = longest.chunks(of: range).last.map { longest.place(of: $0).upperBound } ?? SealedLayout.headerLength
        let share = ProgressShare(of: Int64(range.count), in: end)
        let sealed = try await asked(key) { place throws(ObjectStoreError) in
            try await store.get(place, range: 0..<end) { arrived(share.next($0)) }
        }
        let seal = try rememberSeal(of: key, sealed.prefix(Int(SealedLayout.headerLength)))
        let chunks = seal.layout.chunks(of: range)
        let content = cut(try open(sealed, from: 0, chunks: chunks, seal, key), to: range, chunks, seal.layout)
        // An object that is shorter than thought has come to its end before.
        arrived(max(0, Int64(content.count) - share.told))
        return content
    }

    private func part(
        _ range: Range<Int64>, of key: ObjectKey, _ seal: ObjectSeal, _ arrived: @escaping @Sendable (Int64) -> Void
    ) async throws(ObjectStoreError) -> [UInt8] {
        let chunks = seal.layout.chunks(of: range)
        guard let last = chunks.last else { return [] }
        let place = seal.layout.place(of: chunks.lowerBound).lowerBound..<seal.layout.place(of: last).upperBound
        let wanted = range.clamped(to: 0..<seal.layout.length)
        let share = ProgressShare(of: Int64(wanted.count), in: Int64(place.count))
        let sealed = try await asked(key) { name throws(ObjectStoreError) in
            try await store.get(name, range: place) { arrived(share.next($0)) }
        }
        return cut(try open(sealed, from: place.lowerBound, chunks: chunks, seal, key), to: range, chunks, seal.layout)
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

    private func readSeal(of key: ObjectKey) async throws(ObjectStoreError) -> ObjectSeal {
        let header = try await asked(key) { place throws(ObjectStoreError) in
            try await store.get(place, range: 0..<SealedLayout.headerLength)
        }
        return try rememberSeal(of: key, header)
    }

    private func rememberSeal(
        of key: ObjectKey, _ header: some Collection<UInt8>
    ) throws(ObjectStoreError) -> ObjectSeal {
        guard let seal = ObjectSeal(header: header, of: try name(key).name, with: containerKey) else {
            throw .corrupted(key, Self.changed)
        }
        seals.withLock { seals in
            if seals.count >= Self.mostSeals { seals = [:] }
            seals[key] = seal
        }
        return seal
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
        try await store.list(ObjectName.folder, after: nil, limit: .max).compactMap {
            ObjectName(encrypted: $0, with: nameKey)?.key
        }.filter { $0.components.count > 1 && $0.components[0] == prefix.description }.sorted()
    }

    // MARK: The rest

    public func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp {
        try await asked(key) { place throws(ObjectStoreError) in try await store.modified(place) }
    }

    public func now() async throws(ObjectStoreError) -> Timestamp { try await store.now() }

    public func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
        seals.withLock { $0[key] = nil }
        try await asked(key) { place throws(ObjectStoreError) in try await store.delete(place) }
    }

    public func probe() async throws(ObjectStoreError) { try await store.probe() }

    /// Also makes the copies of the key object again that are lost: without one nobody else could join, and a newcomer would take the place for
    /// an empty one.
    public func recreate() async throws(ObjectStoreError) {
        try await store.recreate()
        try await keyObject()?.restore(in: store)
    }

    public var isEncrypted: Bool { true }

    public var listsAllNames: Bool { true }

    public var quickestPoll: Duration { store.quickestPoll }

    public var longestPoll: Duration { store.longestPoll }

    /// Any object may be the one that is waited for.
    public func watch(_ prefix: ObjectKey, _ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        store.watch(ObjectName.folder, onChange)
    }
}
