import Catalog
import Documents

/// What a commit changes in the tree, in the order in which it happens.
struct TreeChanges {
    private enum Change {
        case creation(EntryID)
        case content(EntryID)
        case move(EntryID, from: ListedPlace)
        case removal(from: ListedPlace)
    }

    private var changes: [Change] = []
    /// Those of which it is said already where they were before.
    private var placed: Set<EntryID> = []
    /// Where among the changes a move is.
    private var moves: [EntryID: Int] = [:]

    mutating func noteCreation(of entry: Entry) {
        guard let id = entry.id else { return }
        placed.insert(id)
        changes.append(.creation(id))
    }

    mutating func noteContent(of entry: Entry) { entry.id.map { changes.append(.content($0)) } }

    /// - Parameter place: where a listing showed it; counts the first time only, since where it is parked on
    ///   the way is nobody's business.
    mutating func noteMove(of entry: Entry, from place: ListedPlace) {
        guard let id = entry.id else { return }
        guard placed.insert(id).inserted else { return }
        moves[id] = changes.count
        changes.append(.move(id, from: place))
    }

    /// - Parameter place: where a listing showed it, unless it was parked on the way.
    mutating func noteRemoval(of entry: Entry, from place: ListedPlace) {
        guard let id = entry.id, let move = moves[id], case .move(_, let before) = changes[move] else {
            return changes.append(.removal(from: place))
        }
        changes[move] = .removal(from: before)
    }

    /// - Parameter place: where a listing shows an entry when all is done; nil for what has gone again.
    func listed(_ place: (EntryID) throws -> ListedPlace?) rethrows -> [RemoteChange] {
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
