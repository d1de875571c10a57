import Backing
import Catalog
import Documents
import SystemPackage

/// A removed file that comes back while a program still has it open. It is one file throughout, as in the trash of any file system: what the
/// program writes is written to the document. So the document keeps its inode number, and the program's handles are its own again.
extension Contents {
    /// The open file that comes back.
    ///
    /// - Parameters:
    ///   - inode: the number that the file had when it was removed.
    ///   - status: of the file that comes back.
    /// - Returns: nil if no program has it open: what comes back gets a new inode number then.
    func openFile(ofReturning inode: InodeNumber, _ status: IdentifiedStatus) -> OpenFile? {
        guard let file = openFiles.file(inode), file.isUnlinked, file.canBeShared(forWriting: true),
            // If it cannot be looked at, its handles stay without a document.
            let open = try? file.descriptor.identify(), open.evidence == status.evidence
        else { return nil }
        return file
    }

    /// Gives an open file back to its document, whose row is there again. With a writer, the document counts as changed: what was written since it
    /// was removed is not known, and what is written next must not be missed. Whether the content differs is found out before it is sent.
    func attach(_ file: OpenFile, to entry: inout Entry, _ transaction: Transaction) {
        openFiles.attach(file, transaction)
        guard file.isOpenForWriting else { return }
        if entry.isOutdated { openFiles.markOvertaken(entry.inode) }
        if entry.isReplicated {
            transactions.markContentChanged(&entry)
        } else {
            file.withWriting { $0.markModified() }
        }
        cloud.changesAreOfInterest()
    }
}
