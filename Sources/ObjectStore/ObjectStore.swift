import Documents
import SystemPackage

/// Why the store did not do what was asked. The description is one line for a person.
public enum ObjectStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The store is there, and has no such object.
    case notFound(ObjectKey)
    /// Nothing answers: a retry later may succeed.
    case unreachable(String)
    /// The folder of the store is there, and the store is not in it: it was emptied, or it is the mountpoint of a
    /// disk that is away. A device that knew a container there must not use the folder for a new one.
    case gone(String)
    /// The server refuses the credentials.
    case unauthorized(String)
    /// The modes of the folder, or a file system that is mounted for reading only, do not allow it.
    case forbidden(String)
    /// The store is full, or a quota is used up.
    case outOfSpace
    /// Set up wrongly, or unfit: only a person can help.
    case unusable(String)
    /// The object is not what it should be.
    case corrupted(ObjectKey, String)
    /// A system call failed. `Errno.canceled`: the task was cancelled, or `progress` abandoned the transfer.
    case failed(ObjectKey, Errno)

    /// One line for a person; control characters in a key are replaced.
    public var description: String {
        switch self {
        case .notFound(let key): "the cloud has no object \(key.line)"
        case .unreachable(let reason): "the cloud cannot be reached: \(reason)"
        case .gone(let reason): reason
        case .unauthorized(let reason): "the cloud refused the credentials: \(reason)"
        case .forbidden(let reason):
            "the cloud folder does not allow it: \(reason); docfs must be able to read and write it"
        case .outOfSpace: "the cloud has no space left"
        case .unusable(let reason): "the cloud cannot be used: \(reason)"
        case .corrupted(let key, let reason): "the object \(key.line) is damaged: \(reason)"
        case .failed(let key, let errno): "the object \(key.line) cannot be accessed: \(errno)"
        }
    }
}

extension ObjectKey {
    /// The key for a person, on one line whatever it holds.
    fileprivate var line: String {
        String(
            description.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{fffd}" : Character($0) })
    }
}

/// The result of `putIfAbsent`.
public enum PutOutcome: Sendable, Equatable {
    /// The object is durable, and this writer made it.
    case created
    /// There is an object of this key. An earlier try whose answer was lost may have made it.
    case alreadyExists
}

/// A store of immutable objects by key, with one condition: of two writers that create the same key exactly one succeeds
/// (ContainerFormat, "Committing").
public protocol ObjectStore: Sendable {
    /// Creates an object unless there is one. Atomic: it is never visible in part, and durable when
    /// this returns `created`.
    func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome

    /// Creates an object with the first `length` bytes of a content; with the same guarantees.
    ///
    /// - Parameter progress: told how many more bytes have gone; returns false to abandon the transfer.
    /// - Throws: `failed` with `Errno.canceled` for a transfer that was abandoned; `corrupted` if the content became shorter.
    func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome

    /// A whole small object; one of more than `limit` bytes is `corrupted`.
    func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8]

    /// A part of an object, shorter than asked for only at its end.
    ///
    /// - Parameter range: bytes.
    /// - Throws: `notFound`, or another error.
    func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8]

    /// As `get(_:range:)`, of a store from which bytes come little by little.
    ///
    /// - Parameter arrived: told how many more bytes have come.
    func get(
        _ key: ObjectKey, range: Range<Int64>, arrived: @escaping @Sendable (Int64) -> Void
    ) async throws(ObjectStoreError) -> [UInt8]

    /// The keys below `prefix` in ascending order of their bytes, after `after`, at most `limit`.
    func list(_ prefix: ObjectKey, after: ObjectKey?, limit: Int) async throws(ObjectStoreError) -> [ObjectKey]

    /// When an object was made, by the store's clock.
    func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp

    /// The time by the store's own clock, the one that `modified` tells of; never this device's.
    func now() async throws(ObjectStoreError) -> Timestamp

    /// Removes an object; does nothing if there is none.
    func delete(_ key: ObjectKey) async throws(ObjectStoreError)

    /// Makes sure that the store can be written to safely and keeps its one condition, where that is not known yet.
    ///
    /// - Throws: `unusable` where it does not; anything else leaves the question open, to be asked again
    ///   before the first object is created.
    func probe() async throws(ObjectStoreError)

    /// Makes a store whose folder was emptied usable again. Only when a person asks for it.
    func recreate() async throws(ObjectStoreError)

    /// Whether its keeper cannot read it.
    var isEncrypted: Bool { get }

    /// Whether a listing reads the names of all objects, however few are asked for.
    var listsAllNames: Bool { get }

    /// The pause between two reads of an object that is expected and may not be there yet.
    var quickestPoll: Duration { get }

    /// The longest pause between two looks at a store in which nothing happens.
    var longestPoll: Duration { get }

    /// Calls `onChange` when an object may have come or gone below `prefix`, where the store can tell: polling
    /// remains for what it does not tell.
    func watch(_ prefix: ObjectKey, _ onChange: @escaping @Sendable () -> Void) -> StoreWatch?
}

extension ObjectStore {
    public func get(
        _ key: ObjectKey, range: Range<Int64>, arrived: @escaping @Sendable (Int64) -> Void
    ) async throws(ObjectStoreError) -> [UInt8] {
        let bytes = try await get(key, range: range)
        arrived(Int64(bytes.count))
        return bytes
    }
}

extension ObjectStore {
    /// Does nothing, for a store that is known to keep its condition.
    public func probe() async throws(ObjectStoreError) {}

    /// Does nothing, for a store that cannot be emptied so that there is nothing left to write to.
    public func recreate() async throws(ObjectStoreError) {}

    /// False.
    public var isEncrypted: Bool { false }

    public var listsAllNames: Bool { false }

    /// For a store at which each read is a request over the network.
    public var quickestPoll: Duration { .milliseconds(250) }

    /// For a store at which each look costs money.
    public var longestPoll: Duration { .seconds(300) }

    /// Nil, for a store that does not tell of changes. It is polled.
    public func watch(_ prefix: ObjectKey, _ onChange: @escaping @Sendable () -> Void) -> StoreWatch? { nil }
}

/// A watch over a store's objects, until it is cancelled.
public struct StoreWatch: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: ends the watch. Called when it is cancelled.
    public init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends the watch. To be called once; `onChange` may still be running on another thread.
    public func cancel() { end() }
}
