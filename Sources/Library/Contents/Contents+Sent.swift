import Backing
import Catalog
import Documents
import Synchronization
import SystemPackage

/// Contents on their way to the cloud.
extension Contents: SentContents {
    /// How often a file is looked at that somebody has open for writing, to see how long it has been as it is.
    private static let lookInterval = Duration.seconds(2)

    package var lookInterval: Duration? { unseenWrites.areNone ? nil : Self.lookInterval }

    package func noteUnseenWrites() throws { try transactions.noteUnseenWrites() }

    @discardableResult
    package func attemptToNoteUnseenWrites() -> Bool { transactions.attemptToNoteUnseenWrites() }

    package func timeToSend(_ inode: InodeNumber) throws -> Duration? {
        guard let file = openFiles.file(inode), file.isOpenForWriting else { return transfers.timeToQuiet(inode) }
        // A mapping may be written to without a trace; on older kernels so may be what was not the cloud's when it was opened.
        if file.state.withLock({ $0.isOnlyMapped || $0.isBypassed && !unseenWrites.canBeNoticed }) { return nil }
        let look = ContentLook(try file.descriptor.status())
        let now = surroundings.instant()
        let (time, isSaved, isModified) = file.state.withLock { state in
            (state.quiet.note(look, at: now), state.quiet.isSaved, state.isModified)
        }
        // What was saved before it was opened has been quiet since then.
        if !isModified { return transfers.timeToQuiet(inode) }
        let rest = transfers.pace.rest(after: time, isOpenForWriting: true, isSaved: isSaved)
        return isSaved ? rest : min(rest, Self.lookInterval)
    }

    package func contentToSend(
        of entry: Entry, _ catalog: CatalogTransaction
    ) throws -> (file: Descriptor, look: ContentLook)? {
        let file = try backing.folder(entry.parent, catalog).openUnnoticed(entry.filename)
        guard !isMapped(entry, file) else {
            // As if it had been written to just now; but nobody is at work for whom the log should be asked often.
            transfers.noteWritten(entry.inode)
            return nil
        }
        return (file, ContentLook(try file.status()))
    }

    package func isOpenForWriting(_ inode: InodeNumber) -> Bool { openFiles.isOpenForWriting(inode) }

    package func writePages(of inode: InodeNumber) throws {
        try openFiles.file(inode)?.descriptor.synchronize(dataOnly: true)
    }

    package func endChange(
        of entry: Entry, seenAs look: ContentLook, _ catalog: CatalogTransaction
    ) throws -> Bool {
        let status = try backing.folder(entry.parent, catalog).status(entry.filename)
        return try Fingerprint(status) == look.fingerprint && endChange(of: entry.inode, seenAs: look)
    }

    private func endChange(of inode: InodeNumber, seenAs look: ContentLook) throws -> Bool {
        guard let file = openFiles.file(inode), file.isOpenForWriting else { return true }
        guard ContentLook(try file.descriptor.status()) == look else { return false }
        // First this: a write that docfs sees is noted by itself then. One that was noted already and comes only now is found
        // by comparison.
        file.state.withLock { $0.isModified = false }
        unseenWrites.watch(file, since: look.fingerprint)
        return true
    }

    package func finishSaveIfOpen(_ entry: inout Entry, _ catalog: CatalogTransaction) throws {
        if openFiles.isOpenForWriting(entry.inode) { try finishSave(&entry, catalog) }
    }

    package func showNewerVersion(of inode: InodeNumber) { leaveOvertaken(inode) }

    package func begin(_ upload: UploadProgress, of inode: InodeNumber) {
        transfers.begin(upload, of: inode)
        stateChanged()
    }

    package func end(_ upload: UploadProgress, of inode: InodeNumber) { transfers.end(upload, of: inode) }

    package func cancelTransfers() { transfers.cancelAll() }

    /// The writer of an open file says that its content is whole.
    ///
    /// - Parameter look: what the file looked like before that.
    func noteSaved(_ file: OpenFile, _ look: ContentLook) {
        let now = surroundings.instant()
        file.state.withLock { $0.quiet.noteSaved(look, at: now) }
        cloud.changesAreWaiting()
    }

    /// Whether somebody may still write to a closed document through a mapping that docfs does not see.
    ///
    /// - Parameter file: opened for reading only.
    func isMapped(_ entry: Entry, _ file: Descriptor) -> Bool {
        // Where somebody holds the file for writing, be it docfs itself, that cannot be told.
        if let open = openFiles.file(entry.inode), open.isWritable || open.isOpenForWriting {
            return open.state.withLock(\.isOnlyMapped)
        }
        return unseenWrites.isMapped(file)
    }
}
