import Backing
import Catalog
import Dispatch
import Encryption
import Library
import LinuxFiles
import Logging
import ObjectStore
import Replica
import Replication

extension CloudConnection {
    /// Opens the object store at a URL. A container may have another URL than at the last mount; it is recognized by its id.
    ///
    /// - Parameter isKnown: whether the store belongs to a container at this URL. Then a folder that is gone is not made again: its disk is
    ///   not mounted.
    /// - Parameter unlock: is given the store that the keeper sees, and whether the documents' store has met a container; returns one that encrypts,
    ///   or nil for a plain container.
    /// - Throws: `StoreError` for a store that cannot be used, and what `unlock` throws.
    public convenience init(
        _ url: CloudURL, isKnown: Bool, for catalog: Catalog, storePath: String, surroundings: Surroundings,
        unlock: (_ store: any ObjectStore, _ belongsToContainer: Bool) throws -> EncryptedStore?
    ) throws {
        let address = KnownAddress(url: url.text)
        let own = try catalog.read { try $0.logHead() }?.container
        let objects: any ObjectStore
        switch url {
        case .directory(let path):
            objects = try Self.folder(path, creates: !isKnown && own == nil) {
                address.compare(folder: path, store: storePath)
            }
        case .s3(let location): objects = try Self.bucket(location)
        }
        let encryption = try unlock(objects, own != nil)
        self.init(
            encryption ?? objects, encryption: encryption, address: address, ownContainer: own,
            surroundings: surroundings)
    }

    /// The object store at a URL, as its keeper sees it.
    ///
    /// - Throws: `StoreError` for one that cannot be used.
    public static func keptObjects(at url: CloudURL) throws -> any ObjectStore {
        switch url {
        case .directory(let path): try folder(path, creates: false) {}
        case .s3(let location): try bucket(location)
        }
    }

    /// Mounting does not wait longer for a folder that does not answer.
    private static let longestOpening = DispatchTimeInterval.seconds(2)

    private static func folder(
        _ path: String, creates: Bool, opened: @escaping @Sendable () -> Void
    ) throws -> any ObjectStore {
        let store = AnsweringStore(path: path) { () throws(ObjectStoreError) in
            let store = try DirectoryStore(root: path, creates: creates)
            opened()
            return store
        }
        do throws(ObjectStoreError) { try store.open(within: longestOpening) } catch {
            let reason = if case .unusable(let reason) = error { reason } else { error.description }
            throw StoreError("the cloud folder \(path) cannot be used: \(reason)")
        }
        return store
    }

    private static func bucket(_ location: S3Location) throws -> any ObjectStore {
        let settings: S3Settings
        do throws(S3SettingsError) { settings = try S3Settings(ofMachine: location) } catch {
            throw StoreError(error.description)
        }
        let store = S3Store(settings) {
            await onBlockingThread { () in
                // Half a file, or none while it is replaced: the next request that is refused looks again.
                try? S3Settings(ofMachine: location).credentials
            }
        }
        return ProbedStore(store, random: S3Surroundings.system.random)
    }
}
