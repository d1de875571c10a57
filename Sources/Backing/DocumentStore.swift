import Catalog
import Documents
import Logging
import SystemPackage

/// What this device keeps of a person's documents: rows in the catalog and plain files, changed together.
///
/// Every change is one transaction of the catalog with its effects on files inside. On a full disk it finds room in the reserve.
package final class DocumentStore: Sendable {
    /// The store's folder.
    package let path: String
    package let catalog: Catalog
    package let files: BackingStore
    package let reserve: Reserve
    package let device: Device
    package let surroundings: Surroundings
    package let logger: Logger

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
    package func read<Value>(_ body: (CatalogTransaction) throws -> Value) throws -> Value { try catalog.read(body) }

    /// Changes the catalog; on a full disk, with the room of the reserve.
    ///
    /// - Parameter body: may be run again after it was undone: another program may have taken the room.
    package func write<Value>(_ body: (CatalogTransaction) throws -> Value) throws -> Value {
        let isReserveUsed = reserve.makeRoom()
        defer { if isReserveUsed { endReserveUse() } }
        for _ in 1...Self.mostTries {
            do { return try catalog.write(body) } catch CatalogError.full where reserve.giveUpSlice() {}
        }
        return try catalog.write(body)
    }

    private static let mostTries = 4

    /// Must be called before something new is made.
    ///
    /// - Throws: ENOSPC, or the error of the catalog that cannot write down what was acknowledged.
    package func requireWritable() throws {
        try catalog.requireWritable()
        if reserve.isScarce { throw Errno.noSpace }
    }

    /// On a full disk the log of the catalog must not use up the reserve, commit by commit: it is emptied while there is room for
    /// that.
    package func endReserveUse() {
        do { try catalog.shrinkLog(to: 128 << 10) } catch {
            logger.warning("the catalog could not be made smaller on a full disk", metadata: ["error": "\(error)"])
        }
        reserve.takeBack()
    }

    /// Writes down what waits for a quiet moment.
    package func tidy() {
        reserve.renew()
        do { try catalog.checkpointIfQuiet() } catch {
            logger.warning("the catalog could not be tidied", metadata: ["error": "\(error)"])
        }
    }
}
