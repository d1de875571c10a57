import Backing
import Catalog
import Dispatch
import Library
import LinuxFiles
import Logging
import ObjectStore
import Replica

extension CloudConnection {
    /// Opens the object store at a URL. A container may have another URL than at the last mount; it is recognized by its id.
    ///
    /// - Throws: `StoreError` for a store that cannot be used.
    public convenience init(_ url: CloudURL, for catalog: Catalog, surroundings: Surroundings) throws {
        self.init(try Self.open(url, catalog), surroundings: surroundings)
    }

    /// Mounting does not wait longer for a folder that does not answer.
    private static let longestOpening = DispatchTimeInterval.seconds(2)

    private static func open(_ url: CloudURL, _ catalog: Catalog) throws -> any ObjectStore {
        let known = try catalog.read { try $0.setting(.cloudURL) }
        let hasMet = try catalog.read { try $0.logHead() } != nil
        switch url {
        case .directory(let path):
            let creates = known != path && !hasMet
            let store = AnsweringStore(path: path) { () throws(ObjectStoreError) in
                try DirectoryStore(root: path, creates: creates)
            }
            do throws(ObjectStoreError) { try store.open(within: longestOpening) } catch {
                let reason = if case .unusable(let reason) = error { reason } else { error.description }
                throw StoreError("the cloud folder \(path) cannot be used: \(reason)")
            }
            try catalog.write { try $0.change(.cloudURL, to: path) }
            return store
        case .s3(let location):
            let settings: S3Settings
            do throws(S3SettingsError) { settings = try S3Settings(ofMachine: location) } catch {
                throw StoreError(error.description)
            }
            try catalog.write { try $0.change(.cloudURL, to: settings.identity) }
            let store = S3Store(settings) {
                await onBlockingThread { () in
                    // Half a file, or none while it is replaced: the next request that is refused looks again.
                    try? S3Settings(ofMachine: location).credentials
                }
            }
            return ProbedStore(store, random: S3Surroundings.system.random)
        }
    }
}
