import Backing
import Catalog
import Documents

/// The contents that synchronization sends, as it uses them.
package protocol SentContents: Sendable {
    /// How often files that the kernel may be writing to by itself must be looked at; nil while there are none.
    var lookInterval: Duration? { get }

    /// How long it is at least until sending holds up no program that changes many names (`Rush`); nil if it may go on.
    var timeToCalm: Duration? { get }

    /// Records all writes that the kernel made by itself until now.
    func recordUnseenWrites() throws

    /// As `recordUnseenWrites`. A failure is logged, and the write is recorded with the next change that succeeds.
    @discardableResult
    func tryToRecordUnseenWrites() -> Bool

    /// The time until the changed content of an entry is to be sent; nil while that cannot be known.
    func timeToSend(_ inode: InodeNumber) throws -> Duration?

    /// Opens the content of an entry to be sent.
    ///
    /// - Returns: the file and what it looks like now; nil while a process may still write to it unseen.
    func contentToSend(of entry: Entry, _ rows: Rows) throws -> (file: Descriptor, look: ContentLook)?

    /// Whether an entry's file is open for writing.
    func isOpenForWriting(_ inode: InodeNumber) -> Bool

    /// Writes the dirty pages of a file that is open for writing to the disk. The first write through a mapping after that changes the
    /// file's times.
    func writePages(of inode: InodeNumber) throws

    /// Whether an entry's file is unchanged since it looked like this. If it is, the change is over: the next write through a handle that is
    /// open is another one.
    func endChange(of entry: Entry, seenAs look: ContentLook, _ rows: Rows) throws -> Bool

    /// Updates the row of a document that is open for writing from its file. For a closed document the close has done that.
    func finishSaveIfOpen(_ entry: inout Entry, _ transaction: Transaction) throws

    /// Gives a document's file the time of its row, which docfs itself does not take for a write.
    func setTime(of entry: Entry, _ transaction: Transaction) throws

    /// A document has no change to be sent any more: if another device's version was received meanwhile, the names lead to that from now
    /// on.
    func showNewerVersion(of inode: InodeNumber)

    /// An upload begins, or has ended. States show it.
    func begin(_ upload: UploadProgress, of inode: InodeNumber)
    /// Has no effect on states if another upload of the same document has begun meanwhile.
    ///
    /// - Parameter isSent: whether the container has a whole state of it now.
    func end(_ upload: UploadProgress, of inode: InodeNumber, isSent: Bool)

    /// The mount ends. Transfers under way start anew next time.
    func cancelTransfers()
}
