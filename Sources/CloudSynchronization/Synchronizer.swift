import Library
import Backing
import Catalog
import Documents
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

/// Keeps this device and the container in step, for as long as the mount lives.
///
/// One loop, so that nothing here races with itself: read the log, bring the tree in line with it,
/// fetch what should be here, send what is pending; then sleep until something changes here or it is
/// time to look again. Contents go up and down in tasks of their own and never hold the loop.
public final class Synchronizer: Sendable {
    let store: DocumentStore
    let tree: any SynchronizedTree
    let contents: any SentContents
    let cloud: CloudConnection
    let checkup: CloudCheckup
    let stateChanged: @Sendable () -> Void
    /// Uploads that failed.
    let retries: Retries
    let log: ReplicatedLog
    let checkpoints: Checkpoints
    let isWritingCheckpoint = Mutex(false)
    let isCleaning = Mutex(false)
    /// As the catalog has it; nil before it was asked.
    let lastCleaning = Mutex<Timestamp?>(nil)
    /// Contents that the store has and no commit names yet, as the catalog has them.
    let uploaded = Mutex<[InodeNumber: CommitDraft.Uploaded]>([:])
    let hasRecalledUploads = Mutex(false)
    /// What is known of whether the container is the one that this device knows, and whole.
    let inspection = Mutex(Inspection())
    /// Documents that are ready to be uploaded, and how many uploads are running.
    let uploads = Mutex(UploadQueue())
    /// Makes contents durable before they are uploaded.
    let contentSync = GroupSync()

    private static let shortestBreath = Duration.milliseconds(30)
    private static let longestBreath = Duration.milliseconds(100)

    /// - Parameter checkpointInterval: commits from one checkpoint to the next, while there are few entries.
    public init(_ library: Library, _ cloud: CloudConnection, checkpointInterval: Int64 = Checkpoints.shortestInterval)
    {
        store = library.store
        tree = library.synchronizedTree
        contents = library.sentContents
        self.cloud = cloud
        checkup = library.checkup
        stateChanged = { library.stateChanged() }
        retries = Retries(instant: library.store.surroundings.instant)
        log = ReplicatedLog(store: cloud.store)
        checkpoints = Checkpoints(store: cloud.store, interval: checkpointInterval)
    }

    /// Runs until the task is cancelled.
    ///
    /// - Parameter firstRound: called when the container was read for the first time, or could not be.
    public func run(firstRound: @Sendable () -> Void) async {
        var failures = 0
        var lastCommit = now
        var isFirst = true
        var watch: StoreWatch?
        defer { watch?.cancel() }
        while !Task.isCancelled {
            let start = now
            let (succeeded, rest) = await round(&lastCommit)
            await checkUpIfAsked()
            // What was away may be back as another folder.
            if succeeded, watch == nil || failures > 0 {
                watch?.cancel()
                watch = watchLog()
            }
            failures = succeeded ? 0 : failures + 1
            store.tidy()
            if isFirst { firstRound() }
            isFirst = false
            // However often it is woken, it leaves most of the time to those who use the documents.
            let breath = min(max(Self.shortestBreath, (now - start) * 3), Self.longestBreath)
            try? await store.surroundings.sleep(breath)
            let pause = PollPace.pause(
                quickest: cloud.store.quickestPoll, idle: cloud.idleTime, failures: failures)
            await awaitWork(atMost: min(pause, rest ?? pause))
        }
        await abandonTransfers()
    }

    /// Sleeps until there is something to do. Files that may be written to unseen are looked at meanwhile, which takes no
    /// look at the container.
    private func awaitWork(atMost limit: Duration) async {
        let end = now + limit
        while !Task.isCancelled {
            let rest = end - now
            let limit = contents.lookInterval.map { min(rest, $0) } ?? rest
            if await cloud.wake.wait(atMost: limit) { return }
            if now >= end { return }
            contents.attemptToNoteUnseenWrites()
        }
    }

    var now: ContinuousClock.Instant { store.surroundings.instant() }

    private func watchLog() -> StoreWatch? {
        cloud.store.watch(ReplicatedLog.folder) { [cloud] in cloud.changesAreWaiting()
        }
    }

    /// - Returns: whether the container could be reached and understood, and when the next document
    ///   will be ready to be sent.
    private func round(_ lastCommit: inout ContinuousClock.Instant) async -> (succeeded: Bool, rest: Duration?) {
        do {
            try await followLog()
            // Before all of the log was looked through nothing is removed from the container or added to its log.
            let isWhole = try await inspectContainer()
            report(.online)
            if isWhole { try cleanIfDue() }
            try tree.removeEmptiedFolders()
            tree.startArrivals(atMost: Self.parallelTransfers)
            let rest = try startUploads()
            guard isWhole else { return (true, .zero) }
            if !gathersUploads(since: lastCommit), try await sendPending() { lastCommit = now }
            return (true, rest)
        } catch let error as LogError {
            await follow(error)
        } catch {
            if report(.failed("\(error)")) {
                store.logger.error("synchronizing failed", metadata: ["error": "\(error)"])
            }
        }
        return (false, nil)
    }

    /// Where the container is not what it was, another device may have made it whole already.
    private func follow(_ error: LogError) async {
        guard error.isOfTheLog else { return _ = report(Connection(error)) }
        do {
            if try await followsRepair() { return cloud.wake.signal() }
            report(Connection(error))
        } catch let other as LogError {
            report(Connection(other))
        } catch let other {
            store.logger.error(
                "a container that was made whole could not be taken over", metadata: ["error": "\(other)"])
            report(Connection(error))
        }
    }

    /// - Returns: whether that is news.
    @discardableResult
    private func report(_ connection: Connection) -> Bool {
        guard cloud.set(connection) else { return false }
        store.logger.notice("the cloud", metadata: ["connection": "\(connection)"])
        stateChanged()
        return true
    }

    static let parallelTransfers = 32
    /// How many documents are looked at in one round for whether they can be transferred.
    static let lookahead = 1024

    private func abandonTransfers() async {
        uploads.withLock { $0.clear() }
        contents.cancelTransfers()
    }
}

extension LogError {
    /// Not of reaching it.
    fileprivate var isOfTheLog: Bool { if case .store = self { false } else { true } }
}
