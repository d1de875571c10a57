import Documents
import FoundationEssentials
import ObjectStore

/// The object `container`, which tells one container from every other, wherever it lies. It is created once, before anything else
/// (ContainerFormat).
public struct ContainerIdentity: Codable, Sendable, Equatable {
    /// The key of the object: `container`.
    public static let key = ObjectKey(valid: ["container"])
    /// The only format that this release reads and writes.
    public static let currentFormat = 1
    /// Bytes. A larger object is damaged.
    private static let largest = 4096

    /// An object of another format counts as damaged.
    public var format = ContainerIdentity.currentFormat
    /// Chosen at random by the device that creates the object.
    public let id: ContainerID

    public init(_ id: ContainerID) { self.id = id }

    /// The bytes of the object. An id has one form only, because the chain of the log begins with the hash of these bytes.
    public var encoded: [UInt8] { Array("{\"format\":\(format),\"id\":\"\(id)\"}\n".utf8) }

    /// The head of a log that has no entry yet.
    public var emptyLog: LogHead {
        LogHead(
            container: id, root: LogPosition.start.next, readFrom: LogPosition.start.next, position: .start,
            hash: ObjectHash(of: encoded), commit: nil, state: .empty)
    }

    /// - Returns: nil if the store has no such object.
    /// - Throws: `ContainerFault.unnamed` if the object is damaged.
    public static func read(from store: any ObjectStore) async throws(LogError) -> ContainerIdentity? {
        let bytes: [UInt8]
        do throws(ObjectStoreError) { bytes = try await store.get(key, limit: largest) } catch {
            switch error {
            case .notFound: return nil
            case .corrupted: throw .container(.unnamed)
            default: throw .store(error)
            }
        }
        guard let identity = ContainerIdentity(bytes) else { throw .container(.unnamed) }
        return identity
    }

    /// - Returns: nil for bytes that are not exactly those of an identity.
    init?(_ bytes: [UInt8]) {
        guard let identity = try? JSONDecoder().decode(ContainerIdentity.self, from: Data(bytes)),
            identity.format == Self.currentFormat, identity.encoded == bytes
        else { return nil }
        self = identity
    }

    /// Removes the object if it is damaged, so that it can be created again.
    public static func removeDamaged(from store: any ObjectStore) async throws(LogError) {
        do throws(LogError) { _ = try await read(from: store) } catch {
            guard case .container(.unnamed) = error else { throw error }
            try await remove(from: store)
        }
    }

    /// Removes the object, before a container that should not be there is used.
    public static func remove(from store: any ObjectStore) async throws(LogError) {
        do throws(ObjectStoreError) { try await store.delete(key) } catch { throw .store(error) }
    }

    /// Creates the object if there is none.
    ///
    /// - Returns: the identity in the store, which another device may have created first.
    public func establish(in store: any ObjectStore) async throws(LogError) -> ContainerIdentity {
        _ = try await create(in: store)
        guard let present = try await Self.read(from: store) else { throw .store(.notFound(Self.key)) }
        return present
    }

    /// Creates the object if there is none.
    ///
    /// - Returns: whether it was created, for certain.
    public func create(in store: any ObjectStore) async throws(LogError) -> Bool {
        do throws(ObjectStoreError) { return try await store.putIfAbsent(Self.key, encoded) == .created } catch {
            throw .store(error)
        }
    }
}
