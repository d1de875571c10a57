import Backing
import Catalog
import Documents
import FoundationEssentials
import Replica
import Replication

/// A document or folder in the trash: one that was removed here, by its step of the undo list, or one that another device deleted. Of the
/// latter the container still has the content of a document.
struct Trashed {
    enum Source: Hashable {
        case step(action: Int64, number: Int)
        case elsewhere(EntryID)

        /// Names it for `docfs trash restore`.
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
    /// Whether a folder is in the trash also when no document is in it: somebody deleted it.
    var standsAlone = true

    var isFolder: Bool { step.entry.kind == .folder }
}

extension Trashed {
    init(_ step: ActionStep, deleted: Timestamp, device: String, standsAlone: Bool = true) {
        self.init(
            source: .step(action: step.action, number: step.number), step: step, deleted: deleted, device: device,
            standsAlone: standsAlone)
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
