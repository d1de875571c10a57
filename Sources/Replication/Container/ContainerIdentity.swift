import Documents
import FoundationEssentials
import ObjectStore

/// `container`: tells one container from every other, wherever it lies. Created once, before anything else.
public struct ContainerIdentity: Codable, Sendable, Equatable {
    public static let key = ObjectKey("container")!
    public static let currentFormat = 1
    private static let largest = 4096

    public var format = ContainerIdentity.currentFormat
    public let id: ContainerID

    public init(_ id: ContainerID) { self.id = id }

    /// One id has one form: the chain of the log begins with the hash of it.
    public var encoded: [UInt8] { Array("{\"format\":\(format),\"id\":\"\(id)\"}\n".utf8) }

    /// The head of a log that nobody has written to.
    public var emptyLog: LogHead {
        LogHead(
            container: id, root: LogPosition.start.next, readFrom: LogPosition.start.next, position: .start,
            hash: ObjectHash(of: encoded), commit: nil, state: .empty)
    }

    /// - Returns: nil where the store has none.
    /// - Throws: `ContainerFault.unnamed` where it does not say which container this is.
    public static func read(from store: any ObjectStore) async throws(LogError) -> ContainerIdentity? {
        let bytes: [UInt8]
        do throws(ObjectStoreError) { bytes = try await store.get(key, limit: largest) } catch {
            switch error {
            case .notFound: return nil
            case .corrupted: throw .container(.unnamed)
            default: throw .store(error)
            }
        }
        guard let identity = try? JSONDecoder().decode(ContainerIdentity.self, from: Data(bytes)),
            identity.format == currentFormat, identity.encoded == bytes
        else { throw .container(.unnamed) }
        return identity
    }

    /// Removes an object that does not say which container this is, so that it can be written anew.
    public static func removeDamaged(from store: any ObjectStore) async throws(LogError) {
        do throws(LogError) { _ = try await read(from: store) } catch {
            guard case .container(.unnamed) = error else { throw error }
            do throws(ObjectStoreError) { try await store.delete(key) } catch { throw .store(error) }
        }
    }

    /// Writes it where there is none.
    ///
    /// - Returns: the one that is there then, which may be another's.
    public func establish(in store: any ObjectStore) async throws(LogError) -> ContainerIdentity {
        do throws(ObjectStoreError) { _ = try await store.putIfAbsent(Self.key, encoded) } catch { throw .store(error) }
        guard let present = try await Self.read(from: store) else { throw .store(.notFound(Self.key)) }
        return present
    }
}
