import Backing
import Catalog
import DequeModule
import Dispatch
import Synchronization

/// Files, folders and links that have no name any more while somebody may still hold them: open, as a
/// working directory, or through O_PATH. They answer like those of any file system (links 0, an empty
/// listing) until the kernel forgets them.
///
/// Right after a removal the kernel may still remember another name of the document and come to its
/// inode by that. Until such names are forgotten, ESTALE makes it look the name up again.
final class DepartedNodes: Sendable {
    struct Node {
        var entry: Entry
        var attributes: FileAttributes
        /// Whether no name leads to it any more.
        var isSettled = false
        /// A file that something was renamed over: whoever found it by its name a moment before may be about to open it.
        var content: Descriptor?
    }

    private struct Table {
        var nodes: [InodeNumber: Node] = [:]
        /// Oldest first, with some that were forgotten since. The kernel forgets only what it knew, so there
        /// must be a limit.
        var order: Deque<InodeNumber> = []
        /// Those whose content is held, and some that were forgotten since; oldest first.
        var contents: Deque<InodeNumber> = []
    }

    private static let maximumCount = 4096
    /// Each takes a descriptor.
    private static let mostContents = 64

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
            if table.contents.count > Self.mostContents { table.nodes[table.contents.removeFirst()]?.content = nil }
        }
    }

    /// Nil for what never departed, was forgotten, or may still be reached by a name.
    subscript(inode: InodeNumber) -> Node? {
        get { table.withLock { $0.nodes[inode] }.flatMap { $0.isSettled ? $0 : nil } }
        set { table.withLock { table in if table.nodes[inode] != nil { table.nodes[inode] = newValue } } }
    }

    /// Also what a name may still lead to.
    func unsettled(_ inode: InodeNumber) -> Node? { table.withLock { $0.nodes[inode] } }

    /// The mode it had; also while a name may lead to it.
    func mode(of inode: InodeNumber) -> UInt16? { table.withLock { $0.nodes[inode]?.attributes.mode } }

    func setMode(_ mode: UInt16, of inode: InodeNumber) {
        table.withLock { $0.nodes[inode]?.attributes.mode = mode }
    }

    func settle(_ inode: InodeNumber) { table.withLock { $0.nodes[inode]?.isSettled = true } }

    /// The kernel holds it no longer.
    func forget(_ inode: InodeNumber) {
        let node = table.withLock { table in table.nodes.isEmpty ? nil : table.nodes.removeValue(forKey: inode) }
        if let content = node?.content { closeLater(content) }
    }

    /// Closing the last descriptor of a file that has no name frees its blocks, which takes longer than most answers.
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
