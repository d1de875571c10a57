import Backing
import Catalog
import Documents
import Synchronization

/// The inode numbers of versions, far above those of entries. A version gets its number when it is first looked up or listed, and keeps it
/// until the mount ends. A version may pass to another document, with its number: what counts is the document under which it was seen last.
final class VersionNodes: Sendable {
    struct Node {
        let document: EntryID
        let version: VersionID
    }

    private struct Table {
        var numbers: [VersionID: InodeNumber] = [:]
        var nodes: [InodeNumber: Node] = [:]
        /// Documents whose last conflict version was removed a moment ago. The caller may be about to remove the folder.
        var emptied: [EntryID: Timestamp] = [:]
    }

    private let table = Mutex(Table())

    /// - Parameter id: of the document.
    func number(of version: VersionID, in id: EntryID) -> InodeNumber {
        table.withLock { table in
            let number = table.numbers[version] ?? InodeNumber.version(table.nodes.count)
            table.numbers[version] = number
            table.nodes[number] = Node(document: id, version: version)
            return number
        }
    }

    subscript(number: InodeNumber) -> Node? { table.withLock { $0.nodes[number] } }

    /// `rm -r F.conflicts` removes the versions one by one and then the folder, which must still exist then. It does for this long.
    private static let patience = Duration.seconds(1)

    func markEmptied(_ id: EntryID, now: Timestamp) { table.withLock { $0.emptied[id] = now } }

    func wasJustEmptied(_ id: EntryID, now: Timestamp) -> Bool {
        table.withLock { table in
            guard let time = table.emptied[id] else { return false }
            if now - time < Self.patience { return true }
            table.emptied[id] = nil
            return false
        }
    }

    func forgetEmptied(_ id: EntryID) { table.withLock { $0.emptied[id] = nil } }
}
