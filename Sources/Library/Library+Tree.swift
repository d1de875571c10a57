import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// The tree: names, folders, links.
extension Library {
    /// Creates a document or a scratch file called `name` and opens it. If a document has the name, that one is opened.
    ///
    /// - Throws: EEXIST with O_EXCL, EISDIR, ENOENT in a removed folder, ENOTDIR, EPERM outside of `Documents`, EINVAL, EILSEQ and
    ///   ENAMETOOLONG for bytes that are no name, ENOSPC, ESTALE, or as `open`.
    public func create(_ name: some Collection<UInt8>, in parent: InodeNumber, by creator: Creator, flags: Int32)
        throws(Refusal) -> (Resolved, Opening)
    {
        try tree.create(name, in: parent, by: creator, flags: flags)
    }

    /// - Throws: EEXIST, EPERM in `Documents` itself, else as `create`.
    public func makeFolder(_ name: some Collection<UInt8>, in parent: InodeNumber, by creator: Creator) throws(Refusal)
        -> Resolved
    {
        try tree.makeFolder(name, in: parent, by: creator)
    }

    /// - Throws: as `makeFolder`.
    public func makeSymbolicLink(
        _ name: some Collection<UInt8>, to target: [UInt8], in parent: InodeNumber, by creator: Creator
    ) throws(Refusal) -> Resolved {
        try tree.makeSymbolicLink(name, to: target, in: parent, by: creator)
    }

    /// - Throws: EINVAL for anything but a link, ESTALE.
    public func readSymbolicLink(_ inode: InodeNumber) throws(Refusal) -> [UInt8] {
        try tree.readSymbolicLink(inode)
    }

    /// A folder is being read. If it is in the cloud, synchronization soon asks what other devices did.
    public func lookForRemoteChanges(in folder: InodeNumber) throws(Refusal) {
        try tree.lookForRemoteChanges(in: folder)
    }

    /// The names in a folder, in listing order. A listing that has begun shows this snapshot to its end, whatever happens to the folder
    /// (`Semantics`, "Order").
    ///
    /// - Throws: ENOTDIR, ESTALE.
    public func list(_ folder: InodeNumber) throws(Refusal) -> [ListedName] {
        try tree.list(folder)
    }

    /// Looks names of a listing up: an entry with its attributes, the name alone where that is enough, or nothing for a name that is gone.
    public func listed(_ names: some Sequence<ListedName>, in folder: InodeNumber) throws(Refusal) -> [Listed] {
        try tree.listed(names, in: folder)
    }

    /// The parent of a folder; the mountpoint's is itself.
    ///
    /// - Throws: ESTALE.
    public func parent(of folder: InodeNumber) throws(Refusal) -> InodeNumber {
        try tree.parent(of: folder)
    }

    /// - Parameter purpose: called only where the answer depends on it, since finding out is costly.
    /// - Throws: ENOENT, ENOTDIR, ESTALE, ENAMETOOLONG, or EILSEQ for a name that is not UTF-8.
    public func lookup(_ name: some Collection<UInt8>, in parent: InodeNumber, purpose: () -> LookupPurpose)
        throws(Refusal) -> Resolved
    {
        try tree.lookup(name, in: parent, purpose: purpose)
    }

    /// Finds the state of a document, or of the folder itself, by its reserved name.
    ///
    /// - Throws: ENOENT where there is no such document, EILSEQ when the call would create the name.
    public func lookupState(of document: some Collection<UInt8>, in parent: InodeNumber, purpose: () -> LookupPurpose)
        throws(Refusal) -> Resolved
    {
        try tree.lookupState(of: document, in: parent, purpose: purpose)
    }

    /// Removes a document, link or scratch file. Open handles keep its content.
    ///
    /// - Throws: ENOENT, EISDIR, EPERM for virtual files, ESTALE.
    public func remove(
        _ name: some Collection<UInt8>, in parent: InodeNumber, by caller: Caller = .unknown
    ) throws(Refusal) {
        try tree.remove(name, in: parent, by: caller)
    }

    /// Removes an empty folder.
    ///
    /// - Throws: ENOENT, ENOTDIR, ENOTEMPTY, EBUSY for `Documents`, `local` and `cloud`.
    public func removeFolder(
        _ name: some Collection<UInt8>, in parent: InodeNumber, by caller: Caller = .unknown
    ) throws(Refusal) {
        try tree.removeFolder(name, in: parent, by: caller)
    }

    /// The kernel has forgotten an inode.
    public func forget(_ inode: InodeNumber) {
        tree.forget(inode)
    }

    /// rename(2) and renameat2(2): names a document, moves it, replaces its content, exchanges two, or migrates between local and cloud.
    /// `RenameRule` decides which. It never waits for the network: the kernel has both directories locked until this returns.
    ///
    /// - Throws: ENOENT; EEXIST with RENAME_NOREPLACE and for a migration over an entry; EISDIR, ENOTDIR; ENOTEMPTY; EBUSY for
    ///   `Documents`, `local` and `cloud`, for a document in conflict that would leave the cloud, and where content must arrive first;
    ///   EHOSTUNREACH for a migration that needs content and is offline; EPERM for folders into `Documents` and virtual files; EINVAL for a
    ///   folder into itself and for flags that exclude each other; EILSEQ and ENAMETOOLONG for bytes that are no name.
    public func rename(
        _ name: some Collection<UInt8>, in parent: InodeNumber, to newName: some Collection<UInt8>,
        in newParent: InodeNumber, options: RenameOptions, by caller: Caller = .unknown
    ) throws(Refusal) {
        try tree.rename(name, in: parent, to: newName, in: newParent, options: options, by: caller)
    }

    /// - Throws: ESTALE, or the backing file's own errno.
    public func attributes(of node: Node) throws(Refusal) -> FileAttributes {
        switch node {
        case .folderInTrash, .trashed, .trashInfo:
            try trashDirectory.inspect { try trashDirectory.attributes(of: node, $0) }
        default: try tree.attributes(of: node)
        }
    }
}
