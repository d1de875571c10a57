import Documents
import Catalog
import Library
import Testing

@testable import Filesystem

/// Inode numbers of entries and of the virtual files beside them.
struct NodeNumberTests {
    @Test(
        arguments: [
            .entry(.root), .entry(InodeNumber(123_456)), .state(of: .documents), .order(of: .local),
            .versions(.conflicts, of: InodeNumber(7)), .versions(.history, of: InodeNumber(7)), .actions(.undo),
            .actions(.redo), .location, .folderInTrash(.top), .folderInTrash(.files), .folderInTrash(.info),
            .folderInTrash(.expunged), .folderInTrash(.folder(1)), .trashed(1), .trashInfo(1),
        ] as [Node]) func `a number leads back to its node`(node: Node)
    {
        #expect(Node(number: node.number) == node)
    }
}
