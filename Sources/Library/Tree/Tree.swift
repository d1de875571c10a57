import Backing
import Catalog
import Documents
import SystemPackage

/// Looks up, lists, creates, removes and renames entries.
final class Tree: Transacting {
    let transactions: Transactions
    let backing: BackingStore
    let openFiles: OpenFiles
    let unseenWrites: UnseenWrites
    let transfers: Transfers
    let cloud: any ContentSource
    let notices: ChangeNotices
    let namespace: Namespace
    let identities: Identities
    let migration: Migration
    let withdrawals: Withdrawals
    let removal: Removal
    let contents: Contents
    let openings: Openings
    let fileAttributes: Attributes
    let states: States
    let order: FolderOrder
    let versionFiles: VersionFiles
    let replicatedTree: ReplicatedTree
    let orphans: Orphans
    let actions: Actions

    init(
        _ transactions: Transactions, backing: BackingStore, openFiles: OpenFiles, unseenWrites: UnseenWrites,
        transfers: Transfers, cloud: any ContentSource, notices: ChangeNotices, namespace: Namespace,
        identities: Identities, migration: Migration,
        withdrawals: Withdrawals, removal: Removal, contents: Contents, openings: Openings, fileAttributes: Attributes,
        states: States, order: FolderOrder, versionFiles: VersionFiles, replicatedTree: ReplicatedTree,
        orphans: Orphans, actions: Actions
    ) {
        self.transactions = transactions
        self.backing = backing
        self.openFiles = openFiles
        self.unseenWrites = unseenWrites
        self.transfers = transfers
        self.cloud = cloud
        self.notices = notices
        self.namespace = namespace
        self.identities = identities
        self.migration = migration
        self.withdrawals = withdrawals
        self.removal = removal
        self.contents = contents
        self.openings = openings
        self.fileAttributes = fileAttributes
        self.states = states
        self.order = order
        self.versionFiles = versionFiles
        self.replicatedTree = replicatedTree
        self.orphans = orphans
        self.actions = actions
    }

    func attributes(of node: Node) throws(Refusal) -> FileAttributes {
        guard case .entry(let inode) = node else { return try inspect { try virtualAttributes(of: node, $0) } }
        return try fileAttributes.attributes(of: inode)
    }

    /// fsync(2) of a folder makes the names in it durable. An orphan has no names in it.
    func synchronizeFolder(_ inode: InodeNumber) throws(Refusal) {
        if !orphans.contains(inode) { try contents.synchronizeFolder(inode) }
    }
}
