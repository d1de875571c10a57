import Backing
import Catalog
import Documents
import Synchronization
import SystemPackage

/// Contents that are sent while somebody has them open for writing.
extension Library {
    /// How often a file is looked at that somebody has open for writing, to see how long it has been as it is.
    static let lookInterval = Duration.seconds(2)

    /// How long it is until the changed content of an entry is to be sent; nil while that cannot be told.
    func timeToSend(_ inode: InodeNumber) throws(Errno) -> Duration? {
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

    /// The writer of an open file says that its content is whole.
    ///
    /// - Parameter look: what the file looked like before that.
    func noteSaved(_ file: OpenFile, _ look: ContentLook) {
        let now = surroundings.instant()
        file.state.withLock { $0.quiet.noteSaved(look, at: now) }
        transfers.noteWork()
    }

    /// Writes down what is in memory of a file that is open for writing. From then on a write through a mapping leaves a trace.
    func cleanPages(of inode: InodeNumber) throws(Errno) {
        try openFiles.file(inode)?.descriptor.synchronize(dataOnly: true)
    }

    /// The container has a content of an entry, or is about to get it: what is written from now on through the handles that
    /// are open is another change.
    ///
    /// - Parameter look: what the file looked like before the content was read.
    /// - Returns: false if it has been written to since.
    func endChange(of inode: InodeNumber, seenAs look: ContentLook) throws -> Bool {
        guard let file = openFiles.file(inode), file.isOpenForWriting else { return true }
        guard ContentLook(try file.descriptor.status()) == look else { return false }
        // First this: a write that docfs sees is noted by itself then. One that was noted already and comes only now is found
        // by comparison.
        file.state.withLock { $0.isModified = false }
        unseenWrites.watch(file, since: look.fingerprint)
        return true
    }
}
