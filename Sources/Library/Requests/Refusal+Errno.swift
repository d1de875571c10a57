import Backing
import Documents
import Replication
import SystemPackage

/// The only table from reasons to the errno that the caller of a system call gets.
extension Refusal {
    /// The number that the caller of the system call gets. Total: each refusal has one.
    public var errno: Errno {
        switch self {
        case .name(let error): error.errno
        case .rename(let refusal): refusal.errno
        case .undo(let refusal): refusal.errno
        case .transfer(let error): error.errno
        // The limit is that of docfs; EMFILE would say that the caller has too many files open.
        case .file(.tooManyOpenFiles): .tooManyOpenFilesInSystem
        case .file(let errno): errno
        case .noSuchName, .folderRemoved: .noSuchFileOrDirectory
        case .nameExists, .attributeExists: .fileExists
        case .virtualName, .notCreatableThere, .computedAttribute, .ownerOfPlaceholder, .ownerOfTheTree,
            .historyNotChangeable, .notRegularFile, .sorted:
            .notPermitted
        case .staleInode: .staleNFSFileHandle
        case .isFolder: .isDirectory
        case .notFolder: .notDirectory
        case .folderNotEmpty: .directoryNotEmpty
        case .isOfTheTree, .checkupUnderWay: .resourceBusy
        case .notSymbolicLink, .noContent, .negativeSize, .attributeWithoutName, .unknownFlags, .unknownCheckup,
            .unknownNameInOrder, .unknownSortMode, .unknownPosition, .unknownAction:
            .invalidArgument
        case .noSuchHandle, .notOpenForWriting: .badFileDescriptor
        case .contentNotHere: .resourceTemporarilyUnavailable
        case .contentNotInTrash, .notForCrawlers: .noData
        case .cloudUnreachable: .noRouteToHost
        case .cloudRefuses: .permissionDenied
        case .interrupted: .interrupted
        case .noSuchAttribute: .noData
        case .attributeOutsideUser, .notSupported: .notSupported
        case .beyondEnd: .noSuchAddressOrDevice
        case .bufferTooSmall: .outOfRange
        case .attributeTooLarge: .argListTooLong
        case .attributesTooLarge, .noRoom: .noSpace
        case .versionNotWritable, .stateNotWritable, .notExecutable, .reservedName: .permissionDenied
        case .staysHere(let reason): reason.errno
        case .alwaysHere, .unknownKeeping, .unknownRequest, .unknownLocation: .invalidArgument
        // Asked by setxattr(2), of which Linux hands on EAGAIN as EOPNOTSUPP.
        case .beyondCacheLimit(let isForNow): isForNow ? .resourceBusy : .noSpace
        case .versionOfOtherDocument: .improperLink
        case .noKnownContent, .storeFailed: .ioError
        }
    }
}

extension Refusal {
    /// Whether the disk that the store is on has failed, is full, or cannot be written to.
    public var tellsOfDisk: Bool {
        switch self {
        case .noRoom, .storeFailed: true
        case .file(let errno): errno.isLackOfRoom || errno == .ioError || errno == .readOnlyFileSystem
        default: false
        }
    }
}

extension StayReason {
    fileprivate var errno: Errno {
        switch self {
        case .local: .invalidArgument
        case .kept, .owned: .notPermitted
        case .open, .unsent, .notInContainer: .resourceBusy
        case .cloudUnreachable: .noRouteToHost
        }
    }
}

extension NameError {
    fileprivate var errno: Errno {
        switch self {
        case .invalid: .invalidArgument
        case .notUTF8: .illegalByteSequence
        case .tooLong: .fileNameTooLong
        }
    }
}

extension RenameRefusal {
    fileprivate var errno: Errno {
        switch self {
        case .exists: .fileExists
        case .nothingToExchange: .noSuchFileOrDirectory
        case .isFolder: .isDirectory
        case .notFolder: .notDirectory
        case .cannotExchange, .intoItself: .invalidArgument
        case .isOfTheTree, .contentNotHere, .migration(.stillArriving), .migration(.inConflict): .resourceBusy
        case .folderIntoDocuments: .notPermitted
        case .reservedName: .permissionDenied
        case .migration(.notHere): .noRouteToHost
        }
    }
}

extension TransferError {
    fileprivate var errno: Errno {
        switch self {
        case .store:
            isStoreOutOfReach
                ? .noRouteToHost : isStoreForbidden ? .permissionDenied : isStoreFull ? .noSpace : .ioError
        case .damaged, .changed, .invalidVersion: .ioError
        case .file(let errno): errno
        case .cancelled: .interrupted
        }
    }
}
