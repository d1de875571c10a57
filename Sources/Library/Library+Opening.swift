import Backing
import Catalog
import LinuxFiles
import Logging

extension Library {
    /// Opens a store, creates it on first use, and repairs it after an unclean end (`Crashes`).
    ///
    /// The caller holds the store's lock (`StoreLock`).
    ///
    /// - Parameters:
    ///   - deviceName: shown to other devices; nil keeps the one the store has.
    ///   - pace: when changed contents are sent.
    ///   - cloud: makes the cloud for the catalog's device. It may throw, before anything in the store is changed.
    public static func open<Cloud: ContentSource>(
        _ configuration: LibraryConfiguration, deviceName: String?, surroundings: Surroundings, logger: Logger,
        pace: SendingPace = SendingPace(), cloud: (Catalog) throws -> Cloud
    ) throws(StoreError) -> (Library, Cloud) {
        try DocumentStore.open(
            path: configuration.storePath, deviceName: deviceName, surroundings: surroundings, logger: logger,
            writeLater: surroundings.defersCommits ? writeLater(surroundings) : nil, check: cloud
        ) { store, condition, cloud in
            let library = Library(store, configuration, cloud: cloud, pace: pace)
            try library.comparison.reconcile(condition)
            try store.read { try library.actions.readLists($0) }
            try library.preferredLocation.load()
            return (library, cloud)
        }
    }

    private static func writeLater(_ surroundings: Surroundings) -> Catalog.Scheduler {
        { write in
            Task {
                // The rows must be written, even if this task is cancelled.
                try? await surroundings.sleep(Durability.longestWait)
                await onBlockingThread { write() }
            }
        }
    }
}
