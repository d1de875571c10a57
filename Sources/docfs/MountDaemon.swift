import Backing
import CLinux
import CloudSynchronization
import Dispatch
import Documents
import Encryption
import Filesystem
import Glibc
import Library
import Logging
import ObjectStore
import Synchronization
import SystemPackage

/// Runs one mount, from locking the store to closing it.
enum MountDaemon {
    /// Mounts and serves requests until the mount ends or a signal stops it.
    ///
    /// - Parameter whenReady: called when the mount answers. It returns whether the mount goes on: one for which nobody waits any more may end.
    static func run(_ request: MountRequest, whenReady: @escaping @Sendable (MountNews) -> Bool) throws {
        EndingSignals.hold()
        DescriptorLimit.raise()
        refuseLargeWrites()
        ignoreClosedPipes()
        shareMemory()
        umask(0)
        let lock = try StoreLock(path: request.storePath)
        let logger = try makeLogger(request)
        let (library, cloud, opening) = try openLibrary(request, logger)
        let synchronization = BackgroundSynchronization(library, cloud, move: move(request, cloud, logger))
        let session = try MountSession(
            library: library, mountpoint: request.mountpoint, allowsOthers: request.options.allowOther)
        let signals = EndingSignals.handle { _ in session.stop() }
        remember(request, cloud, logger)
        synchronization.start(patience: opening.cloudAnswers ? nil : silencePatience) {
            guard whenReady(opening.news) else { return session.stop() }
            notify(.ready, logger)
        }
        synchronization.compareStore()
        let desktop =
            request.options.notifications
            ? DesktopSession(library, mountpoint: request.mountpoint, logger: logger) : nil
        try session.run()
        lock.recordEnding()
        desktop?.stop()
        notify(.stopping, logger)
        signals.forEach { $0.cancel() }
        synchronization.stop()
        try library.close()
        withExtendedLifetime(lock) {}
    }

    private static func notify(_ news: ServiceNotification, _ logger: Logger) {
        do { try news.send() } catch {
            logger.warning("the service manager cannot be told \(news.rawValue): \(error)")
        }
    }

    /// What was learned of the cloud while the store was opened.
    private struct Opening {
        var news = MountNews()
        var cloudAnswers = true
    }

    /// A mount waits no longer for a cloud from which nothing is heard.
    private static let silencePatience = DispatchTimeInterval.seconds(10)

    private static func openLibrary(_ request: MountRequest, _ logger: Logger) throws -> (
        Library, CloudConnection, Opening
    ) {
        var opening = Opening()
        // In its own words: that a store cannot be opened because of it is no news.
        var refusal: (any Error)?
        do {
            let (library, cloud) = try Library.open(
                try configuration(request), deviceName: request.options.deviceName, surroundings: .system,
                logger: logger
            ) { catalog in
                do {
                    let cloud = try CloudConnection(
                        request.cloud, isKnown: !request.mayBeOtherCloud, for: catalog, storePath: request.storePath,
                        surroundings: .system
                    ) { store, belongsToContainer in
                        let opened = try ContainerUnlocking(
                            request: request, belongsToContainer: belongsToContainer
                        ).open(store)
                        opening.news = opened.news
                        return opened.store
                    }
                    opening.cloudAnswers = try CloudCheck.run(cloud, request, logger)
                    return cloud
                } catch {
                    refusal = error is StoreError ? nil : error
                    throw error
                }
            }
            return (library, cloud, opening)
        } catch { throw refusal ?? error }
    }

    /// - Returns: nil where the documents stay in the container that they are in.
    private static func move(_ request: MountRequest, _ cloud: CloudConnection, _ logger: Logger) -> ContainerMove? {
        guard request.movesToOtherCloud else { return nil }
        return ContainerMove {
            write(request.storeOptions.belonging(to: request.cloud, isEncrypted: cloud.isEncrypted), request, logger)
        }
    }

    /// Until the documents have gone to another container, the store belongs to the former one.
    private static func remember(_ request: MountRequest, _ cloud: CloudConnection, _ logger: Logger) {
        write(
            request.movesToOtherCloud
                ? request.storeOptions.belonging(to: request.formerCloud, isEncrypted: request.formerIsEncrypted)
                : request.storeOptions.belonging(to: request.cloud, isEncrypted: cloud.isEncrypted), request, logger)
    }

    private static func write(_ options: StoreOptions, _ request: MountRequest, _ logger: Logger) {
        do {
            if try StoreOptions(ofStore: request.storePath) != options { try options.write(toStore: request.storePath) }
        } catch {
            logger.warning("the store cannot remember how it was mounted", metadata: ["error": "\(error)"])
        }
    }

