import Catalog
import Documents
import Logging
import Synchronization
import SystemPackage

/// The documents that this device keeps: rows in the catalog and plain files, changed together.
///
/// Every change is one transaction of the catalog, in which files are changed as well. On a full disk it uses the room of the reserve.
package final class DocumentStore: Sendable {
    /// The store's folder.
    package let path: String
    /// The rows. `write` below is to be used for changes, since it has the room of the reserve.
    package let catalog: Catalog
    /// The plain files. They change within a transaction of the catalog only.
    package let files: BackingStore
    /// Room for what must work on a full disk.
    package let reserve: Reserve
    /// This store as a device of the container.
    package let device: Device
    /// Clocks, randomness and properties of the machine.
    package let surroundings: Surroundings
    /// For failures that no caller is told of.
    package let logger: Logger
    /// When the trash was looked through last.
    private let lastTidied = Mutex<ContinuousClock.Instant?>(nil)

    /// Of parts that are open already; `open` makes them.
    package init(
        path: String, catalog: Catalog, files: BackingStore, reserve: Reserve, device: Device,
        surroundings: Surroundings, logger: Logger
    ) {
        self.path = path
        self.catalog = catalog
        self.files = files
        self.reserve = reserve
        self.device = device
        self.surroundings = surroundings
        self.logger = logger
    }

    /// Runs `body` alone with the catalog.
    package func read<Value>(_ body: (Rows) throws -> Value) throws -> Value { try catalog.read(body) }

    /// Changes the catalog; on a full disk, with the room of the reserve.
    ///
    /// - Parameter body: may run several times: if another program has used up the room, the transaction is undone and tried again.
    package func write<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        let isReserveUsed = reserve.makeRoom()
        defer { if isReserveUsed { endReserveUse() } }
        for _ in 1...Self.mostTries {
            do { return try catalog.write(body) } catch CatalogError.full where reserve.giveUpSlice() {}
        }
        return try catalog.write(body)
    }

    private static let mostTries = 12

    /// Must be called before a file, folder or document is created. On a full disk the trash is emptied first.
    ///
    /// - Throws: ENOSPC, or the error of a catalog that could not commit rows that were acknowledged.
    package func requireWritable() throws {
        try catalog.requireWritable()
        if !reserve.isScarce { return }
        try makeRoomFromTrash()
        if reserve.isScarce { throw Errno.noSpace }
    }

    /// Ends a use of the reserve. Before, the write-ahead log of the catalog is emptied while there is room for that: it must not grow into
    /// the reserve with each commit.
    package func endReserveUse() {
        do { try catalog.shrinkLog(to: 128 << 10) } catch {
            logger.warning("the catalog could not be made smaller on a full disk", metadata: ["error": "\(error)"])
        }
        reserve.endUse()
    }

    /// Does work that waited for a quiet moment: renews the reserve, and copies the write-ahead log into the catalog.
    package func tidy() {
        reserve.renew()
        do { try catalog.checkpointIfQuiet() } catch {
            logger.warning("the catalog could not be tidied", metadata: ["error": "\(error)"])
        }
        let now = surroundings.instant()
        let isDue = lastTidied.withLock { last in
            guard last.map({ now - $0 >= Self.tidyingPause }) ?? true else { return false }
            last = now
            return true
        }
        if !isDue { return }
        do { try tidyTrash() } catch {
            logger.warning("the trash could not be tidied", metadata: ["error": "\(error)"])
        }
    }

    private static let tidyingPause = Duration.seconds(60)
}
