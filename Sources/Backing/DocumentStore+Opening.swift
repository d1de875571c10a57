import Catalog
import Documents
import Glibc
import Logging
import SystemPackage

extension DocumentStore {
    /// How the last use of the store ended.
    package enum Condition: Sendable {
        /// The catalog is new, perhaps because the former one was lost.
        case new
        /// It was closed. Since then only people can have changed its files.
        case clean
        /// The process was killed or the power was lost while it was in use.
        case unclean
        /// It was copied, or restored from a backup, and is another device now.
        case copy
    }

    /// Opens a store, creating it on first use, and passes it to `use`, which makes rows and files agree. On a full disk the whole reserve is
    /// given up for that.
    ///
    /// The caller holds the store's lock (`StoreLock`).
    ///
    /// - Parameters:
    ///   - deviceName: shown to other devices; nil keeps the name that the store has.
    ///   - writeLater: schedules the commit of rows that may wait; without it every row is committed at once.
    ///   - check: may refuse the store. Nothing in the store is changed until it returns.
    package static func open<Checked, Used>(
        path: String, deviceName: String?, surroundings: Surroundings, logger: Logger, writeLater: Catalog.Scheduler?,
        check: (Catalog) throws -> Checked, use: (DocumentStore, Condition, Checked) throws -> Used
    ) throws(StoreError) -> Used {
        do {
            let files = try BackingStore(path: path)
            let reserve = Reserve(files)
            func attempt() throws -> Used {
                try open(path, files, reserve, deviceName, surroundings, logger, writeLater, check, use)
            }
            do { return try attempt() } catch CatalogError.full {
                reserve.giveUpWhole()
                return try attempt()
            }
        } catch let error as StoreError {
            throw error
        } catch CatalogError.damaged(let words) {
            throw damage(words, path)
        } catch is DecodingError {
            // SQLite notices damage of its own structures, not of the texts in a row.
            throw damage("a row cannot be read", path)
        } catch Errno.permissionDenied {
            throw StoreError("the store \(path) is not writable; choose another with --store")
        } catch {
            throw StoreError("the store \(path) cannot be opened: \(error)")
        }
    }

    private static func damage(_ words: String, _ path: String) -> StoreError {
        StoreError(
            "the catalog of the store \(path) is damaged (\(words)); `docfs check --repair --store \(path)` sets it aside, and the next mount makes a new one from the documents' files",
            isCatalogDamage: true)
    }

    private static func open<Checked, Used>(
        _ path: String, _ files: BackingStore, _ reserve: Reserve, _ deviceName: String?, _ surroundings: Surroundings,
        _ logger: Logger, _ writeLater: Catalog.Scheduler?, _ check: (Catalog) throws -> Checked,
        _ use: (DocumentStore, Condition, Checked) throws -> Used
    ) throws -> Used {
        let mark = CleanMark(files)
        let wasClean = mark.isValid()
        for (name, error) in files.makeOwnFilesPrivate() {
            logger.warning(
                "other users may be able to read a file of the store",
                metadata: ["file": "\(name)", "error": "\(error)"])
        }
        let isFull = reserve.makeRoom()
        let catalog = try Catalog(path: path + "/catalog.sqlite", scheduler: writeLater) { write in
            try reserve.use { try write() }
        }
        do {
            let identity = try mark.catalogIdentity()
            let condition = try condition(of: catalog, identity, wasClean: wasClean)
            let checked = try check(catalog)
            try mark.remove()
            let device = try catalog.write { transaction in
                // The original of a copy may still commit the uploads that it has begun, so the copy must not remove them.
                if condition == .copy {
                    try transaction.forgetAllUploads()
                    try transaction.emptyOutbox()
                }
                return try Device.load(name: deviceName, isCopy: condition == .copy, transaction, surroundings)
            }
            let store = DocumentStore(
                path: path, catalog: catalog, files: files, reserve: reserve, device: device,
                surroundings: surroundings, logger: logger)
            let used = try use(store, condition, checked)
            // Last, so that a copy is recognized as one until its rows and files have been compared.
            try catalog.write { try $0.change(.catalogFile, to: identity) }
            if isFull { store.endReserveUse() } else { reserve.renew() }
            return used
        } catch {
            do { try catalog.close() } catch let failure {
                logger.warning("the catalog could not be closed", metadata: ["error": "\(failure)"])
            }
            throw error
        }
    }

    private static func condition(of catalog: Catalog, _ identity: String, wasClean: Bool) throws -> Condition {
        let known = try catalog.read { try $0.setting(.catalogFile) }
        if let known { return known != identity ? .copy : wasClean ? .clean : .unclean }
        let isNew = try catalog.read { try $0.setting(.deviceID) } == nil
        return isNew ? .new : wasClean ? .clean : .unclean
    }

    /// Ends the use of the store.
    ///
    /// - Parameter isAgreed: whether rows and files are known to agree. Then the store is marked as closed, if the disk writes its cache in
    ///   time.
    package func close(isAgreed: Bool) throws {
        try catalog.close()
        guard isAgreed else { return }
        guard files.synchronizeAll(within: surroundings.diskPatience) else {
            return logger.notice("the disk did not write its cache in time; the next mount looks at all files")
        }
        do throws(Errno) { try CleanMark(files).write() } catch {
            logger.warning(
                "the store could not be marked as closed; the next mount looks at all files",
                metadata: ["error": "\(error)"])
        }
    }
}
