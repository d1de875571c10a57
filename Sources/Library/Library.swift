import Backing
import Catalog
import Documents
import Logging

/// What a person can do to documents. It knows no FUSE: every operation takes inode numbers and names and gives values or an error; the
/// same calls serve a mount and a test.
///
/// This is a façade: each call goes to the part that owns the state for it (`LibraryPart`). Lock order: the catalog's tree, then open
/// files, then one file's state. Nothing here waits for the network: content that must be downloaded is an `Arrival`.
public final class Library: Sendable {
    let transactions: Transactions
    let namespace: Namespace
    let withdrawals: Withdrawals
    let contents: Contents
    let openings: Openings
    let arrivals: Arrivals
    let fileAttributes: Attributes
    let metadata: Metadata
    let states: States
    let identities: Identities
    let migration: Migration
    let foundFiles: FoundFiles
    let comparison: StoreComparison
    let replicatedTree: ReplicatedTree
    let versionFiles: VersionFiles
    let tree: Tree
    let orphans: Orphans
    private let announcements: Announcements

    /// A person asks for the cloud to be looked through with `docfs check`.
    public let checkup: CloudCheckup

    init(_ store: DocumentStore, _ configuration: LibraryConfiguration, cloud: any ContentSource, pace: SendingPace) {
        transactions = Transactions(store, cloud: cloud, pace: pace)
        orphans = Orphans()
        namespace = Namespace(transactions, configuration: configuration, orphans: orphans)
        withdrawals = Withdrawals(transactions)
        contents = Contents(transactions, namespace: namespace, withdrawals: withdrawals)
        fileAttributes = Attributes(transactions, contents: contents, orphans: orphans)
        foundFiles = FoundFiles(transactions, namespace: namespace, contents: contents, withdrawals: withdrawals)
        arrivals = Arrivals(
            transactions, contents: contents, withdrawals: withdrawals, foundFiles: foundFiles,
            timeout: configuration.timeout)
        states = States(transactions, namespace: namespace, contents: contents, fileAttributes: fileAttributes)
        metadata = Metadata(
            transactions, namespace: namespace, contents: contents, fileAttributes: fileAttributes, states: states,
            orphans: orphans)
        identities = Identities(transactions, namespace: namespace, contents: contents, withdrawals: withdrawals)
        migration = Migration(transactions, contents: contents, withdrawals: withdrawals)
        comparison = StoreComparison(
            transactions, namespace: namespace, contents: contents, identities: identities, migration: migration,
            foundFiles: foundFiles)
        let removal = Removal(
            transactions, withdrawals: withdrawals, fileAttributes: fileAttributes, orphans: orphans)
        replicatedTree = ReplicatedTree(
            transactions, namespace: namespace, contents: contents, withdrawals: withdrawals, removal: removal,
            arrivals: arrivals, foundFiles: foundFiles, comparison: comparison)
        versionFiles = VersionFiles(
            transactions, namespace: namespace, contents: contents, fileAttributes: fileAttributes, arrivals: arrivals,
            replicatedTree: replicatedTree)
        openings = Openings(
            transactions, contents: contents, arrivals: arrivals, fileAttributes: fileAttributes,
            versionFiles: versionFiles, orphans: orphans)
        tree = Tree(
            transactions, namespace: namespace, identities: identities, migration: migration, withdrawals: withdrawals,
            removal: removal, contents: contents, openings: openings, fileAttributes: fileAttributes, states: states,
            versionFiles: versionFiles, replicatedTree: replicatedTree, orphans: orphans)
        announcements = Announcements(transactions.notices, namespace: namespace, orphans: orphans)
        checkup = CloudCheckup { cloud.changesAreWaiting() }
        listenToCatalog(store)
    }

    private func listenToCatalog(_ store: DocumentStore) {
        store.catalog.setListener(
            // Weak: the listener belongs to the catalog, on which both stand.
            Catalog.Listener { [weak announcements] in
                announcements?.tell($0)
            } failed: { [weak comparison] in
                comparison?.undoFileChanges(in: $0)
            } delayed: { [logger = store.logger] in
                logger.error(
                    "changes could not be written to the catalog yet; they are kept and tried again",
                    metadata: ["error": "\($0)"])
            })
    }

    /// Told of every change that the kernel or a waiting reader of a state may have missed.
    public var observer: (any LibraryObserver)? {
        get { transactions.notices.observer }
        set { transactions.notices.observer = newValue }
    }

    /// From now on the kernel may remember both names of a document.
    ///
    /// - Parameter expireAllNames: makes the kernel ask for every name once more when it is used next. Called from any thread, also within a
    ///   request; takes no lock.
    public func rememberTypedNames(expireAllNames: @escaping @Sendable () -> Void) {
        namespace.givenNames.enable(expireAllNames: expireAllNames)
    }

    /// For a thread that has answered and awaits the next request: does some of the work that is acknowledged and can wait.
    public func useSpareTime() { transactions.store.catalog.writeSomeWaiting() }

    public var showsDisplayNames: Bool { namespace.configuration.showsDisplayNames }

    public var logger: Logger { transactions.store.logger }

    /// What synchronization stands on: the store, and its ways to the tree and to the contents.
    package var store: DocumentStore { transactions.store }
    package var synchronizedTree: any SynchronizedTree { replicatedTree }
    package var sentContents: any SentContents { contents }

    /// Some document's state may have changed.
    package func stateChanged() { transactions.notices.stateChanged() }
}
