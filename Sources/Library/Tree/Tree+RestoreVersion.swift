import Backing
import Catalog
import Documents
import Logging
import SystemPackage

/// Restoring a version: a save by renaming that is an action, and can be undone. The content that it replaces is kept in the trash.
extension Tree {
    func restoreVersion(of target: Entry, with source: Entry, by caller: Caller, _ transaction: Transaction) throws {
        // The person chose it in the place of the newest content, whichever version a program of theirs holds (`setBaseVersion`).
        try replaceContent(of: target, with: source, by: .unknown, keeps: true, transaction)
        try actions.recordRestoration(of: target, to: content(ofFormer: target, transaction), by: caller, transaction)
    }

    /// Gives a document a content that the trash has. The one that it has now, if it is here, goes to the trash in its place.
    ///
    /// - Parameter kept: the inode number that names the content.
    /// - Returns: what the document's file tells now.
    /// - Throws: ENOENT where the trash does not have it.
    func exchangeContent(
        of target: Entry, forTrashed kept: InodeNumber, _ transaction: Transaction
    ) throws -> Fingerprint {
        var random = surroundings.random()
        let directory = try backing.folder(target.parent, transaction)
        let filename = RestoredVersionName.make(using: &random)
        try backing.linkFromTrash(kept, to: directory, filename, transaction)
        actions.removeFromTrash([kept], after: transaction)
        try directory.setFileMode(filename, target.mode)
        var source = Entry(
            parent: target.parent, location: target.location, nature: .scratch, filename: filename,
            created: surroundings.now(), position: try nextPosition(in: target.parent, transaction), mode: target.mode)
        source.evidence = try directory.identify(filename).evidence
        source.inode = try transaction.insert(source)
        try replaceContent(of: target, with: source, by: .unknown, keeps: target.isBackingCurrent, transaction)
        transaction.announce(.entryChanged(EntryNames(target), besides: nil))
        transaction.announce(.listingChanged(of: target.parent))
        return try content(ofFormer: target, transaction)
    }

    private func content(ofFormer target: Entry, _ rows: Rows) throws -> Fingerprint {
        Fingerprint(try backing.folder(target.parent, rows).status(target.filename))
    }
}
