import Backing
import Catalog
import Documents
import Logging
import ObjectStore
import Synchronization
import SystemPackage

/// What a person can do to documents. It knows no FUSE: every operation takes inode numbers and
/// names and gives values or an `Errno`; the same calls serve a mount and a test.
///
/// Model: the catalog is the namespace, the backing store holds the bytes, `OpenFiles` what is open.
/// A mutation is one `catalog.write`, with its effects on backing files inside: decided by a pure rule, then files, then rows,
/// and events once it has succeeded. Lock order: the catalog's tree, then `OpenFiles`, then one file's state. Nothing
/// here waits for the network: what must is an `Arrival`, or belongs to `Synchronizer`.
public final class Library: Sendable {
    let configuration: LibraryConfiguration
    let surroundings: Surroundings
    public let logger: Logger
    let catalog: Catalog
    let backing: BackingStore
    let reserve: Reserve
    /// Whether rows and files may disagree, so that the store must not be marked as closed.
    let mustReconcile = Atomic<Bool>(false)
    /// Whether files are being put back after a write that failed.
    let isUndoing = Atomic<Bool>(false)
    let openFiles = OpenFiles()
    let unseenWrites = UnseenWrites()
    let departed = DepartedIdentities()
    /// The container's object store.
    let store: any ObjectStore
    let departedNodes = DepartedNodes()
    let transfers: Transfers
    /// What a person asked for by `docfs check`.
    public let checkup: CloudCheckup
    let versionNodes = VersionNodes()
    let givenNames = GivenNames()
    let retries: Retries
    let device: Device
    /// When a state last changed, or may have: the time of the state files.
    private let lastStateChange: Mutex<Timestamp>
    private let observerBox = Mutex<(any LibraryObserver)?>(nil)

    init(
        configuration: LibraryConfiguration, surroundings: Surroundings, logger: Logger, catalog: Catalog,
        backing: BackingStore, reserve: Reserve, store: any ObjectStore, transfers: Transfers, device: Device
    ) {
        self.configuration = configuration
        self.surroundings = surroundings
        self.logger = logger
        self.catalog = catalog
        self.backing = backing
        self.reserve = reserve
        self.store = store
        self.transfers = transfers
        checkup = CloudCheckup(wake: transfers.wake)
        self.device = device
        retries = Retries(instant: surroundings.instant)
        lastStateChange = Mutex(surroundings.now())
        catalog.setListener(
            Catalog.Listener { [weak self] in
                self?.dispatch($0)
            } failed: { [weak self] in
                self?.undoFileChanges(in: $0)
            } delayed: { [logger] in
                logger.error(
                    "changes could not be written to the catalog yet; they are kept and tried again",
                    metadata: ["error": "\($0)"])
            })
    }

    /// For a thread that has answered and awaits the next request: does some of the work that is acknowledged and can wait.
    public func useSpareTime() { catalog.writeSomeWaiting() }

    /// From now on the kernel may remember both names of a document.
    ///
    /// - Parameter askAgain: makes the kernel ask for every name once more when it is used next. Called from any thread, also within a
    ///   request; takes no lock.
    public func rememberTypedNames(askAgain: @escaping @Sendable () -> Void) { givenNames.enable(askAgain: askAgain) }

    /// Tells what happened in the tree to the kernel's caches.
    private func dispatch(_ events: [TreeEvent]) {
        for event in events { forgetOtherNames(event) }
        for event in events {
            switch event {
            case .nameChanged(let name, let folder): observer?.nameChanged(name, in: folder)
            case .entryChanged(let names, let used): forget(names, besides: used)
            case .listingChanged(let folder): observer?.listingChanged(of: folder)
            case .attributesChanged(let inode): observer?.attributesChanged(of: inode)
            case .renamed(let change): observer?.remotelyChanged([change])
            }
        }
    }

