import Catalog
import Documents
import Testing

extension SmallWorlds {
    /// The folders in which names are given.
    enum Place: String, CaseIterable, Sendable {
        case cloud
        case folder = "cloud/D"
        case trash = "cloud/.Trash-0/files"
        case local

        func inode(on device: TestDevice) -> InodeNumber? {
            switch self {
            case .cloud: return InodeNumber.cloud
            case .local: return InodeNumber.local
            case .folder: return try? device.inode("D")
            case .trash:
                guard let trash = try? device.inode(".Trash-0") else { return nil }
                return try? device.inode("files", in: trash)
            }
        }
    }

    struct Path: Hashable, Comparable, CustomStringConvertible, Sendable {
        let place: Place
        let name: String

        init(_ place: Place, _ name: String) {
            self.place = place
            self.name = name
        }

        static let document = Path(.cloud, "F.txt")
        /// After `setfattr`.
        static let titled = Path(.cloud, "H.txt")
        static let temporaryScratch = Path(.cloud, "save.tmp")
        static let temporaryDocument = Path(.cloud, "save.new")
        /// `docfs versions restore` writes to a name of this kind.
        static let temporaryVersion = Path(.cloud, ".docfs-restore-1.tmp")
        static let known =
            [document, titled, temporaryScratch, temporaryDocument, temporaryVersion] + Target.allCases.map(\.path)

        var description: String { "\(place.rawValue)/\(name)" }

        static func < (left: Self, right: Self) -> Bool { left.description < right.description }
    }

    /// The classes of names that a document can be renamed to.
    enum Target: CaseIterable, CustomStringConvertible, Sendable {
        case other, otherExtension, backup, scratch, scratchBackup, hidden, folder, trash, local

        var path: Path {
            switch self {
            case .other: Path(.cloud, "G.txt")
            case .otherExtension: Path(.cloud, "F.md")
            case .backup: Path(.cloud, "F.txt.bak")
            case .scratch: Path(.cloud, "F.tmp")
            case .scratchBackup: Path(.cloud, "F.txt~")
            case .hidden: Path(.cloud, ".F")
            case .folder: Path(.folder, "F.txt")
            case .trash: Path(.trash, "F.txt")
            case .local: Path(.local, "F.txt")
            }
        }

        var description: String { path.description }

        /// Whether what is renamed to it is no document any more.
        var isScratch: Bool { [.scratch, .scratchBackup, .trash].contains(self) }
        var leavesCloud: Bool { isScratch || self == .local }
        /// Whether a file that gets the former name within 15 seconds may continue the document.
        var freesName: Bool { isScratch || self == .backup }
    }

    enum Start: CaseIterable, Sendable {
        case here, placeholder, waiting
        /// The other device's version is the current one, and is not here.
        case inConflict
        /// This device's version is the current one.
        case inConflictHere

        var isInConflict: Bool { self == .inConflict || self == .inConflictHere }
    }

    /// How far the world has come when the next operation is made.
    enum Stage: CaseIterable, Sendable {
        /// The container was told nothing since the last operation.
        case waiting
        /// The commit is on its way, and is not in the log.
        case underWay
        /// The commit is in the log, and this device does not know it yet.
        case inLog
        /// This device has read its own commit.
        case read
        /// As `waiting`, and the cloud cannot be reached during the operation.
        case offline
        /// As `waiting`, and docfs was killed and mounted again.
        case crashed
        /// As `read`, and 20 seconds have passed.
        case later

        /// Whether no file continues what was removed before.
        var endsSaves: Bool { self == .crashed || self == .later }
    }

    enum Act: Hashable, Sendable {
        case create, save, saveByScratch, saveByDocument
        /// With O_EXCL, where the document is there.
        case createAgain
        /// The text that the document had at the start, once more.
        case saveAgain
        case rename(Target)
        case renameBack, saveAway, remove, removeAway
        /// With the document's other name, or with `G.txt`.
        case exchange
        /// `rm -r D`
        case removeFolder
        /// A program opens the document for writing, and later writes and closes it.
        case openToWrite, writeOpened
        /// `docfs keep F`
        case keep
        /// `setfattr -n user.displayName -v H`
        case entitle
        case evict, undo, redo
        /// `docfs versions restore F V`, of the latest earlier version.
        case restoreVersion
        /// `docfs trash restore NAME`, of what was removed last.
        case restoreTrashed
        /// `mv F.conflicts/V F`, `rm F.conflicts/V` and `rmdir F.conflicts`.
        case chooseOther, discardOther, keepCurrent

        static let all: [Act] =
            [.create, .save, .saveAgain, .saveByScratch, .saveByDocument] + Target.allCases.map { Act.rename($0) }
            + [.renameBack, .saveAway, .remove, .removeAway, .entitle, .evict, .undo, .redo]
            + [.restoreVersion, .restoreTrashed, .chooseOther, .discardOther, .keepCurrent]
            + [.createAgain, .exchange, .removeFolder, .openToWrite, .writeOpened, .keep]

    }

    typealias Names = [Path: String]
}
