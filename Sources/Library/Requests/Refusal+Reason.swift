import Documents
import Replication
import SystemPackage

extension Refusal: CustomStringConvertible {
    /// The reason in one line, for the log.
    public var description: String {
        switch self {
        case .name(.invalid): "the name is empty, or contains NUL or /"
        case .name(.notUTF8): "the name is not UTF-8"
        case .name(.tooLong): "the name is longer than \(EntryName.maximumLength) bytes"
        case .noSuchName: "nothing has this name"
        case .nameExists: "something has this name already"
        case .virtualName: "a virtual file cannot be changed"
        case .reservedName: "the name is docfs's own"
        case .rename(let refusal): refusal.reason
        case .undo(let refusal): refusal.reason
        case .staleInode: "the entry is gone, or has another inode number by now"
        case .folderRemoved: "the folder has been removed"
        case .isFolder: "it is a folder"
        case .notFolder: "it is no folder"
        case .folderNotEmpty: "the folder is not empty"
        case .isOfTheTree: "Documents, local and cloud cannot be renamed or removed"
        case .notCreatableThere: "only documents can be created in Documents, and nothing outside of it"
        case .notSymbolicLink: "it is no symbolic link"
        case .noContent: "it has no content"
        case .noSuchHandle: "no file is open under this number"
        case .notOpenForWriting: "the file is not open for writing"
        case .contentNotHere: "the content is not here yet"
        case .contentNotInTrash: "the content is in the cloud only; restore the document to read it"
        case .notForCrawlers: "the content is not here, and is not downloaded for thumbnails and indexes"
        case .cloudUnreachable: "the content is not here, and the cloud cannot be reached"
        case .cloudRefuses: "the content is not here, and the cloud refuses this device's credentials"
        case .negativeSize: "a size cannot be negative"
        case .interrupted: "the caller was interrupted"
        case .transfer(let error): "the transfer failed: \(error)"
        case .noKnownContent: "the container knows no content of the document"
        case .noSuchAttribute: "there is no such attribute"
        case .attributeExists: "there is such an attribute already"
        case .attributeOutsideUser: "only attributes in user. are kept"
        case .attributeWithoutName: "nothing follows user."
        case .computedAttribute: "the attribute is computed"
        case .attributeTooLarge: "the value is larger than an attribute can be"
        case .attributesTooLarge: "all attributes together are larger than an entry can have"
        case .ownerOfPlaceholder: "a placeholder has no file here that could have an owner"
        case .ownerOfTheTree: "the mountpoint and Documents belong to whom the store belongs to"
        case .unknownNameInOrder: "no entry of the folder has this name"
        case .sorted(let mode): "the folder is sorted by \(mode.rawValue), so it has no order that could be changed"
        case .unknownSortMode: "a folder is sorted by name, modified, created or size, or manually"
        case .unknownPosition: "a place is `before NAME`, `after NAME` or `to NUMBER`"
        case .staysHere(let reason): reason.text
        case .alwaysHere: "it is always here"
        case .unknownKeeping: "the value of user.document.keep is always"
        case .unknownRequest: "user.document.downloading can be set to current and to notDownloaded"
        case .unknownLocation: "the preferred location is local or cloud"
        case .beyondCacheLimit: "the limit of the cache leaves no room, since nothing else may go"
        case .versionNotWritable: "a version cannot be written to"
        case .historyNotChangeable: "versions in F.versions can be neither removed nor renamed"
        case .versionOfOtherDocument: "a version can be renamed over its own document only"
        case .notRegularFile: "hard links, devices, sockets and FIFOs are not kept"
        case .stateNotWritable: "a state cannot be written to"
        case .notExecutable: "it cannot be executed"
        case .notSupported: "the operation is not supported here"
        case .unknownFlags: "unknown flags"
        case .beyondEnd: "the position is beyond the end of the content"
        case .bufferTooSmall: "the value is larger than the caller's buffer"
        case .unknownCheckup: "a checkup is check, repair or new-key"
        case .unknownAction: "an action is undo or redo"
        case .checkupUnderWay: "a checkup is under way already"
        case .noRoom: "the disk is full"
        case .file(let errno): "a call on the store's files failed: \(errno)"
        case .storeFailed(let reason): "the store failed: \(reason)"
        }
    }
}

extension RenameRefusal {
    fileprivate var reason: String {
        switch self {
        case .exists: "the new name is another entry's"
        case .isFolder: "the new name is a folder's"
        case .notFolder: "the new name is no folder's"
        case .cannotExchange: "these two cannot be exchanged"
        case .nothingToExchange: "nothing has the other name of the exchange"
        case .isOfTheTree: Refusal.isOfTheTree.description
        case .folderIntoDocuments: "a folder cannot be moved into Documents itself"
        case .intoItself: "a folder cannot be moved into itself"
        case .reservedName: Refusal.reservedName.description
        case .contentNotHere: "the content of one of the two is not here"
        case .migration(.stillArriving): "some of its content is still being downloaded, since it leaves the cloud"
        case .migration(.inConflict): "a document in conflict does not leave the cloud"
        case .migration(.notHere): "some of its content is not here, and the cloud cannot be reached"
        }
    }
}
