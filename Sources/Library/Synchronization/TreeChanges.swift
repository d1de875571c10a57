import Catalog
import Documents

/// What a commit changes in the tree, in the order in which it happens.
struct TreeChanges {
    private enum Change {
        case creation(Entry)
        case content(Entry)
        case move(Entry, from: ListedPlace)
        case removal(from: ListedPlace)
    }

    private var changes: [Change] = []
    /// Those of which it is said already where they were before.
    private var placed: Set<EntryID> = []

    mutating func noteCreation(of entry: Entry) {
        entry.id.map { _ = placed.insert($0) }
        changes.append(.creation(entry))
    }

    mutating func noteContent(of entry: Entry) { changes.append(.content(entry)) }

    /// - Parameter place: where a listing showed it; counts the first time only, since where it is parked on
    ///   the way is nobody's business.
    mutating func noteMove(of entry: Entry, from place: ListedPlace) {
        guard let id = entry.id else { return }
        if placed.insert(id).inserted { changes.append(.move(entry, from: place)) }
    }

    mutating func noteRemoval(from place: ListedPlace) { changes.append(.removal(from: place)) }

    /// - Parameter place: where a listing shows an entry when all is done.
    func listed(_ place: (Entry) throws -> ListedPlace?) rethrows -> [RemoteChange] {
        try changes.compactMap { change in
            switch change {
            case .creation(let entry): try place(entry).map(RemoteChange.created)
            case .content(let entry): try place(entry).map(RemoteChange.modified)
            case .move(let entry, let before):
                try place(entry).flatMap { $0.isSameName(as: before) ? nil : .moved(from: before, to: $0) }
            case .removal(let before): .removed(before)
            }
        }
    }
}

extension ListedPlace {
    fileprivate func isSameName(as other: ListedPlace) -> Bool {
        entry.folder == other.entry.folder && entry.name.isIdentical(to: other.entry.name)
    }
}
