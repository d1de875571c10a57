import Backing
import Catalog
import Documents
import Glibc
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

extension Arrivals {
    func carryOut(_ arrival: Arrival) async -> Result<Void, Refusal> {
        let result: Result<Void, Refusal>
        do throws(TransferError) {
            try await arrival.download.run()
            result = install(arrival)
        } catch {
            result = .failure(.transfer(error))
            noteFailure(error, of: arrival)
            if error == .damaged { forsake(arrival.inode) }
        }
        transfers.end(arrival, of: arrival.inode)
        try? backing.staging.removeFile(arrival.stagingName)
        stateChanged()
        return result
    }

    private func noteFailure(_ error: TransferError, of arrival: Arrival) {
        if error == .cancelled { return }
        logger.warning("a download failed", metadata: ["inode": "\(arrival.inode)", "error": "\(error)"])
        let pause = transfers.retries.failed(arrival.inode)
        do throws(Refusal) {
            try mutate { catalog in
                // An edit may have taken its place meanwhile.
                guard let entry = try catalog.entry(arrival.inode), !entry.isBackingCurrent else { return }
                // Only what is on its way out of the cloud comes without being asked for.
                let next =
                    entry.container == .local ? "retrying in \(pause.components.seconds) s" : "opening it tries again"
                try catalog.setError("\(error); \(next)", of: arrival.inode)
            }
        } catch {
            logger.error("a failure could not be noted", metadata: ["error": "\(error)"])
        }
    }

    /// Bytes that were read of content that turned out damaged may be in the kernel's cache: the next try
    /// gets an inode of its own.
    private func forsake(_ inode: InodeNumber) {
        do throws(Refusal) {
            try mutate { catalog in
                guard let entry = try catalog.entry(inode), !entry.isHere, openFiles.isOpen(inode) else { return }
                openFiles.detach(inode)
                transfers.retries.passOn(from: inode, to: try catalog.renumber(inode))
                catalog.announce(.entryChanged(EntryNames(entry), besides: nil))
            }
        } catch {
            logger.error(
                "a damaged content could not be left behind", metadata: ["inode": "\(inode)", "error": "\(error)"])
        }
    }

    /// Puts content that is whole and verified in its place.
    private func install(_ arrival: Arrival) -> Result<Void, Refusal> {
        do throws(Refusal) {
            let isInstalled = try mutate { catalog in try install(arrival, catalog) }
            if !isInstalled { throw .staleInode }
            transfers.retries.succeeded(arrival.inode)
            cloud.changesAreWaiting()
            return .success(())
        } catch {
            arrival.stage = .failed
            // What nobody has a use for any more is not tried again, and must not delay the edit that came instead.
            if error != .staleInode { _ = transfers.retries.failed(arrival.inode) }
            return .failure(error)
        }
    }

    /// - Returns: false where an edit is in its place that somebody made in the store while no mount used it.
    private func install(_ arrival: Arrival, _ catalog: CatalogTransaction) throws -> Bool {
        // It may have been removed, overtaken, or be edited in its older version meanwhile.
        guard var entry = try catalog.entry(arrival.inode), !entry.isBackingCurrent,
            entry.currentVersion == arrival.version.id, !openFiles.isOpenForWriting(entry.inode)
        else { throw Refusal.staleInode }
        if try foundFiles.recordEditInStore(of: &entry, catalog) { return false }
        try settle(arrival, into: entry, catalog)
        try withdrawals.withdrawIfLeavingCloud(&entry, catalog)
        entry.isHere = true
        entry.contentVersion = arrival.version.id
        entry.backing = try arrival.descriptor.identify().evidence
        entry.error = nil
        try catalog.update(entry)
        catalog.announce(.attributesChanged(of: entry.inode))
        arrival.stage = .installed
        return true
    }

    private func settle(_ arrival: Arrival, into entry: Entry, _ catalog: CatalogTransaction) throws {
        let number = arrival.descriptor.number
        if let displayName = entry.name?.displayName {
            backing.mirror(displayName: displayName, on: arrival.descriptor)
        }
        let folder = try backing.folder(entry.parent, catalog)
        // Owner before mode: a change of owner clears set-id bits.
        if entry.isHere { try keepOwner(of: folder, entry.filename, on: arrival.descriptor) }
        _ = try Descriptor.check { fchmod(number, mode_t(entry.mode | BackingFolder.fileAccess)) }
        try arrival.descriptor.setModified(entry.modified.timespec)
        try arrival.descriptor.synchronize(dataOnly: false)
        try folder.keepingTime { () throws(Errno) in
            try backing.staging.rename(arrival.stagingName, to: folder, entry.filename)
        }
        // A withdrawal may follow, which lets the cloud drop its copy: the name must be durable too.
        if entry.container == .local { try folder.synchronize() }
    }

    /// An older version's file stands where the new one goes: the document stays its owner's (chown does not travel).
    private func keepOwner(of folder: BackingFolder, _ filename: String, on file: Descriptor) throws(Errno) {
        let former: stat
        do throws(Errno) { former = try folder.status(filename) } catch {
            if error == .noSuchFileOrDirectory { return }
            throw error
        }
        let present = try file.status()
        if former.st_uid == present.st_uid, former.st_gid == present.st_gid { return }
        do throws(Errno) { _ = try Descriptor.check { fchown(file.number, former.st_uid, former.st_gid) } } catch {
            // Some file systems give every file one owner, and nobody gives a file to a group that they have left: the content counts.
            if error != .notPermitted { throw error }
        }
    }
}
