import Catalog
import Documents
import Replication
import SystemPackage

/// Why a call of the library is refused. `Refusal+Errno` has the number that the caller of a system call gets.
public enum Refusal: Error, Equatable, Sendable {
    // Names
    /// The bytes are no name.
    case name(NameError)
    case noSuchName
    case nameExists
    /// A virtual file or folder is to be changed.
    case virtualName
    /// Something is to get a name that is docfs's own (`VirtualName.isReserved`).
    case reservedName
    /// A rename that `RenameRule` or `Migration` does not allow.
    case rename(RenameRefusal)

    // Entries
    /// The entry is gone, or has another inode number by now. The kernel looks its name up again.
    case staleInode
    /// An entry is to be created in a folder that was removed.
    case folderRemoved
    case isFolder
    case notFolder
    case folderNotEmpty
    /// `Documents`, `local` or `cloud`.
    case isOfTheTree
    /// A folder or link in `Documents` itself, or anything beside it.
    case notCreatableThere
    case notSymbolicLink
    /// The call needs a file, and the entry is a symbolic link.
    case noContent

    // Contents
    /// No file is open under the number that the caller gives.
    case noSuchHandle
    /// The handle was opened for reading only.
    case notOpenForWriting
    /// The content must arrive first, and the call does not wait for it.
    case contentNotHere
    /// The trash shows a document whose content only the container has. Bringing it back makes a placeholder of it.
    case contentNotInTrash
    /// The content is not here, and the caller is a program that looks through all files by itself.
    case notForCrawlers
    /// The content is not here, and the cloud cannot be reached or does not answer within the timeout.
    case cloudUnreachable
    /// The content is not here, and the cloud refuses the credentials.
    case cloudRefuses
    case negativeSize
    /// A signal or the end of the mount broke off the wait for content.
    case interrupted
    /// The download of the content failed.
    case transfer(TransferError)
    /// The log names no content of a document.
    case noKnownContent

    // Attributes
    /// The entry has no attribute of the name, which is to be read, removed, or replaced (XATTR_REPLACE).
    case noSuchAttribute
    /// An attribute that exists is to be created (XATTR_CREATE).
    case attributeExists
    /// An attribute in another namespace than `user.`, such as `security.` or `trusted.`.
    case attributeOutsideUser
    /// The name `user.` alone.
    case attributeWithoutName
    /// An attribute whose value docfs computes is to be written or removed.
    case computedAttribute
    /// One value is larger than 64 KiB.
    case attributeTooLarge
    /// All attributes of one entry together are larger than a commit can carry.
    case attributesTooLarge
    /// A placeholder is given an owner. Owners are not sent to other devices, and a placeholder has no file here.
    case ownerOfPlaceholder
    /// The mountpoint or `Documents` is given another owner.
    case ownerOfTheTree

    // Order
    /// A line of `.order`, or the neighbour that an entry is to have, is the name of no entry of the folder.
    case unknownNameInOrder
    /// A folder that is sorted has no order that could be changed.
    case sorted(SortMode)
    case unknownSortMode
    /// The value of an attribute that moves an entry within its folder cannot be read.
    case unknownPosition

    // Contents that stay here
    /// The content of a document must stay on this device.
    case staysHere(StayReason)
    /// Asked of what is never a placeholder: scratch files, links, `Documents` and `local`.
    case alwaysHere
    /// `user.document.keep` is given another value than `always`.
    case unknownKeeping
    /// `user.document.downloading` is given another word than `current` and `notDownloaded`.
    case unknownRequest
    /// `Documents/.location` is given another word than `local` and `cloud`.
    case unknownLocation
    /// `--cache-limit` leaves no room, since nothing that is here may go. `isForNow`: until other downloads have ended.
    case beyondCacheLimit(isForNow: Bool)

    // Versions
    /// A file in `F.conflicts/` or `F.versions/` is to be opened for writing.
    case versionNotWritable
    /// Versions in `F.versions/` can be neither removed nor chosen by renaming.
    case historyNotChangeable
    /// A version is to be renamed to a name that is not its document's.
    case versionOfOtherDocument

    // Undo and redo
    /// An action cannot be undone or done again.
    case undo(UndoRefusal)

    // Requests
    /// Hard links, devices, sockets and FIFOs are not kept.
    case notRegularFile
    /// A virtual `.state` file is to be opened for writing.
    case stateNotWritable
    /// access(2) with X_OK on a file that nobody may execute.
    case notExecutable
    /// The operation does not exist for this kind of node, or not while its content is being downloaded.
    case notSupported
    /// Flags of renameat2(2) other than RENAME_NOREPLACE and RENAME_EXCHANGE.
    case unknownFlags
    /// A position beyond the end of the content.
    case beyondEnd
    /// An attribute's value or the list of names is larger than the buffer that getxattr(2) or listxattr(2) was given.
    case bufferTooSmall
    /// A request for a check that is neither `check` nor `repair`.
    case unknownCheckup
    /// A check was requested while another one is running.
    case checkupUnderWay
    /// A request that is neither `undo` nor `redo`.
    case unknownAction

    // The store
    /// The disk, or the catalog on it, has no room.
    case noRoom
    /// A system call on the store's files failed.
    case file(Errno)
    /// The catalog or the store failed in a way that has no errno of its own. The reason is logged.
    case storeFailed(String)
}

extension Refusal {
    init(_ error: any Error) {
        switch error {
        case let refusal as Refusal: self = refusal
        case let error as NameError: self = .name(error)
        case let refusal as RenameRefusal: self = .rename(refusal)
        case let refusal as UndoRefusal: self = .undo(refusal)
        case let error as TransferError: self = .transfer(error)
        case let errno as Errno: self = errno == .noSpace ? .noRoom : .file(errno)
        case CatalogError.full: self = .noRoom
        default: self = .storeFailed("\(error)")
        }
    }

    /// Runs `body`, whose system calls on the store's files may fail.
    static func wrapping<Value>(_ body: () throws -> Value) throws(Refusal) -> Value {
        do { return try body() } catch { throw Refusal(error) }
    }
}
