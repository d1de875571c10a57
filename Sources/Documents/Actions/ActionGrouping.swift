/// Which changes make one action: those of one kind that one process makes within a few seconds of each other (Semantics, "Undo and redo").
public struct ActionGrouping: Hashable, Sendable {
    /// From one change to the next.
    public static let longestPause = Duration.seconds(5)

    public let process: Int32
    public let kind: ActionKind
    /// Where the entries are moved to.
    public let destination: String?

    /// - Parameter destination: of a move; the new name of a rename is no part of it.
    public init(process: Int32, kind: ActionKind, destination: String?) {
        self.process = process
        self.kind = kind
        self.destination = kind == .move ? destination : nil
    }

    /// The changes that one command makes before those of this kind, and that become a part of its action: `rm -r` discards the conflict
    /// versions of a document before it removes it, and `docfs resolve --keep all` copies versions before it chooses.
    public var takesOver: [ActionGrouping] {
        let kinds: [ActionKind] =
            switch kind {
            case .delete: [.choose]
            case .choose: [.create]
            case .create, .rename, .move, .moveToCloud, .moveOutOfCloud, .reorder, .prefer, .restore: []
            }
        return kinds.map { ActionGrouping(process: process, kind: $0, destination: nil) }
    }

    /// Whether a change at `now` belongs to an action whose last change was at `last`.
    public static func joins(_ now: Timestamp, last: Timestamp) -> Bool {
        let pause = now - last
        return pause <= longestPause && .zero - pause <= longestPause
    }
}

/// One of the two lists of actions, and what is done with its first.
public enum ActionDirection: String, Sendable, CaseIterable {
    case undo
    case redo

    /// The virtual file in `Documents` that lists the actions.
    public var virtualName: String { "." + rawValue }
}

/// The text of `Documents/.undo` and `.redo`: one line an action, the next one first.
public enum ActionList {
    public static func text(_ names: [ActionName]) -> String { names.map { $0.text.onOneLine + "\n" }.joined() }
}
