import Documents
import Catalog
@testable import Library
import Replication
import Testing

extension SmallWorlds {
    /// What an operation must do.
    struct Prediction {
        /// The names then. Without meaning for undo and redo.
        var names: Names
        /// Texts that a program replaces or removes for good: they are owed only if the container has them.
        var spent: Set<String> = []
        /// The operation must be refused so.
        var refusal: Refusal?
        /// The operation may be refused so.
        var mayRefuse: (Refusal) -> Bool = { _ in false }
        /// Whether it certainly makes one action, so that undo leads back to the names before it.
        var isUndoable = false
        var writes = false
        /// Whether it writes to a file that has no name any more.
        var isNameless = false
    }

    /// One device, and what the test knows of it.
    final class Side {
        let device: TestDevice
        /// The model; nil where both devices act, so that each operation is compared with the names just before it.
        var names: Names?
        /// The name that the document got last.
        var away: Path?
        /// Names that were freed less than 15 seconds ago: a file that gets one may continue the document, and that makes no action.
        var freed: Set<Path> = []
        /// The texts that were removed from such names, those of conflict versions as well. A file that continues the document is a save over
        /// them.
        var removed: [Path: Set<String>] = [:]
        /// The names to which the next undo leads; nil if that is not known.
        var undoneNames: Names?
        var redoneNames: Names?
        /// What a program has open for writing.
        var opened: UInt64?

        init(_ device: TestDevice) { self.device = device }
    }

    struct Item {
        let path: Path
        /// Without the number of a namesake.
        let name: String
        let entry: Entry
    }

    final class LivingWorld {
        // An extension of a nested type does not see the names of the type around it.
        typealias Act = SmallWorlds.Act
        typealias Fault = SmallWorlds.Fault
        typealias Item = SmallWorlds.Item
        typealias Journal = SmallWorlds.Journal
        typealias Names = SmallWorlds.Names
        typealias Path = SmallWorlds.Path
        typealias Place = SmallWorlds.Place
        typealias Prediction = SmallWorlds.Prediction
        typealias Side = SmallWorlds.Side
        typealias SmallWorld = SmallWorlds.SmallWorld
        typealias Stage = SmallWorlds.Stage
        typealias Start = SmallWorlds.Start
        typealias Target = SmallWorlds.Target

        let laptop: Side
        let phone: Side
        let journal: Journal
        var texts = 0
        /// What the document had at the start; the laptop shows it.
        var firstText: String?
        /// Texts of saves that were acknowledged.
        var written: Set<String> = []
        var spent: Set<String> = []
        /// Conflict versions of a document that became a scratch backup: a file that is made in its place brings them back.
        var suspended: Set<String> = []
        var contents: [VersionID: String] = [:]

        init(_ laptop: TestDevice, _ phone: TestDevice, _ journal: Journal) {
            self.laptop = Side(laptop)
            self.phone = Side(phone)
            self.journal = journal
        }
    }
}
