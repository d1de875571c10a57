import Catalog
import Documents
import Replication
import SystemPackage

/// Why a call of the library is refused. `Refusal+Errno` has the number that the caller of a system call gets.
public enum Refusal: Error, Equatable, Sendable {
    // Names
    case name(NameError)
    case noSuchName
    case nameExists
    /// A virtual file or folder is to be changed.
    case virtualName
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
    case noContent

    // Contents
    case noSuchHandle
    case notOpenForWriting
    /// The content must arrive first, and the call does not wait for it.
    case contentNotHere
    case cloudUnreachable
    case negativeSize
    case interrupted
    case transfer(TransferError)
    /// The log names no content of a document.
    case noKnownContent

    // Attributes
    case noSuchAttribute
    case attributeExists
    case attributeOutsideUser
    case attributeWithoutName
    case computedAttribute
    case attributeTooLarge
    /// All attributes of one entry together are larger than a commit can carry.
    case attributesTooLarge
    /// A placeholder is given an owner. Owners are not sent to other devices, and a placeholder has no file here.
    case ownerOfPlaceholder
    /// Of `Documents`, `local` and `cloud` only the mode can be changed.
    case onlyModeOfTheTree

    // Order
    /// A line of `.order`, or the neighbour that an entry is to have, is the name of no entry of the folder.
    case unknownNameInOrder
    /// A folder that is sorted has no order that could be changed.
    case sorted(SortMode)
    case unknownSortMode
    case unknownPlace

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
    case versionNotWritable
    /// Versions in `F.versions/` can be neither removed nor chosen by renaming.
    case historyNotChangeable
    /// A version is to be renamed to a name that is not its document's.
    case versionOfOtherDocument

    // Undo and redo
    case undo(UndoRefusal)

    // Requests
    /// Hard links, devices, sockets and FIFOs are not kept.
    case notRegularFile
    case stateNotWritable
    case notExecutable
    case notSupported
    case unknownFlags
    /// A position beyond the end of the content.
    case beyondEnd
    case bufferTooSmall
    case unknownCheckup
    case checkupUnderWay
    case unknownAction

    // The store
    case noRoom
    /// A system call on the store's files failed.
    case file(Errno)
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
