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
    /// The key object as this device met it.
    private let keyObject: KeyObject?
    private let nameKey: [UInt8]
    /// Of the objects that were read in parts last.
    private let seals = Mutex<[ObjectKey: ObjectSeal]>([:])

    private static let mostSeals = 256
    /// Positions of the log that are asked for at once. Where so many are absent, the log has ended.
    private static let positionsAtOnce: Int64 = 8

    /// - Parameters:
    ///   - store: what the keeper sees.
    ///   - key: of the container.
    ///   - keyObject: the one that holds it, to be made again where it is lost.
    public init(_ store: any ObjectStore, key: ContainerKey, keyObject: KeyObject? = nil) {
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
        return try open(sealed[...], from: 0, chunks: 0..<seal.layout.chunkCount, seal, key)
    }

    public func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        try await get(key, range: range) { _ in }
    }

    public func get(
        _ key: ObjectKey, range: Range<Int64>, arrived: @escaping @Sendable (Int64) -> Void
    ) async throws(ObjectStoreError) -> [UInt8] {
        let seal = try await seal(of: key)
        let chunks = seal.layout.chunks(of: range)
        guard let last = chunks.last else { return [] }
        let place = seal.layout.place(of: chunks.lowerBound).lowerBound..<seal.layout.place(of: last).upperBound
        let wanted = range.clamped(to: 0..<seal.layout.length)
        let share = ProgressShare(of: Int64(wanted.count), in: Int64(place.count))
        let sealed = try await asked(key) { name throws(ObjectStoreError) in
            try await store.get(name, range: place) { arrived(share.next($0)) }
        }
        let content: [UInt8]
        do throws(ObjectStoreError) {
            content = try open(sealed[...], from: place.lowerBound, chunks: chunks, seal, key)
        } catch {
            // Another one may have been made under the name meanwhile.
            seals.withLock { $0[key] = nil }
            throw error
        }
        let start = wanted.lowerBound - seal.layout.content(of: chunks.lowerBound).lowerBound
        return Array(content.dropFirst(Int(start)).prefix(wanted.count))
    }

    /// - Parameter start: where the bytes begin in the object.
    private func open(
        _ sealed: ArraySlice<UInt8>, from start: Int64, chunks: Range<Int64>, _ seal: ObjectSeal, _ key: ObjectKey
    ) throws(ObjectStoreError) -> [UInt8] {
        var content: [UInt8] = []
        for chunk in chunks {
            let place = seal.layout.place(of: chunk)
            let piece = sealed.dropFirst(Int(place.lowerBound - start)).prefix(place.count)
            guard let opened = seal.open(piece, chunk: chunk) else { throw .corrupted(key, Self.changed) }
            content += opened
        }
        return content
    }

    private func seal(of key: ObjectKey) async throws(ObjectStoreError) -> ObjectSeal {
        if let known = seals.withLock({ $0[key] }) { return known }
        let header = try await asked(key) { place throws(ObjectStoreError) in
            try await store.get(place, range: 0..<SealedLayout.headerLength)
        }
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

    public func list(_ prefix: ObjectKey, after: ObjectKey?, limit: Int) async throws(ObjectStoreError) -> [ObjectKey] {
        switch prefix.description {
        case "log": try await entries(after: after, limit: limit)
        case "documents": try await objects(of: prefix, after: after, limit: limit)
        // There are few. They are told in their own order.
        default:
            try await objects(of: prefix, after: nil, limit: .max).sorted().filter { key in
                after.map { key > $0 } ?? true
            }
            .prefix(limit).map(\.self)
        }
    }

    /// The encrypted names have no order, and there are many objects beside the log: its entries are asked for one by one.
    private func entries(after: ObjectKey?, limit: Int) async throws(ObjectStoreError) -> [ObjectKey] {
        var position = after.flatMap { UInt64($0.last) }.map(Int64.init(clamping:)) ?? 0
        var found: [ObjectKey] = []
        while found.count < limit {
            let asked = (position + 1...position + Self.positionsAtOnce).compactMap { number in
                let digits = String(number)
                return ObjectKey(["log", String(repeating: "0", count: max(0, 16 - digits.count)) + digits])
            }
            let present = try await presence(of: asked)
            if !present.contains(true) { break }
            found += zip(asked, present).filter(\.1).map(\.0)
            position += Self.positionsAtOnce
        }
        return Array(found.prefix(limit))
    }

    private func presence(of keys: [ObjectKey]) async throws(ObjectStoreError) -> [Bool] {
        let answers = await withTaskGroup(of: (Int, Result<Bool, ObjectStoreError>).self) { group in
            for (index, key) in keys.enumerated() { group.addTask { (index, await self.isPresent(key)) } }
            var answers = [Result<Bool, ObjectStoreError>](repeating: .success(false), count: keys.count)
            for await (index, answer) in group { answers[index] = answer }
            return answers
        }
        var present: [Bool] = []
        for answer in answers { present.append(try answer.get()) }
        return present
    }

    private func isPresent(_ key: ObjectKey) async -> Result<Bool, ObjectStoreError> {
        do throws(ObjectStoreError) {
            _ = try await modified(key)
            return .success(true)
        } catch {
            if case .notFound = error { return .success(false) }
            return .failure(error)
        }
    }

    /// In the order of the encrypted names.
    private func objects(
        of prefix: ObjectKey, after: ObjectKey?, limit: Int
    ) async throws(ObjectStoreError) -> [ObjectKey] {
        var found: [ObjectKey] = []
        var last: ObjectKey?
        if let after { last = try name(after).place }
        while found.count < limit {
            let page = try await store.list(ObjectName.folder, after: last, limit: 1000)
            found += page.compactMap { ObjectName(encrypted: $0, with: nameKey)?.key }.filter {
                $0.components.count > 1 && $0.components[0] == prefix.description
            }
            guard page.count == 1000, let end = page.last else { break }
            last = end
        }
        return Array(found.prefix(limit))
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
        try await keyObject?.restore(in: store)
    }

    public var isEncrypted: Bool { true }

    public var quickestPoll: Duration { store.quickestPoll }

    public var longestPoll: Duration { store.longestPoll }

    /// Any object may be the one that is waited for.
    public func watch(_ prefix: ObjectKey, _ onChange: @escaping @Sendable () -> Void) -> StoreWatch? {
        store.watch(ObjectName.folder, onChange)
    }
}
