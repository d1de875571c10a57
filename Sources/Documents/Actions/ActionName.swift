/// The kind of change that an action made. Kinds are stored; never rename a case.
public enum ActionKind: String, Sendable, Equatable {
    case create
    case delete
    /// Another display name, or another name of a folder or link.
    case rename
    /// Into another folder of the same location.
    case move
    case moveToCloud
    case moveOutOfCloud
    /// Another position in the order of its folder.
    case reorder
    /// Another preferred location, and the moves that follow from it.
    case prefer
    /// Which of the versions of a document in conflict is current, and which are discarded.
    case choose
    /// An earlier version is the content again.
    case restore

    /// Whether entries are made by it. `docfs resolve --keep all` chooses, and makes documents of the other versions.
    public var creates: Bool { self == .create || self == .choose }
}

/// A document, folder or link as the name of an action mentions it.
public struct ActionSubject: Sendable, Equatable {
    /// `document`, `folder` or `symbolicLink`.
    public var kind: EntryKind
    /// The name that a person uses for it: of a document its display name.
    public var name: String

    public init(kind: EntryKind, name: String) {
        self.kind = kind
        self.name = name
    }
}

/// The words by which a person knows an action, such as `Delete “Groceries”` or `Move 3 documents to the cloud`: what it did, and to how many
/// entries. One command over many documents is one action.
public struct ActionName: Sendable, Equatable {
    public let kind: ActionKind
    public private(set) var documents = 0
    public private(set) var folders = 0
    public private(set) var links = 0
    /// The first of them.
    public private(set) var first: ActionSubject?
    /// The folder in which all of them lie, itself included; nil if there is none.
    public var whole: ActionSubject?
    /// The new name of the first, or the folder that they were moved to, or the preferred location (`Container`).
    public private(set) var destination: String?

    public init(_ kind: ActionKind, to destination: String? = nil) {
        self.kind = kind
        self.destination = destination
    }

    /// A name as it was stored.
    public init(
        _ kind: ActionKind, documents: Int, folders: Int, links: Int, first: ActionSubject?, whole: ActionSubject?,
        destination: String?
    ) {
        self.kind = kind
        self.documents = documents
        self.folders = folders
        self.links = links
        self.first = first
        self.whole = whole
        self.destination = destination
    }

    public var count: Int { documents + folders + links }

    /// - Parameter number: 1, or -1 for an entry that turns out to be no part of the action.
    public mutating func add(_ subject: ActionSubject, times number: Int = 1) {
        if first == nil { first = subject }
        switch subject.kind {
        case .document, .scratch: documents += number
        case .folder: folders += number
        case .symbolicLink: links += number
        }
    }

    /// The only entry of the action got another name before the action ended.
    public mutating func rename(_ subject: ActionSubject) { if count == 1 { first = subject } }

    /// One line; names are as they are.
    public var text: String {
        if kind == .prefer, count == 0 { return "Change the preferred location to \(destination ?? "")" }
        let words = [verb, object, complement].compactMap { $0 }
        return words.joined(separator: " ")
    }

    private var verb: String {
        switch kind {
        case .create: "Create"
        case .delete: "Delete"
        case .rename: "Rename"
        case .move, .moveToCloud, .moveOutOfCloud, .prefer: "Move"
        case .reorder: "Reorder"
        case .choose: count == 1 ? "Choose a version of" : "Choose versions of"
        case .restore: count == 1 ? "Restore a version of" : "Restore versions of"
        }
    }

    private var object: String {
        if count > 1, let whole {
            let inside = documents > 0 ? " with " + Self.amount(documents, "document") : ""
            return Self.title(whole) + inside
        }
        if count == 1, let first { return Self.title(first) }
        let amounts = [(documents, "document"), (folders, "folder"), (links, "link")].filter { $0.0 > 0 }
        return amounts.map { Self.amount($0.0, $0.1) }.joined(separator: " and ")
    }

    private var complement: String? {
        switch kind {
        case .create, .delete, .reorder, .choose, .restore: nil
        case .moveToCloud: "to the cloud"
        case .moveOutOfCloud: "out of the cloud"
        case .prefer: destination == Location.cloud.rawValue ? "to the cloud" : "out of the cloud"
        case .rename: count == 1 ? destination.map { "to “\($0)”" } : nil
        case .move: destination.map { "to “\($0)”" }
        }
    }

    private static func title(_ subject: ActionSubject) -> String {
        switch subject.kind {
        case .document, .scratch: "“\(subject.name)”"
        case .folder: "folder “\(subject.name)”"
        case .symbolicLink: "link “\(subject.name)”"
        }
    }

    private static func amount(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}
