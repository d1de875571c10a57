import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// Names.
extension Library {
    /// Creates a document (or a scratch file) called `name` and opens it. A name that some document
    /// answers to is that document.
    public func create(_ name: some Collection<UInt8>, in parent: InodeNumber, by creator: Creator, flags: Int32)
        throws(Refusal) -> (Resolved, Opening)
    {
        try tree.create(name, in: parent, by: creator, flags: flags)
    }

    public func makeFolder(_ name: some Collection<UInt8>, in parent: InodeNumber, by creator: Creator) throws(Refusal)
        -> Resolved
    {
        try tree.makeFolder(name, in: parent, by: creator)
    }

    public func makeSymbolicLink(
        _ name: some Collection<UInt8>, to target: [UInt8], in parent: InodeNumber, by creator: Creator
    ) throws(Refusal) -> Resolved {
        try tree.makeSymbolicLink(name, to: target, in: parent, by: creator)
    }

    public func readSymbolicLink(_ inode: InodeNumber) throws(Refusal) -> [UInt8] {
        try tree.readSymbolicLink(inode)
    }

    /// Somebody reads a folder: what other devices do in it is of interest.
    public func lookForRemoteChanges(in folder: InodeNumber) throws(Refusal) {
        try tree.lookForRemoteChanges(in: folder)
    }

    /// A folder's names in listing order, as they are now: a listing under way goes on showing this
    /// snapshot whatever happens to the folder (PRODUCT 8).
    public func list(_ folder: InodeNumber) throws(Refusal) -> [ListedName] {
        try tree.list(folder)
    }

    public func listed(_ names: some Sequence<ListedName>, in folder: InodeNumber) throws(Refusal) -> [Listed] {
        try tree.listed(names, in: folder)
    }

    /// The parent of a folder; the mountpoint's is itself.
    public func parent(of folder: InodeNumber) throws(Refusal) -> InodeNumber {
        try tree.parent(of: folder)
    }

    /// - Parameter purpose: asked for only where it matters, since it is costly to find out.
    /// - Throws: ENOENT, ENOTDIR, ESTALE, or what the bytes of the name deserve.
    public func lookup(_ name: some Collection<UInt8>, in parent: InodeNumber, purpose: () -> LookupPurpose)
        throws(Refusal) -> Resolved
    {
        try tree.lookup(name, in: parent, purpose: purpose)
    }

    /// Finds the state of a document, or of the folder itself, under its reserved name.
    public func lookupState(of document: some Collection<UInt8>, in parent: InodeNumber, purpose: () -> LookupPurpose)
        throws(Refusal) -> Resolved
    {
        try tree.lookupState(of: document, in: parent, purpose: purpose)
    }

    /// Removes a document, link or scratch file. Handles that hold it open keep its content.
    public func remove(_ name: some Collection<UInt8>, in parent: InodeNumber) throws(Refusal) {
        try tree.remove(name, in: parent)
    }

    /// Removes an empty folder.
    public func removeFolder(_ name: some Collection<UInt8>, in parent: InodeNumber) throws(Refusal) {
        try tree.removeFolder(name, in: parent)
    }

    /// The kernel holds an inode no longer.
    public func forget(_ inode: InodeNumber) {
        tree.forget(inode)
    }

    /// rename(2) and renameat2(2): names a document, moves it, replaces its content, exchanges two, or
    /// migrates between local and cloud. What happens is decided by `RenameRule`. Never waits for the
    /// network: the kernel holds both directories until this returns.
    public func rename(
        _ name: some Collection<UInt8>, in parent: InodeNumber, to newName: some Collection<UInt8>,
        in newParent: InodeNumber, options: RenameOptions, by caller: Caller = .unknown
    ) throws(Refusal) {
        try tree.rename(name, in: parent, to: newName, in: newParent, options: options, by: caller)
    }

    public func attributes(of node: Node) throws(Refusal) -> FileAttributes {
        try tree.attributes(of: node)
    }
}
