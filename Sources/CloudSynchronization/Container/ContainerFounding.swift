import Documents
import Encryption
import ObjectStore
import Replication

/// What makes a place a container: a plain one has an identity that everybody can read, and an encrypted one has a key object. There must
/// not be both, and two devices may make one each in the same moment. So each looks for the other's after it has made its own, and takes its
/// own back where there are both: at least one of them does.
public enum ContainerFounding {
    /// What is at a place.
    public enum Found: Sendable, Equatable {
        case encrypted(KeyObject)
        case plain
        case nothing
    }

    /// - Parameter store: as its keeper sees it.
    public static func look(at store: any ObjectStore) async throws(ObjectStoreError) -> Found {
        if let object = try await KeyObject.read(from: store) { return .encrypted(object) }
        return try await hasIdentity(store) ? .plain : .nothing
    }

    /// Makes an encrypted container, unless another device has made one.
    ///
    /// - Returns: the key object that counts; nil where a plain container is there.
    public static func makeEncrypted(
        _ object: KeyObject, in store: any ObjectStore
    ) async throws(ObjectStoreError) -> KeyObject? {
        let present = try await object.establish(in: store)
        guard present == object, try await hasIdentity(store) else { return present }
        try await object.withdraw(from: store)
        return nil
    }

    /// Gives a plain container its id, unless another device has.
    ///
    /// - Throws: `ContainerFault.encrypted` where an encrypted one is there.
    static func makePlain(
        _ identity: ContainerIdentity, in store: any ObjectStore
    ) async throws(LogError) -> ContainerIdentity {
        if try await hasKeyObject(store) { throw .container(.encrypted) }
        let isNew = try await identity.create(in: store)
        guard let present = try await ContainerIdentity.read(from: store) else {
            throw .store(.notFound(ContainerIdentity.key))
        }
        guard try await hasKeyObject(store) else { return present }
        // One that was there before may be in use.
        if isNew { try await ContainerIdentity.remove(from: store) }
        throw .container(.encrypted)
    }

    /// What a container that was found shows as its last change.
    ///
    /// - Parameter store: as its devices see it.
    /// - Returns: nil for a container without changes.
    /// - Throws: `LogError` where it does not answer, or cannot be read.
    public static func newestEntry(in store: any ObjectStore) async throws -> NewestEntry? {
        let log = ReplicatedLog(store: store)
        guard let last = try await log.positions(after: .start, atMost: .max).last, let entry = try await log.read(last)
        else { return nil }
        return NewestEntry(entry, at: last)
    }

    private static func hasIdentity(_ store: any ObjectStore) async throws(ObjectStoreError) -> Bool {
        do throws(LogError) { return try await ContainerIdentity.read(from: store) != nil } catch {
            // A damaged one is one.
            guard case .store(let reason) = error else { return true }
            throw reason
        }
    }

    private static func hasKeyObject(_ store: any ObjectStore) async throws(LogError) -> Bool {
        do throws(ObjectStoreError) { return try await KeyObject.read(from: store) != nil } catch {
            // A damaged one is one.
            if case .corrupted = error { return true }
            throw .store(error)
        }
    }
}
