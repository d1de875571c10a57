import Backing
import Catalog
import Documents

/// What synchronization asks of the contents that it sends.
package protocol SentContents: Sendable {
    /// How often files must be looked at that the kernel may be writing to by itself; nil while there are none.
    var lookInterval: Duration? { get }

    /// What the kernel has written by itself up to now counts as written.
    func noteUnseenWrites() throws

    /// As `noteUnseenWrites`. A failure is logged, and the write is noted with the next change that succeeds.
    @discardableResult
    func attemptToNoteUnseenWrites() -> Bool

    /// How long it is until the changed content of an entry is to be sent; nil while that cannot be told.
    func timeToSend(_ inode: InodeNumber) throws -> Duration?

    /// Opens the content of an entry to be sent, and says what its file looks like now.
    ///
    /// - Returns: nil while somebody may still write to it unseen.
    func contentToSend(of entry: Entry, _ catalog: CatalogTransaction) throws -> (file: Descriptor, look: ContentLook)?

    /// Whether somebody has an entry's file open for writing.
    func isOpenForWriting(_ inode: InodeNumber) -> Bool

    /// Writes down what is in memory of a file that is open for writing. From then on a write through a mapping leaves a trace.
    func writePages(of inode: InodeNumber) throws

    /// Whether an entry's file has not been written to since it looked like this. If so, what is written from now on through the
    /// handles that are open is another change.
    func endChange(of entry: Entry, seenAs look: ContentLook, _ catalog: CatalogTransaction) throws -> Bool

    /// Brings the row of a document that is open for writing up to date with its file. Of one that is closed, the close has done that.
    func finishSaveIfOpen(_ entry: inout Entry, _ catalog: CatalogTransaction) throws

    /// What was to be sent of a document turned out to be no change: another device's version, which may have waited behind it, is
    /// shown.
    func showNewerVersion(of inode: InodeNumber)

    /// An upload begins, or has ended: states tell of it.
    func begin(_ upload: UploadProgress, of inode: InodeNumber)
    func end(_ upload: UploadProgress, of inode: InodeNumber)

    /// The mount ends: what is under way begins anew next time.
    func cancelTransfers()
}
