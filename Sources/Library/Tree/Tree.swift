import Backing
import Catalog
import Documents
import SystemPackage

/// The names of entries: looking up, listing, creating, removing and renaming them.
final class Tree: LibraryPart {
    let transactions: Transactions
    let namespace: Namespace
    let identities: Identities
    let migration: Migration
    let withdrawals: Withdrawals
    let removal: Removal
    let contents: Contents
    let openings: Openings
    let fileAttributes: Attributes
    let states: States
    let versionFiles: VersionFiles
    let replicatedTree: ReplicatedTree
    let departedNodes: DepartedNodes

    init(
        _ transactions: Transactions, namespace: Namespace, identities: Identities, migration: Migration,
        withdrawals: Withdrawals, removal: Removal, contents: Contents, openings: Openings, fileAttributes: Attributes,
        states: States, versionFiles: VersionFiles, replicatedTree: ReplicatedTree, departedNodes: DepartedNodes
    ) {
        self.transactions = transactions
        self.namespace = namespace
        self.identities = identities
        self.migration = migration
        self.withdrawals = withdrawals
        self.removal = removal
        self.contents = contents
        self.openings = openings
        self.fileAttributes = fileAttributes
        self.states = states
        self.versionFiles = versionFiles
        self.replicatedTree = replicatedTree
        self.departedNodes = departedNodes
    }

    func attributes(of node: Node) throws(Refusal) -> FileAttributes {
        guard case .entry(let inode) = node else { return try inspect { try virtualAttributes(of: node, $0) } }
        return try fileAttributes.attributes(of: inode)
    }

    /// fsync(2) of a folder: the names in it. One that has no name any more has none in it.
    func synchronizeFolder(_ inode: InodeNumber) throws(Refusal) {
        if departedNodes[inode] == nil { try contents.synchronizeFolder(inode) }
    }
}
