import Backing
import Catalog
import Documents
import Glibc
import Logging
import Replication
import Synchronization
import SystemPackage

/// Running a download, and installing its content as the backing file.
extension Arrivals {
    func downloadAndInstall(_ arrival: Arrival) async -> Result<Void, Refusal> {
        let result: Result<Void, Refusal>
        do throws(TransferError) {
            try await arrival.download.run()
            result = install(arrival)
        } catch {
            result = .failure(.transfer(error))
            recordFailure(error, of: arrival)
            if error == .damaged { renumberDamaged(arrival.inode) }
        }
        transfers.end(arrival, of: arrival.inode)
        evictions.releaseRoom(of: arrival.inode)
        // Installed content has left the staging folder already; the next start of docfs removes any file that is left there.
        try? backing.staging.removeFile(arrival.stagingName)
        notices.stateChanged()
        return result
    }

    private func recordFailure(_ error: TransferError, of arrival: Arrival) {
        if error == .cancelled { return }
        logger.warning("a download failed", metadata: ["inode": "\(arrival.inode)", "error": "\(error)"])
        let pause = transfers.retries.failed(arrival.inode)
        do throws(Refusal) {
            try mutate(concerning: .only([arrival.inode])) { transaction in
                // An edit may have replaced it meanwhile.
                guard let entry = try transaction.entry(arrival.inode), !entry.isBackingCurrent else { return }
                // Only documents that leave the cloud and those that are kept are downloaded without an open.
                let isTriedAgain =
                    try entry.location == .local || entry.awaited != nil || keeping.isKept(entry, transaction)
                let next =
                    isTriedAgain ? "retrying in \(pause.components.seconds) s" : "opening it tries again"
                try transaction.setError("\(error); \(next)", of: arrival.inode)
            }
        } catch {
            logger.error("a failed download could not be recorded", metadata: ["error": "\(error)"])
        }
    }

    /// Gives a document whose content turned out damaged another inode number, if it is open: bytes that were read already may be in the
    /// kernel's cache under the old one.
    private func renumberDamaged(_ inode: InodeNumber) {
        do throws(Refusal) {
            try mutate(concerning: .only([inode])) { transaction in
                guard let entry = try transaction.entry(inode), !entry.isHere, openFiles.isOpen(inode) else { return }
                openFiles.detach(inode, transaction)
                transfers.retries.renumber(from: inode, to: try transaction.renumber(inode))
                transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
            }
        } catch {
            logger.error(
                "a document with damaged content could not get a new inode number",
                metadata: ["inode": "\(inode)", "error": "\(error)"])
        }
    }

    /// Installs content that is whole and verified.
    private func install(_ arrival: Arrival) -> Result<Void, Refusal> {
        do throws(Refusal) {
            let isInstalled = try mutate(concerning: .only([arrival.inode])) { transaction in
                try install(arrival, transaction)
            }
            if !isInstalled { throw .staleInode }
            transfers.retries.succeeded(arrival.inode)
            // Also what nobody has opened yet was asked for just now.
            lastOpenings.record(arrival.document, at: surroundings.now())
            cloud.changesAreWaiting()
            return .success(())
        } catch {
            arrival.stage = .failed
            // A version that is no longer current is not tried again, and must not delay the upload of the edit that replaced it.
            if error != .staleInode { _ = transfers.retries.failed(arrival.inode) }
            return .failure(error)
        }
    }

    /// - Returns: false where the file in the store was edited while docfs did not run: the edit is kept instead.
    private func install(_ arrival: Arrival, _ transaction: Transaction) throws -> Bool {
        // Meanwhile the document may have been removed, a newer version received, or the older version opened for writing.
        // Or the content was evicted before it was here.
        guard arrival.stage == .underWay, var entry = try transaction.entry(arrival.inode), !entry.isBackingCurrent,
            try entry.awaitedContent()?.version.id ?? entry.currentVersion == arrival.version.id,
            !openFiles.isOpenForWriting(entry.inode)
        else { throw Refusal.staleInode }
        if try foundFiles.recordEditInStore(of: &entry, transaction) { return false }
        try moveFile(of: arrival, into: entry, transaction)
        let isOwnVersion = entry.awaited == nil
        try withdrawals.withdrawIfLeavingCloud(&entry, transaction)
        entry.isHere = true
        entry.contentVersion = isOwnVersion ? arrival.version.id : nil
        // As it was shown for the placeholder.
        entry.changed = max(entry.modified, entry.changed)
        entry.file.arrived = Timestamp(try arrival.descriptor.status().st_ctim)
        entry.evidence = try arrival.descriptor.identify().evidence
        entry.error = nil
        try transaction.update(entry)
        transaction.announce(.attributesChanged(of: entry.inode))
        arrival.stage = .installed
        if entry.pending.contains(.content) { transfers.markClosed(entry.inode) }
        return true
    }

    private func moveFile(of arrival: Arrival, into entry: Entry, _ rows: Rows) throws {
        let number = arrival.descriptor.number
        if let displayName = entry.name?.displayName {
            backing.writeDisplayName(displayName, on: arrival.descriptor)
        }
        let folder = try backing.folder(entry.parent, rows)
        // Owner before mode: a change of owner clears set-id bits.
        if entry.isHere { try keepOwner(of: folder, entry.filename, on: arrival.descriptor) }
        _ = try Descriptor.check { fchmod(number, mode_t(entry.mode | BackingFolder.fileAccess)) }
        try arrival.descriptor.setModified(entry.modified.timespec)
        try arrival.descriptor.synchronize(dataOnly: false)
        try folder.keepingTime { () throws(Errno) in
            try backing.staging.rename(arrival.stagingName, to: folder, entry.filename)
        }
        // A withdrawal may follow, after which other devices drop the cloud's copy. So the name must be durable.
        if entry.location == .local || entry.awaited != nil { try folder.synchronize() }
    }

    /// Gives the new file the owner of the older version's file that it replaces: owners are not sent to other devices.
    private func keepOwner(of folder: BackingFolder, _ filename: String, on file: Descriptor) throws(Errno) {
        let former: stat
        do throws(Errno) { former = try folder.status(filename) } catch {
            if error == .noSuchFileOrDirectory { return }
            throw error
        }
        let present = try file.status()
        if former.st_uid == present.st_uid, former.st_gid == present.st_gid { return }
        do throws(Errno) { _ = try Descriptor.check { fchown(file.number, former.st_uid, former.st_gid) } } catch {
            // Some file systems give every file the same owner, and a user cannot give a file to a group that they have left. The content
            // matters more.
            if error != .notPermitted { throw error }
        }
    }
}
