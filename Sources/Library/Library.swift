import Backing
import Catalog
import Documents
import Logging

/// All operations on documents. It knows no FUSE: an operation takes inode numbers and names, and returns values or throws a `Refusal`. A
/// mount and a test make the same calls.
///
/// This is a façade: each call goes to the part that owns the state for it (`Transacting`). Lock order: the lock of the tree, then the table
/// of open files, then one file's state. Only the `async` calls wait for the network.
public final class Library: Sendable {
    /// The rows and files, for synchronization.
    package let store: DocumentStore
    let cloud: any ContentSource
    let openFiles: OpenFiles
    let unseenWrites: UnseenWrites
    let transfers: Transfers
    let notices: ChangeNotices
    let transactions: Transactions
    let namespace: Namespace
    let withdrawals: Withdrawals
    let contents: Contents
    let openings: Openings
    let keeping: Keeping
    let evictions: Evictions
    let arrivals: Arrivals
    let fileAttributes: Attributes
    let metadata: Metadata
    let states: States
    let order: FolderOrder
    let identities: Identities
    let migration: Migration
    let foundFiles: FoundFiles
    let comparison: StoreComparison
    let replicatedTree: ReplicatedTree
    let versionFiles: VersionFiles
    let tree: Tree
    let orphans: Orphans
    let actions: Actions
    let undoing: Undoing
    let preferredLocation: PreferredLocation
    let trashDirectory: TrashDirectory
    let storeCheck: StoreCheck
    private let announcements: Announcements

    /// Requests and reports of `docfs check`.
    public let checkup: CloudCheckup

    init(_ store: DocumentStore, _ configuration: LibraryConfiguration, cloud: any ContentSource, pace: SendingPace) {
        let (backing, device) = (store.files, store.device)
        let lastOpenings = LastOpenings()
        self.store = store
        self.cloud = cloud
        openFiles = OpenFiles()
        unseenWrites = UnseenWrites()
        transfers = Transfers(cloud: cloud, pace: pace, instant: store.surroundings.instant)
        notices = ChangeNotices(now: store.surroundings.now)
        transactions = Transactions(
            store, cloud: cloud, openFiles: openFiles, unseenWrites: unseenWrites, transfers: transfers,
            notices: notices)
        orphans = Orphans()
        actions = Actions(transactions, backing: backing)
        namespace = Namespace(
            transactions, device: device, backing: backing, openFiles: openFiles, configuration: configuration,
            orphans: orphans)
        withdrawals = Withdrawals(transactions, device: device, backing: backing, openFiles: openFiles, cloud: cloud)
        contents = Contents(
            transactions, store: store, backing: backing, openFiles: openFiles, unseenWrites: unseenWrites,
            transfers: transfers, cloud: cloud, notices: notices, lastOpenings: lastOpenings, namespace: namespace,
            withdrawals: withdrawals)
        fileAttributes = Attributes(
            transactions, backing: backing, openFiles: openFiles, unseenWrites: unseenWrites, cloud: cloud,
            notices: notices, contents: contents, orphans: orphans)
        foundFiles = FoundFiles(
            transactions, backing: backing, openFiles: openFiles, unseenWrites: unseenWrites, transfers: transfers,
            namespace: namespace, contents: contents, withdrawals: withdrawals)
        keeping = Keeping(transactions, cloud: cloud)
        evictions = Evictions(
            transactions, store: store, backing: backing, openFiles: openFiles, transfers: transfers, cloud: cloud,
            lastOpenings: lastOpenings, contents: contents, foundFiles: foundFiles, keeping: keeping,
            limit: configuration.cacheLimit)
        arrivals = Arrivals(
            transactions, backing: backing, openFiles: openFiles, transfers: transfers, cloud: cloud, notices: notices,
            lastOpenings: lastOpenings, contents: contents, withdrawals: withdrawals, foundFiles: foundFiles,
            keeping: keeping,
            evictions: evictions, timeout: configuration.timeout)
        order = FolderOrder(
            transactions, cloud: cloud, notices: notices, namespace: namespace, fileAttributes: fileAttributes,
            actions: actions)
        checkup = CloudCheckup {
            cloud.changesAreWaiting()
        } ended: { [notices] in
            notices.stateChanged()
        }
        states = States(
            transactions, device: device, openFiles: openFiles, transfers: transfers, cloud: cloud, notices: notices,
            namespace: namespace, contents: contents, fileAttributes: fileAttributes, order: order,
            checkup: checkup)
        metadata = Metadata(
            transactions, device: device, backing: backing, openFiles: openFiles, notices: notices,
            namespace: namespace, contents: contents, fileAttributes: fileAttributes, states: states,
            order: order, orphans: orphans, actions: actions, keeping: keeping, evictions: evictions,
            arrivals: arrivals)
        identities = Identities(
            transactions, backing: backing, transfers: transfers, namespace: namespace, contents: contents,
            withdrawals: withdrawals, actions: actions)
        migration = Migration(
            transactions, backing: backing, transfers: transfers, cloud: cloud, contents: contents,
            withdrawals: withdrawals)
        comparison = StoreComparison(
            transactions, store: store, backing: backing, openFiles: openFiles, unseenWrites: unseenWrites,
            cloud: cloud, notices: notices, namespace: namespace, withdrawals: withdrawals, contents: contents,
            identities: identities, migration: migration, foundFiles: foundFiles, actions: actions)
        let removal = Removal(
            transactions, backing: backing, openFiles: openFiles, transfers: transfers, withdrawals: withdrawals,
            fileAttributes: fileAttributes, orphans: orphans)
        replicatedTree = ReplicatedTree(
            transactions, store: store, backing: backing, openFiles: openFiles, unseenWrites: unseenWrites,
            transfers: transfers, cloud: cloud, notices: notices, namespace: namespace, contents: contents,
            withdrawals: withdrawals, removal: removal,
            arrivals: arrivals, evictions: evictions, foundFiles: foundFiles, comparison: comparison)
        versionFiles = VersionFiles(
            transactions, backing: backing, openFiles: openFiles, transfers: transfers, cloud: cloud,
            namespace: namespace, contents: contents, fileAttributes: fileAttributes, arrivals: arrivals,
            replicatedTree: replicatedTree, removal: removal, actions: actions)
        openings = Openings(
            transactions, backing: backing, openFiles: openFiles, unseenWrites: unseenWrites, cloud: cloud,
            notices: notices, contents: contents, arrivals: arrivals, fileAttributes: fileAttributes,
            versionFiles: versionFiles, orphans: orphans)
        tree = Tree(
            transactions, backing: backing, openFiles: openFiles, unseenWrites: unseenWrites, transfers: transfers,
            cloud: cloud, notices: notices, namespace: namespace, identities: identities, migration: migration,
            withdrawals: withdrawals,
            removal: removal, contents: contents, openings: openings, fileAttributes: fileAttributes, states: states,
            order: order, versionFiles: versionFiles, replicatedTree: replicatedTree, orphans: orphans,
            actions: actions)
        preferredLocation = PreferredLocation(
            transactions, namespace: namespace, tree: tree, actions: actions)
        undoing = Undoing(
            transactions, store: store, device: device, backing: backing, openFiles: openFiles, cloud: cloud,
            actions: actions, namespace: namespace, withdrawals: withdrawals, contents: contents, tree: tree,
            removal: removal, foundFiles: foundFiles,
            fileAttributes: fileAttributes, replicatedTree: replicatedTree, preferredLocation: preferredLocation,
            versionFiles: versionFiles)
        trashDirectory = TrashDirectory(
            transactions, backing: backing, openFiles: openFiles, notices: notices, namespace: namespace,
            contents: contents, tree: tree, undoing: undoing)
        storeCheck = StoreCheck(
            transactions, store: store, backing: backing, openFiles: openFiles, cloud: cloud, notices: notices,
            namespace: namespace, actions: actions, comparison: comparison, replicatedTree: replicatedTree)
        announcements = Announcements(
            notices, namespace: namespace, orphans: orphans, trashDirectory: trashDirectory)
        listenToCatalog(store)
    }

