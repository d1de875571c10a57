import Backing
import Catalog
import Documents
import Synchronization
import SystemPackage

/// The contents that synchronization sends to the cloud.
extension Contents: SentContents {
    /// How often a file that is open for writing is looked at, to learn how long its content is unchanged.
    private static let lookInterval = Duration.seconds(2)

    package var lookInterval: Duration? { unseenWrites.isEmpty ? nil : Self.lookInterval }

    package var timeToCalm: Duration? { transfers.timeToCalm }

    package func recordUnseenWrites() throws { try transactions.recordUnseenWrites() }

    @discardableResult
    package func tryToRecordUnseenWrites() -> Bool { transactions.tryToRecordUnseenWrites() }

    package func timeToSend(_ inode: InodeNumber) throws -> Duration? {
        guard let file = openFiles.file(inode), file.isOpenForWriting else { return transfers.timeToQuiet(inode) }
        if file.withWriting({ $0.mayChangeUnnoticed(noticesWrites: unseenWrites.canBeNoticed) }) { return nil }
        let look = ContentLook(try file.descriptor.status())
        let now = surroundings.instant()
        let (quiet, isModified) = file.withWriting { ($0.observe(look, at: now), $0.isModified) }
        // The change was saved before the file was opened.
        if !isModified { return transfers.timeToQuiet(inode) }
        if quiet.isSaved { return transfers.timeToQuiet(inode, unchanged: quiet.time) }
        return min(
            transfers.pace.rest(after: quiet.time, isOpenForWriting: true, isSaved: false), Self.lookInterval)
    }

    package func contentToSend(
        of entry: Entry, _ rows: Rows
    ) throws -> (file: Descriptor, look: ContentLook)? {
        let file = try backing.folder(entry.parent, rows).openUnnoticed(entry.filename)
        guard !isMapped(entry, file) else {
            // It is looked at again after a while. Not `markClosed`: the log need not be asked more often for this.
            transfers.markWritten(entry.inode)
            return nil
        }
        return (file, ContentLook(try file.status()))
    }

    package func isOpenForWriting(_ inode: InodeNumber) -> Bool { openFiles.isOpenForWriting(inode) }

    package func writePages(of inode: InodeNumber) throws {
        try openFiles.file(inode)?.descriptor.synchronize(dataOnly: true)
    }

    package func endChange(
        of entry: Entry, seenAs look: ContentLook, _ rows: Rows
    ) throws -> Bool {
        let status = try backing.folder(entry.parent, rows).status(entry.filename)
        return try Fingerprint(status) == look.fingerprint && endChange(of: entry.inode, seenAs: look)
    }

    private func endChange(of inode: InodeNumber, seenAs look: ContentLook) throws -> Bool {
        guard let file = openFiles.file(inode), file.isOpenForWriting else { return true }
        guard ContentLook(try file.descriptor.status()) == look else { return false }
        // In this order: a write that docfs sees from now on is recorded by `willWrite`. A write that `willWrite` has recorded
        // already, but that changes the file only now, is found by the comparison with `look`.
        file.withWriting { $0.markUnmodified() }
        unseenWrites.watch(file, since: look.fingerprint)
        return true
    }

    package func finishSaveIfOpen(_ entry: inout Entry, _ transaction: Transaction) throws {
        if openFiles.isOpenForWriting(entry.inode) { try finishSave(&entry, transaction) }
    }

    package func setTime(of entry: Entry, _ transaction: Transaction) throws {
        let folder = try backing.folder(entry.parent, transaction)
        try unseenWrites.settingTimes(of: entry.inode) {
            try folder.setModified(entry.filename, entry.modified.timespec)
        }
        transaction.announce(.attributesChanged(of: entry.inode))
    }

    package func begin(_ upload: UploadProgress, of inode: InodeNumber) {
        transfers.begin(upload, of: inode)
        notices.stateChanged()
    }

    package func end(_ upload: UploadProgress, of inode: InodeNumber, isSent: Bool) {
        transfers.end(upload, of: inode, isSent: isSent)
    }

    package func cancelTransfers() { transfers.cancelAll() }

    /// The writer of an open file declared its content whole, by fsync or by renaming it over the document.
    ///
    /// - Parameter look: of the file before that.
    func markSaved(_ file: OpenFile, _ look: ContentLook) {
        let now = surroundings.instant()
        file.withWriting { $0.markSaved(look, at: now) }
        transfers.markSaved(file.inode)
        cloud.changesAreWaiting()
    }

    /// Whether a process may still write to a closed document through a mapping that docfs does not see.
    ///
    /// - Parameter file: opened for reading only.
    func isMapped(_ entry: Entry, _ file: Descriptor) -> Bool {
        // While a process, docfs included, has the file open for writing, a lease does not tell of mappings.
        if let open = openFiles.file(entry.inode), open.isWritable || open.isOpenForWriting {
            return open.withWriting(\.isOnlyMapped)
        }
        return unseenWrites.isMapped(file)
    }
}
