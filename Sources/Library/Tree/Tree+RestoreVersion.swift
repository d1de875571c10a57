import Backing
import Catalog
import Documents
import SystemPackage

/// Restoring a version: a save by renaming that is an action, and can be undone. The content that it replaces is kept in the trash.
extension Tree {
    /// Whether a rename over a document restores a version (`RestoredVersionName`). Of a placeholder there is no file to keep: that is a save.
    func restoresVersion(of target: Entry, with source: Entry) -> Bool {
        source.kind == .scratch && RestoredVersionName.matches(source.filename) && target.isHere
    }

    func restoreVersion(of target: Entry, with source: Entry, by caller: Caller, _ catalog: CatalogTransaction) throws {
        try replaceContent(of: target, with: source, by: caller, keeps: true, catalog)
        try actions.recordRestoration(of: target, to: content(ofFormer: target, catalog), by: caller, catalog)
    }

    /// Gives a document a content that the trash has. The one that it has now, if it is here, goes to the trash in its place.
    ///
    /// - Parameter kept: the inode number that names the content.
    /// - Returns: what the document's file tells now.
    /// - Throws: ENOENT where the trash does not have it.
    func exchangeContent(
        of target: Entry, forTrashed kept: InodeNumber, _ catalog: CatalogTransaction
    ) throws -> ActionStep.Content {
        var random = surroundings.random()
        let directory = try backing.folder(target.parent, catalog)
        let filename = RestoredVersionName.make(using: &random)
        guard try backing.takeBack(filename, of: kept, to: directory) else { throw Errno.noSuchFileOrDirectory }
        catalog.ifFailed { [backing] in _ = try? backing.throwAway(filename, of: kept, in: directory) }
        try directory.setFileMode(filename, target.mode)
        var source = Entry(
            parent: target.parent, container: target.container, nature: .scratch, filename: filename,
            created: surroundings.now(), position: try nextPosition(in: target.parent, catalog), mode: target.mode)
        source.backing = try directory.identify(filename).evidence
        source.inode = try catalog.insert(source)
        try replaceContent(of: target, with: source, by: .unknown, keeps: target.isHere, catalog)
        catalog.announce(.entryChanged(EntryNames(target), besides: nil))
        catalog.announce(.listingChanged(of: target.parent))
        return try content(ofFormer: target, catalog)
    }

    private func content(ofFormer target: Entry, _ catalog: CatalogTransaction) throws -> ActionStep.Content {
        ActionStep.Content(Fingerprint(try backing.folder(target.parent, catalog).status(target.filename)))
    }
}

extension ActionStep.Content {
    init(_ file: Fingerprint) { self.init(size: file.size, modified: file.modified) }
}
