import Documents
import Backing
import Catalog
import DequeModule
import Dispatch
import Synchronization

/// Orphans: files, folders and links that have no name any more while a process may still hold them (open, as its working directory,
/// or through O_PATH). They answer as on any file system (link count 0, an empty listing) until the kernel forgets them.
///
/// Right after a removal the kernel may still have a dentry for another name of the document and reach its inode by it. Until such
/// names are forgotten, the inode is answered with ESTALE, so that the kernel looks the name up again. The kernel does so once for each
/// call, so that ESTALE is no answer for an open while files are renamed over the document in quick succession: until the rename returns
/// and where it has used the only name that is cached, such an open gets the old content.
final class Orphans: Sendable {
    /// How the kernel may still reach the inode by a name.
    private enum Reach {
        /// The call that removes the name has not returned. Another call at the same time may see the tree as before or as after.
        case beingRemoved
        /// By a name in its cache that it was told to forget.
        case byCachedName
        /// By no name.
        case nameless
    }

    private struct Node {
        var entry: Entry
        var attributes: FileAttributes
        var reach = Reach.beingRemoved
        /// The file, if another file was renamed over it: a process that has just looked up its name may be about to open it.
        var content: Descriptor?
    }

    private struct Table {
        var nodes: [InodeNumber: Node] = [:]
        /// Oldest first; some were forgotten since. The kernel sends no forget for an inode that it did not know, so the table has a
        /// limit.
        var order: Deque<InodeNumber> = []
        /// Those with `content`, oldest first; some were forgotten since.
        var contents: Deque<InodeNumber> = []
    }

    private static let maximumCount = 4096
    /// Each needs a file descriptor.
    private static let maximumContents = 64

    private let table = Mutex(Table())
    private let contentsToClose = Mutex<[Descriptor]>([])
    private let closing = DispatchQueue(label: "docfs.closing")

    /// - Parameter content: the file, where it must still be possible to open it.
    func add(_ entry: Entry, _ attributes: FileAttributes, content: Descriptor? = nil) {
        var attributes = attributes
        attributes.links = 0
        table.withLock { table in
            while table.nodes.count >= Self.maximumCount { table.nodes[table.order.removeFirst()] = nil }
            table.nodes[entry.inode] = Node(entry: entry, attributes: attributes, content: content)
            table.order.append(entry.inode)
            if table.order.count > 2 * Self.maximumCount { table.order.removeAll { table.nodes[$0] == nil } }
            guard content != nil else { return }
            table.contents.append(entry.inode)
            if table.contents.count > Self.maximumContents { table.nodes[table.contents.removeFirst()]?.content = nil }
        }
    }

    /// False for an inode that is no orphan, was forgotten, or may still be reached by a name.
    func contains(_ inode: InodeNumber) -> Bool { node(inode, evenIfNamed: false) != nil }

    /// - Parameter evenIfNamed: whether to answer also while a name in the kernel's cache may still lead to the inode.
    func entry(of inode: InodeNumber, evenIfNamed: Bool = false) -> Entry? {
        node(inode, evenIfNamed: evenIfNamed)?.entry
    }

    /// - Parameter evenIfNamed: as for `entry(of:)`.
    func attributes(of inode: InodeNumber, evenIfNamed: Bool = false) -> FileAttributes? {
        node(inode, evenIfNamed: evenIfNamed)?.attributes
    }

    /// The file of an orphan that another file was renamed over a moment ago.
    func replaced(_ inode: InodeNumber) -> (entry: Entry, content: Descriptor)? {
        guard let node = table.withLock({ $0.nodes[inode] }), node.reach != .byCachedName, let content = node.content
        else { return nil }
        return (node.entry, content)
    }

    /// Keeps a changed entry of an orphan, even if a name may still lead to it. Does nothing once the kernel has forgotten it.
    func update(_ entry: Entry) { table.withLock { $0.nodes[entry.inode]?.entry = entry } }

    /// Changes the attributes of an orphan, even if a name may still lead to it. Does nothing once the kernel has forgotten it.
    func updateAttributes(of inode: InodeNumber, _ change: (inout FileAttributes) -> Void) {
        table.withLock { table in
            guard var attributes = table.nodes[inode]?.attributes else { return }
            change(&attributes)
            table.nodes[inode]?.attributes = attributes
        }
    }

    private func node(_ inode: InodeNumber, evenIfNamed: Bool) -> Node? {
        guard let node = table.withLock({ $0.nodes[inode] }), evenIfNamed || node.reach == .nameless else { return nil }
        return node
    }

    /// The name is removed, and the kernel is told to forget another one that leads to the inode.
    func markReachedByCachedName(_ inode: InodeNumber) { table.withLock { $0.nodes[inode]?.reach = .byCachedName } }

    /// The kernel has forgotten every name that led to the inode.
    func markNameless(_ inode: InodeNumber) { table.withLock { $0.nodes[inode]?.reach = .nameless } }

    /// The kernel has forgotten the inode.
    func forget(_ inode: InodeNumber) {
        let node = table.withLock { table in table.nodes.isEmpty ? nil : table.nodes.removeValue(forKey: inode) }
        if let content = node?.content { closeLater(content) }
    }

    /// Closes the descriptor on another thread. Closing the last descriptor of a file without a name frees its blocks, which takes
    /// longer than most answers.
    private func closeLater(_ content: Descriptor) {
        let isFirst = contentsToClose.withLock { contents in
            contents.append(content)
            return contents.count == 1
        }
        guard isFirst else { return }
        closing.asyncAfter(deadline: .now() + .milliseconds(20)) { [self] in
            let contents = contentsToClose.withLock { contents in (contents, contents = []).0 }
            withExtendedLifetime(contents) {}
        }
    }
}
