/// The names that resolve without being listed (Semantics, "The tree").
public enum VirtualName: Equatable, Sendable {
    /// `.state`: the state of the folder in which it is looked up.
    case folderState
    /// `.order`: the order of the folder in which it is looked up.
    case folderOrder
    /// `F.state`: the state of the document `F`.
    case documentState(of: String)
    /// `F.conflicts` and `F.versions`: folders with versions of the document `F`.
    case versions(VersionFolder, of: String)
    /// `.undo` and `.redo`, which resolve in `Documents` only.
    case actions(ActionDirection)
    /// `.location`, in `Documents` only: the preferred location.
    case location

    /// Alone it is the state of a folder; after a document's name, the state of that.
    public static let stateSuffix = ".state"
    /// The order of the folder.
    public static let order = ".order"
    /// The preferred location.
    public static let locationName = ".location"

    /// Whether a name is docfs's own: `.state`, `.order`, `.undo`, `.redo` or `.location`. Nothing gets such a name, in no folder.
    public static func isReserved(_ name: String) -> Bool {
        switch Self(name) {
        case .folderState, .folderOrder, .actions, .location: true
        case .documentState, .versions, nil: false
        }
    }

    /// The meaning of a name; nil for one that is not virtual. A document or folder that really has the name wins: the caller looks for it
    /// first.
    public init?(_ name: String) {
        if name.isIdentical(to: Self.stateSuffix) {
            self = .folderState
        } else if name.isIdentical(to: Self.order) {
            self = .folderOrder
        } else if let direction = ActionDirection.allCases.first(where: { name.isIdentical(to: $0.virtualName) }) {
            self = .actions(direction)
        } else if name.isIdentical(to: Self.locationName) {
            self = .location
        } else if let document = Self.stem(of: name, before: Self.stateSuffix) {
            self = .documentState(of: document)
        } else if let folder = VersionFolder.allCases.first(where: { name.utf8Ends(with: $0.suffix) }),
            let document = Self.stem(of: name, before: folder.suffix)
        {
            self = .versions(folder, of: document)
        } else {
            return nil
        }
    }

    private static func stem(of name: String, before suffix: String) -> String? {
        guard name.utf8Ends(with: suffix), name.utf8.count > suffix.utf8.count else { return nil }
        return String(decoding: name.utf8.dropLast(suffix.utf8.count), as: UTF8.self)
    }
}

/// The folders of a document's versions (Semantics, "Conflicts and versions").
public enum VersionFolder: Sendable, Hashable, CaseIterable {
    /// Unresolved conflict versions.
    case conflicts
    /// Earlier versions.
    case history

    /// Follows a document's name.
    public var suffix: String {
        switch self {
        case .conflicts: ".conflicts"
        case .history: ".versions"
        }
    }
}
