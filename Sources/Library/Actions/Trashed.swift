import Backing
import Catalog
import Documents
import FoundationEssentials
import Replica
import Replication

/// A document in the trash: one that was removed here, by its step of the undo list, or one that another device deleted and whose content
/// the container still has.
struct Trashed {
    enum Source: Hashable {
        case step(action: Int64, number: Int)
        case elsewhere(EntryID)

        /// Names the document for `docfs trash restore`.
        var key: String {
            switch self {
            case .step(let action, let number): "\(action).\(number)"
            case .elsewhere(let id): "\(id)"
            }
        }

        init?(key: String) {
            let numbers = key.split(separator: ".").map { Int64($0) }
            if numbers.count == 2, let action = numbers[0], let number = numbers[1] {
                self = .step(action: action, number: Int(number))
            } else if let id = EntryID(key) {
                self = .elsewhere(id)
            } else {
                return nil
            }
        }
    }

    let source: Source
    /// What undo would take back. For what another device deleted there is no action.
    let step: ActionStep
    let deleted: Timestamp
    /// The name of the device that deleted it, if it is known.
    let device: String?
}

extension Trashed {
    init(_ step: ActionStep, deleted: Timestamp, device: String) {
        self.init(
            source: .step(action: step.action, number: step.number), step: step, deleted: deleted, device: device)
    }
}

extension ActionStep {
    /// The removal of an entry by another device, as a step of no action.
    ///
    /// - Parameter top: the folder `cloud`.
    init(deletionOf committed: ReplicaEntry, below top: Entry) throws {
        self.init(
            action: 0, number: 0, change: .removed, entry: try Entry(committed, in: top),
            folder: committed.description.parent)
    }
}
