import Documents
import SystemPackage

/// Why an action cannot be undone, or not done again. Nothing was changed then.
public enum UndoRefusal: Error, Equatable, Sendable {
    case nothing(ActionDirection)
    /// Another device, or a program in the store, brought it back.
    case isThereAgain(String)
    case isGone(String)
    /// It has another name or place than the action gave it.
    case isElsewhere(String)
    case nameIsTaken(String)
    case contentIsGone(String)
    case folderIsNotEmpty(String)
    /// It was edited, or somebody else chose among its versions.
    case isChanged(String)
    /// A program has it open for writing.
    case isOpen(String)
    /// A version that was discarded, and whose content the container has no longer.
    case versionIsGone(String)

    /// Whether it can never be done.
    var isFinal: Bool {
        switch self {
        case .isThereAgain, .isGone, .isElsewhere, .contentIsGone, .isChanged, .versionIsGone: true
        case .nothing, .nameIsTaken, .folderIsNotEmpty, .isOpen: false
        }
    }

    var errno: Errno {
        switch self {
        case .nothing: .noData
        case .isThereAgain, .nameIsTaken: .fileExists
        case .isGone, .contentIsGone, .versionIsGone: .noSuchFileOrDirectory
        case .isElsewhere, .isChanged, .isOpen: .resourceBusy
        case .folderIsNotEmpty: .directoryNotEmpty
        }
    }

    var reason: String {
        switch self {
        case .nothing(let direction): "there is nothing to \(direction.rawValue)"
        case .isThereAgain(let name): "“\(name)” is there again: it was changed elsewhere since it was deleted"
        case .isGone(let name): "“\(name)” is gone: it was removed elsewhere since"
        case .isElsewhere(let name): "“\(name)” was renamed or moved since"
        case .nameIsTaken(let name): "the name “\(name)” is taken by something else now; rename that first"
        case .contentIsGone(let name): "the content of “\(name)” is no longer in the trash"
        case .isChanged(let name): "“\(name)” was changed since"
        case .isOpen(let name): "“\(name)” is open for writing in a program; close it there first"
        case .versionIsGone(let name): "a version of “\(name)” that was discarded is no longer in the cloud"
        case .folderIsNotEmpty(let name): "the folder “\(name)” is not empty"
        }
    }
}
