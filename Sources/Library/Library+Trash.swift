import Backing
import Catalog
import Documents
import Glibc

/// `MOUNT/.Trash-UID`, the trash as file managers expect it (`TrashDirectory`).
extension Library {
    /// `.Trash-UID`, of the user who mounted.
    public static let trashDirectoryName = TrashPlace.topName(of: getuid())

    public func lookupTrashDirectory() throws(Refusal) -> Resolved {
        let node = Node.trashPlace(.top)
        return Resolved(node: node, attributes: try attributes(of: node), isCacheable: false)
    }

    public func lookup(_ name: some Collection<UInt8>, in place: TrashPlace) throws(Refusal) -> Resolved {
        try trashDirectory.lookup(name, in: place)
    }

    public func list(_ place: TrashPlace) throws(Refusal) -> [ListedName] { try trashDirectory.list(place) }

    /// The folder of a place; nil for `.Trash-UID`, which lies in the mountpoint.
    public func parent(of place: TrashPlace) -> TrashPlace? { trashDirectory.parent(of: place) }

    /// The kernel has forgotten a place.
    public func forget(_ place: TrashPlace) { trashDirectory.forget(place) }

    public func trashInfoText(_ number: Int64) throws(Refusal) -> String { try trashDirectory.infoText(number) }

    public func openTrashed(_ number: Int64, flags: Int32) throws(Refusal) -> OpenedFile {
        try trashDirectory.open(number, flags: flags)
    }

    public func announceTrash(_ name: some Collection<UInt8>, in place: TrashPlace) throws(Refusal) -> Resolved {
        try trashDirectory.announce(name, in: place)
    }

    public func throwAway(
        _ name: some Collection<UInt8>, in parent: InodeNumber, as label: some Collection<UInt8>, in place: TrashPlace,
        by caller: Caller
    ) throws(Refusal) { try trashDirectory.throwAway(name, in: parent, as: label, in: place, by: caller) }

    public func restoreTrashed(
        _ label: some Collection<UInt8>, in place: TrashPlace, to newName: some Collection<UInt8>,
        in newParent: InodeNumber, by caller: Caller
    ) throws(Refusal) { try trashDirectory.restore(label, in: place, to: newName, in: newParent, by: caller) }

    public func moveTrashed(_ name: some Collection<UInt8>, in place: TrashPlace, to newPlace: TrashPlace)
        throws(Refusal)
    { try trashDirectory.move(name, in: place, to: newPlace) }

    public func removeTrashed(_ name: some Collection<UInt8>, in place: TrashPlace) throws(Refusal) {
        try trashDirectory.remove(name, in: place)
    }

    public func removeTrashedFolder(_ name: some Collection<UInt8>, in place: TrashPlace) throws(Refusal) {
        try trashDirectory.removeFolder(name, in: place)
    }
}