    /// Seconds. More is as good as none, and more than times can hold.
    private static let longestTimeout = 1e9

    private static func configuration(_ request: MountRequest) throws -> LibraryConfiguration {
        LibraryConfiguration(
            storePath: request.storePath, filenames: try request.storeOptions.filenameGenerator(),
            showsDisplayNames: request.storeOptions.show == .displayNames,
            timeout: .seconds(min(request.options.timeout, Self.longestTimeout)),
            cacheLimit: request.storeOptions.cacheLimit)
    }

    private static func makeLogger(_ request: MountRequest) throws -> Logger {
        if request.isBackground { try redirectOutput(to: request.storePath + "/docfs.log") }
        var logger = Logger(label: "docfs") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = request.options.logLevel
        return logger
    }

    /// A mount in the background logs to `docfs.log` in the store.
    private static func redirectOutput(to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CommandFailure("cannot open the log \(path): \(Errno(rawValue: errno))") }
        dup2(file, STDERR_FILENO)
        close(file)
    }

    /// Limits malloc to two arenas. With an arena for each thread, memory that a thread once used stays in its arena: about
    /// 20 MB a thread after reading a large container.
    private static func shareMemory() { mallopt(M_ARENA_MAX, 2) }

    /// Under a limit on the size of files (`ulimit -f`), a write beyond it fails with EFBIG. By default it would end the process (SIGXFSZ).
    private static func refuseLargeWrites() { signal(SIGXFSZ, SIG_IGN) }

    /// Who waited for the mount may have been ended; the write fails then.
    private static func ignoreClosedPipes() { signal(SIGPIPE, SIG_IGN) }
}

/// Is set once.
private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    /// - Returns: whether it was not set before.
    func set() -> Bool { !value.exchange(true, ordering: .sequentiallyConsistent) }
}

/// Starts and stops the synchronizer's task from code that is not async.
private final class BackgroundSynchronization: Sendable {
    private let library: Library
    private let synchronizer: Synchronizer
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let ended = DispatchSemaphore(value: 0)
    private let comparing = DispatchSemaphore(value: 1)
    private let isStopping = Atomic<Bool>(false)
    private let cloud: CloudConnection
    /// Whether somebody was told that the mount is ready, or that is over.
    private let isReady = Flag()
    private static let lastPatience = DispatchTimeInterval.seconds(3)

    init(_ library: Library, _ cloud: CloudConnection, move: ContainerMove?) {
        self.library = library
        self.cloud = cloud
        synchronizer = Synchronizer(library, cloud, move: move)
    }

    /// Looks in the background for documents that were edited in the store while it was not mounted.
    func compareStore() {
        comparing.wait()
        DispatchQueue.global().async { [self] in
            library.recordEditsInStore { isStopping.load(ordering: .relaxed) }
            comparing.signal()
        }
    }

    /// - Parameters:
    ///   - patience: how long the first attempt to read the container is waited for; nil for as long as it takes.
    ///   - ready: called when it has ended, or that time is over.
    func start(patience: DispatchTimeInterval?, ready: @escaping @Sendable () -> Void) {
        task.withLock { task in
            task = Task { [synchronizer, ended, isReady] in
                await synchronizer.run {
                    if isReady.set() { ready() }
                }
                ended.signal()
            }
        }
        guard let patience else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [self] in
            // A long log takes its time. Who says anything now is waited for.
            if blockingAnswer(within: Self.lastPatience, { [cloud] in try await cloud.ask() }) != nil { return }
            guard isReady.set() else { return }
            synchronizer.noteSilence()
            ready()
        }
    }

    /// Waits at most 3 seconds for the current work to end. Pending changes are stored durably, so nothing is lost.
    func stop() {
        // A mount that has ended is not ready any more.
        _ = isReady.set()
        task.withLock { $0 }?.cancel()
        isStopping.store(true, ordering: .relaxed)
        comparing.wait()
        comparing.signal()
        _ = ended.wait(timeout: .now() + .seconds(3))
    }
}

extension Surroundings {
    /// The machine's clock and randomness.
    static let system = Surroundings(
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Timestamp(time)
        },
        localTime: { moment in
            var seconds = moment.timespec.tv_sec
            var parts = tm()
            localtime_r(&seconds, &parts)
            return LocalTime(
                year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
                hour: Int(parts.tm_hour), minute: Int(parts.tm_min), second: Int(parts.tm_sec))
        },
        random: { SystemRandomNumberGenerator() })
}
