import Backing
import Catalog
import Documents
import Library
import Logging
import ObjectStore
import Replication
import SystemPackage

/// Keeps this device and the container in step while the mount lives.
///
/// One loop: read the log, bring the tree in line with it, download what should be here, send what is pending; then sleep until
/// something changes here or it is time to look again. Because there is one loop, the parts never run at the same time. Contents are
/// uploaded and downloaded in tasks of their own, which never hold up the loop.
public final class Synchronizer: Sendable {
    let container: ContainerAccess
    let tree: any SynchronizedTree
    let follower: LogFollower
    let inspector: ContainerInspector
    let uploader: Uploader
    let sender: CommitSender
    let checkpointWriter: CheckpointWriter
    let cleaner: Cleaner
    let repair: ContainerRepair
    let rotation: KeyRotation
    let checkup: ContainerCheckup
    private let move: ContainerMove?
    private let contents: any SentContents
    private let cloud: CloudConnection
    private let stateChanged: @Sendable () -> Void

    /// Uploads and downloads at the same time, each.
    static let parallelTransfers = 32
    private static let shortestBreak = Duration.milliseconds(30)
    private static let longestBreak = Duration.milliseconds(100)

    /// - Parameters:
    ///   - move: asks that the store goes to the container at `cloud`, where it belongs to another one.
    ///   - checkpointInterval: commits from one checkpoint to the next, while there are few entries.
    public init(
        _ library: Library, _ cloud: CloudConnection, move: ContainerMove? = nil,
        checkpointInterval: Int64 = Checkpoints.shortestInterval, commitLimit: CommitLimit = .usual
    ) {
        self.cloud = cloud
        self.move = move
        tree = library.synchronizedTree
        contents = library.sentContents
        stateChanged = { library.stateChanged() }
        container = ContainerAccess(
            library.store, cloud.store, cloud.encryption, checkpointInterval: checkpointInterval)
        follower = LogFollower(container, tree, cloud)
        inspector = ContainerInspector(container)
        checkpointWriter = CheckpointWriter(container)
        cleaner = Cleaner(container)
        let uploads = FinishedUploads(library.store, cloud.wake)
        uploader = Uploader(container, contents, uploads, cloud.wake, stateChanged: stateChanged)
        sender = CommitSender(container, follower, inspector, uploads, checkpointWriter, commitLimit)
        repair = ContainerRepair(container, tree, inspector, uploads, checkpointWriter)
        rotation = KeyRotation(container, follower, inspector, checkpointWriter)
        checkup = ContainerCheckup(
            container, library.checkedStore, library.checkup, follower, inspector, repair, rotation, cloud.wake)
    }

    /// Nothing has been heard of the container for as long as a mount waits.
    public func noteSilence() { if !cloud.isKnown { report(.offline("it does not answer")) } }

    /// Runs until the task is cancelled.
    ///
    /// - Parameter firstRound: called once, after the first attempt to read the container.
    public func run(firstRound: @Sendable () -> Void) async {
        var pace = PollPace()
        var lastCommit = now
        var isFirst = true
        var watch: StoreWatch?
        defer { watch?.cancel() }
        while !Task.isCancelled {
            let start = now
            let (succeeded, rest) = await round(&lastCommit)
            await checkup.runIfAsked()
            // A folder that was unmounted may be back as another one, which needs a watch of its own.
            if succeeded, watch == nil || pace.failures > 0 {
                watch?.cancel()
                watch = watchLog()
            }
            pace.attempted(succeeded: succeeded)
            container.store.tidy()
            if isFirst { firstRound() }
            isFirst = false
            // However often the loop is woken, it leaves most of the time to programs that use the documents.
            let pauseAfterWork = min(max(Self.shortestBreak, (now - start) * 3), Self.longestBreak)
            // It throws only when the task is cancelled, which ends the loop.
            try? await container.store.surroundings.sleep(pauseAfterWork)
            let pause = pace.pause(quickest: cloud.store.quickestPoll, idle: cloud.idleTime)
            await awaitWork(atMost: min(pause, rest ?? pause, cloud.store.longestPoll))
        }
        uploader.cancel()
        contents.cancelTransfers()
    }

    /// Sleeps until there is something to do. Meanwhile it looks at the files that the kernel may be writing to by itself, which takes
    /// no request to the container.
    private func awaitWork(atMost limit: Duration) async {
        let end = now + limit
        while !Task.isCancelled {
            let rest = end - now
            let limit = contents.lookInterval.map { min(rest, $0) } ?? rest
            if await cloud.wake.wait(atMost: limit) { return }
            if now >= end { return }
            contents.tryToRecordUnseenWrites()
        }
    }

    private var now: ContinuousClock.Instant { container.store.surroundings.instant() }

    private func watchLog() -> StoreWatch? {
        cloud.store.watch(ReplicatedLog.folder) { [cloud] in cloud.changesAreWaiting() }
    }

    /// - Returns: whether the container could be reached and read, and how long it is until the next document may be sent.
    private func round(_ lastCommit: inout ContinuousClock.Instant) async -> (succeeded: Bool, rest: Duration?) {
        do {
            try await moveIfAsked()
            try await follower.followLog()
            // Nothing is removed from the container or added to its log before all of the log was inspected.
            let isWhole = try await inspector.inspect()
            report(.online)
            if isWhole {
                try await rotation.publishIfNeeded()
                try cleaner.cleanIfDue()
            }
            try tree.removeEmptiedFolders()
            tree.bringContents(atMost: Self.parallelTransfers)
            if let timeToCalm = contents.timeToCalm { return (true, timeToCalm) }
            let rest = try uploader.startUploads()
            guard isWhole else { return (true, .zero) }
            if !uploader.gathers(since: lastCommit),
                try await sender.sendPending(while: { contents.timeToCalm == nil })
            {
                lastCommit = now
            }
            return (true, [rest, contents.timeToCalm].compactMap { $0 }.min())
        } catch let error as LogError {
            await handle(error)
        } catch {
            if report(.failed("\(error)")) {
                container.store.logger.error("synchronizing failed", metadata: ["error": "\(error)"])
            }
        }
        return (false, nil)
    }

    private func moveIfAsked() async throws {
        guard let move, move.isPending else { return }
        report(.moving)
        try await checkup.move()
        move.end()
    }

    /// If the log cannot be followed, another device may have repaired the container already.
    private func handle(_ error: LogError) async {
        guard error.concernsLog else { return _ = report(Connection(error)) }
        do {
            try await container.requireNewestKeys()
            if try await repair.takeOverIfRepaired() { return cloud.wake.signal() }
            report(Connection(error))
        } catch let other as LogError {
            report(Connection(other))
        } catch let other {
            container.store.logger.error(
                "a container that another device repaired could not be taken over", metadata: ["error": "\(other)"])
            report(Connection(error))
        }
    }

    /// - Returns: whether the connection is another one than before.
    @discardableResult
    private func report(_ connection: Connection) -> Bool {
        guard cloud.set(connection) else { return false }
        container.store.logger.notice("the cloud", metadata: ["connection": "\(connection)"])
        stateChanged()
        return true
    }
}

extension LogError {
    /// Whether the store was reached and the log is not as it should be. Who does not have its newest key cannot tell: whatever is there under a
    /// former one was perhaps written by somebody who was shut out.
    fileprivate var concernsLog: Bool {
        switch self {
        case .store: false
        case .container(.keyChanged), .container(.removed), .container(.full), .container(.otherKey): false
        default: true
        }
    }
}