    private func listenToCatalog(_ store: DocumentStore) {
        store.catalog.setListener(
            // Weak: the listener belongs to the catalog, on which both stand.
            Catalog.Listener { [weak announcements] in
                announcements?.tell($0)
            } failed: { [weak comparison] in
                comparison?.undoFileChanges(in: $0)
            } unfinished: { [logger = store.logger] in
                logger.warning(
                    "a file that was set aside stays in staging until the next mount", metadata: ["error": "\($0)"])
            } delayed: { [logger = store.logger] in
                logger.error(
                    "changes could not be written to the catalog yet; they are kept and tried again",
                    metadata: ["error": "\($0)"])
            } logNotCopied: { [logger = store.logger] in
                logger.warning(
                    "the catalog's write-ahead log could not be copied yet; it grows until then",
                    metadata: ["error": "\($0)"])
            })
    }

    /// Is told of every change that the kernel or a waiting reader of a state does not know of.
    public var observer: (any LibraryObserver)? {
        get { notices.observer }
        set { notices.observer = newValue }
    }

    /// From now on the kernel may remember both names of a document.
    ///
    /// - Parameter expireAllNames: makes the kernel ask for every name once more when it is used next. Called from any thread, also within a
    ///   request; takes no lock.
    public func rememberTypedNames(expireAllNames: @escaping @Sendable () -> Void) {
        namespace.givenNames.enable(expireAllNames: expireAllNames)
    }

    /// Writes some of the rows whose requests are answered already. For a thread that has no request to answer.
    public func useSpareTime() { store.catalog.writeSomeWaiting() }

    /// Whether listings show display names (`--show display-names`) and not filenames.
    public var showsDisplayNames: Bool { namespace.configuration.showsDisplayNames }

    /// The path of the store's folder.
    public var storePath: String { store.path }

    /// The store's logger, for the parts that call the library.
    public var logger: Logger { store.logger }

    /// The tree as synchronization changes it.
    package var synchronizedTree: any SynchronizedTree { replicatedTree }
    /// The contents as synchronization sends them.
    package var sentContents: any SentContents { contents }
    /// The store as synchronization has it checked.
    package var checkedStore: any CheckedStore { storeCheck }

    /// The state of a document may have changed.
    package func stateChanged() { notices.stateChanged() }
}
