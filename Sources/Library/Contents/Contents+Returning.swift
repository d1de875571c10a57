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
    ///   - evidence: of the file that comes back.
    /// - Returns: nil if no program has it open: what comes back gets a new inode number then.
    func openFile(ofReturning inode: InodeNumber, _ evidence: FileEvidence?) -> OpenFile? {
        guard let file = openFiles.file(inode), file.isUnlinked, file.canBeShared(forWriting: true),
            // If it cannot be looked at, its handles stay without a document.
            let open = try? file.descriptor.identify(), open.evidence == evidence
        else { return nil }
        return file
    }

    /// Gives an open file back to its document, whose row is there again. What a writer has written since the removal is a change of the document.
    /// What nobody has changed must not count as changed: it would take the place of all that the container has of a document that is to be
    /// made there again.
    ///
    /// - Parameter looksChanged: whether the file looks other than what the row says that it holds.
    /// - Throws: the errno of fstat(2).
    func attach(
        _ file: OpenFile, to entry: inout Entry, _ transaction: Transaction, looksChanged: (Fingerprint) throws -> Bool
    ) throws {
        openFiles.attach(file, transaction)
        guard file.isOpenForWriting, entry.isReplicated else { return }
        if entry.isOutdated { openFiles.markOvertaken(entry.inode) }
        let look = Fingerprint(try file.descriptor.status())
        // In this order: a write that docfs sees is in `isModified`, or finds the file attached and is recorded (`willWrite`).
        if try file.withWriting(\.isModified) || entry.pending.contains(.content) || looksChanged(look) {
            transactions.markContentChanged(&entry)
        } else {
            unseenWrites.watch(file, since: look)
        }
        cloud.changesAreOfInterest()
    }
}