    /// A document's other name than the one in the call must mean nothing any more when the call returns.
    private func forgetOtherNames(_ event: TreeEvent) {
        switch event {
        case .nameChanged(let name, let folder):
            givenNames.changed([name], in: folder)
        case .entryChanged(let names, let used):
            let isUsed: (String) -> Bool = { used?.folder == names.parent && used?.name.isIdentical(to: $0) == true }
            givenNames.changed(
                [names.filename, names.fullName].compactMap { $0 }.filter { !isUsed($0) }, in: names.parent,
                of: used == nil || isUsed(listedName(of: names)) ? nil : names.inode)
        case .listingChanged, .attributesChanged, .renamed: break
        }
    }

    /// Some document's state may have changed.
    func stateChanged() {
        lastStateChange.withLock { $0 = surroundings.now() }
        observer?.stateChanged()
    }

    var stateTime: Timestamp { lastStateChange.withLock { $0 } }

    /// Told of every change that the kernel or a waiting reader of a state may have missed.
    public var observer: (any LibraryObserver)? {
        get { observerBox.withLock { $0 } }
        set { observerBox.withLock { $0 = newValue } }
    }
}

/// Hears what changed in the tree, once it has. Called from any thread, never with the tree's lock.
public protocol LibraryObserver: Sendable {
    /// `name` in `parent` may mean something else from now on, or nothing; a listing of `parent` may show others.
    func nameChanged(_ name: String, in parent: InodeNumber)
    /// Runs `body` when the kernel has been told of all names that changed until now.
    func whenNamesAreForgotten(_ body: @escaping @Sendable () -> Void)
    /// Waits, for a short while at most, until names that changed are forgotten. Only where the kernel
    /// holds no directory for the operation under way.
    func settleNames()
    /// What a folder lists changed without the kernel's knowing, and with it the folder's attributes.
    func listingChanged(of folder: InodeNumber)
    /// The attributes of an inode changed without the kernel's knowing.
    func attributesChanged(of inode: InodeNumber)
    /// Some document's state may have changed.
    func stateChanged()
    /// Other devices changed the tree, or a document got another name otherwise than by rename(2); it is done.
    func remotelyChanged(_ changes: [RemoteChange])
}

/// Time and chance, passed in so that tests can choose them.
public struct Surroundings: Sendable {
    public var now: @Sendable () -> Timestamp
    /// A moment as the clock on the wall shows it.
    public var localTime: @Sendable (Timestamp) -> LocalTime
    public var random: @Sendable () -> any RandomNumberGenerator
    /// For pauses and timeouts: a clock that nobody sets.
    public var instant: @Sendable () -> ContinuousClock.Instant = { .now }
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Seconds that the disk may take to write down its cache when the store is closed; after them it is left as if it had not been
    /// closed. An unmount takes 5 at most, 3 of which a step of the synchronization may need.
    public var diskPatience = 1
    /// Whether what the files tell of, too, may be committed to the catalog a moment later.
    public var defersCommits = true
    /// To tell which of them saves what.
    public var processes = Processes.system
    /// Whether files that are open for writing are so for somebody else than docfs: not where the devices of a test,
    /// those that crashed included, are one process.
    public var asksForLeases = true
    /// A folder's time of modification, from the one that its file system gives it: a simulation has a clock of its own.
    public var folderTime: @Sendable (Timestamp) -> Timestamp = { $0 }

    public init(
        now: @escaping @Sendable () -> Timestamp, localTime: @escaping @Sendable (Timestamp) -> LocalTime,
        random: @escaping @Sendable () -> any RandomNumberGenerator
    ) {
        self.now = now
        self.localTime = localTime
        self.random = random
    }
}

/// How a mount behaves: the options of `docfs mount` (PRODUCT 9).
public struct LibraryConfiguration: Sendable {
    public var storePath: String
    public var filenames: FilenameGenerator
    /// `--show display-names`
    public var showsDisplayNames: Bool
    /// How long an open waits for the first bytes of what is not here.
    public var timeout: Duration

    public init(
        storePath: String, filenames: FilenameGenerator, showsDisplayNames: Bool, timeout: Duration
    ) {
        self.storePath = storePath
        self.filenames = filenames
        self.showsDisplayNames = showsDisplayNames
        self.timeout = timeout
    }
}

/// This mount among the devices that share a container.
public struct Device: Sendable, Equatable {
    public let id: Documents.DeviceID
    public let name: String
}
