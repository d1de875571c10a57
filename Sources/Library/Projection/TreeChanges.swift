import Catalog
import Documents

/// The changes that a commit makes in the tree, in order, as watchers are told of them.
struct TreeChanges {
    private enum Change {
        case creation(EntryID)
        case content(EntryID)
        case move(EntryID, from: ListedPath)
        case removal(from: ListedPath)
    }

    private var changes: [Change] = []
    /// The entries whose former path is recorded already, or that were created.
    private var hasFormerPath: Set<EntryID> = []
    /// The index in `changes` of each move.
    private var moves: [EntryID: Int] = [:]

    mutating func recordCreation(of entry: Entry) {
        guard let id = entry.id else { return }
        hasFormerPath.insert(id)
        changes.append(.creation(id))
    }

    mutating func recordContent(of entry: Entry) { entry.id.map { changes.append(.content($0)) } }

    /// - Parameter place: its path in the listings before. Only the first one counts: the others are names that it had during the commit.
    mutating func recordMove(of entry: Entry, from place: ListedPath) {
        guard let id = entry.id else { return }
        guard hasFormerPath.insert(id).inserted else { return }
        moves[id] = changes.count
        changes.append(.move(id, from: place))
    }

    /// - Parameter place: its path in the listings before, unless a move of it was recorded.
    mutating func recordRemoval(of entry: Entry, from place: ListedPath) {
        guard let id = entry.id, let move = moves[id], case .move(_, let before) = changes[move] else {
            return changes.append(.removal(from: place))
        }
        changes[move] = .removal(from: before)
    }

    /// - Parameter place: tells the path of an entry after all changes; nil if it is gone.
    func listed(_ place: (EntryID) throws -> ListedPath?) rethrows -> [RemoteChange] {
        try changes.compactMap { change in
            switch change {
            case .creation(let id): try place(id).map(RemoteChange.created)
            case .content(let id): try place(id).map(RemoteChange.modified)
            case .move(let id, let before):
                try place(id).flatMap { $0.isSameName(as: before) ? nil : .moved(from: before, to: $0) }
            case .removal(let before): .removed(before)
            }
        }
    }
}
