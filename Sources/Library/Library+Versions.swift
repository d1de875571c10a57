import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// `F.conflicts/` and `F.versions/`.
extension Library {
    /// The names of documents with unresolved conflict versions, of a thousand at most.
    public func documentsInConflict() throws(Refusal) -> [EntryID: String] {
        let entries = try transactions.inspect { rows in
            // The number is known at once; the documents are looked for among all.
            try rows.documentCount(in: .cloud).conflicts == 0 ? [] : try rows.entriesInConflict(limit: 1000)
        }
        let names = entries.compactMap { entry in entry.id.map { ($0, entry.name?.displayName ?? entry.filename) } }
        return Dictionary(names) { first, _ in first }
    }

    /// `rm F.conflicts/V`: discards one version.
    ///
    /// - Throws: ENOENT, EPERM in `F.versions/`, ESTALE.
    public func discardVersion(
        _ name: some Collection<UInt8>, in folder: VersionFolder, of inode: InodeNumber, by caller: Caller = .unknown
    ) throws(Refusal) {
        try versionFiles.discardVersion(name, in: folder, of: inode, by: caller)
    }

    /// `mv F.conflicts/V F`: makes a version current.
    ///
    /// - Throws: EXDEV where the name is not the document's own, so that mv(1) copies; EEXIST with RENAME_NOREPLACE; EPERM in `F.versions/`;
    ///   ENOENT, ESTALE.
    public func chooseVersion(
        _ name: some Collection<UInt8>, in folder: VersionFolder, of inode: InodeNumber,
        as newName: some Collection<UInt8>, in newParent: InodeNumber, options: RenameOptions,
        by caller: Caller = .unknown
    ) throws(Refusal) {
        try versionFiles.chooseVersion(
            name, in: folder, of: inode, as: newName, in: newParent, options: options, by: caller)
    }

    /// - Throws: ENOENT, ESTALE.
    public func lookup(_ name: some Collection<UInt8>, in folder: VersionFolder, of inode: InodeNumber) throws(Refusal)
        -> Resolved
    {
        try versionFiles.lookup(name, in: folder, of: inode)
    }

    /// - Throws: ESTALE.
    public func list(_ folder: VersionFolder, of inode: InodeNumber) throws(Refusal) -> [ListedName] {
        try versionFiles.list(folder, of: inode)
    }
}
