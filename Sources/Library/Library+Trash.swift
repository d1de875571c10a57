import Backing
import Catalog
import Documents
import Glibc

/// `MOUNT/.Trash-UID`, the trash as file managers expect it (`TrashDirectory`).
extension Library {
    /// `.Trash-UID`, of the user who mounted.
    public static let trashDirectoryName = FolderInTrash.topName(of: getuid())

    public func lookupTrashDirectory() throws(Refusal) -> Resolved {
        let node = Node.folderInTrash(.top)
        return Resolved(node: node, attributes: try attributes(of: node), isCacheable: false)
    }

    public func lookup(_ name: some Collection<UInt8>, in folder: FolderInTrash) throws(Refusal) -> Resolved {
        try trashDirectory.lookup(name, in: folder)
    }

    public func list(_ folder: FolderInTrash) throws(Refusal) -> [ListedName] { try trashDirectory.list(folder) }

    /// The folder of a place; nil for `.Trash-UID`, which lies in the mountpoint.
    public func parent(of folder: FolderInTrash) -> FolderInTrash? { trashDirectory.parent(of: folder) }

    /// The kernel has forgotten a place.
    public func forget(_ folder: FolderInTrash) { trashDirectory.forget(folder) }

    public func trashInfoText(_ number: Int64) throws(Refusal) -> String { try trashDirectory.infoText(number) }

    public func openTrashed(_ number: Int64, flags: Int32) throws(Refusal) -> OpenedFile {
        try trashDirectory.open(number, flags: flags)
    }

    public func announceTrash(_ name: some Collection<UInt8>, in folder: FolderInTrash) throws(Refusal) -> Resolved {
        try trashDirectory.announce(name, in: folder)
    }

    public func throwAway(
        _ name: some Collection<UInt8>, in parent: InodeNumber, as label: some Collection<UInt8>,
        in folder: FolderInTrash,
        by caller: Caller
    ) throws(Refusal) { try trashDirectory.throwAway(name, in: parent, as: label, in: folder, by: caller) }

    public func restoreTrashed(
        _ label: some Collection<UInt8>, in folder: FolderInTrash, to newName: some Collection<UInt8>,
        in newParent: InodeNumber, by caller: Caller
    ) throws(Refusal) { try trashDirectory.restore(label, in: folder, to: newName, in: newParent, by: caller) }

    public func moveTrashed(_ name: some Collection<UInt8>, in folder: FolderInTrash, to newFolder: FolderInTrash)
        throws(Refusal)
    { try trashDirectory.move(name, in: folder, to: newFolder) }

    public func removeTrashed(_ name: some Collection<UInt8>, in folder: FolderInTrash) throws(Refusal) {
        try trashDirectory.remove(name, in: folder)
    }

    public func removeTrashedFolder(_ name: some Collection<UInt8>, in folder: FolderInTrash) throws(Refusal) {
        try trashDirectory.removeFolder(name, in: folder)
    }
}
