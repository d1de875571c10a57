import Catalog
import Documents
import Synchronization

/// Whether the cloud can be reached, as of the last attempt.
public enum Connection: Sendable, Equatable, CustomStringConvertible {
    case online
    case offline
    case unauthorized
    case failed(String)

    /// As `Documents/.state` shows it.
    public var description: String {
        switch self {
        case .online: "online"
        case .offline: "offline"
        case .unauthorized: "unauthorized"
        case .failed(let reason): reason
        }
    }
}

/// What is under way between this device and the container: kept in memory, gone with the process.
/// What must survive is in the catalog.
final class Transfers: Sendable {
    struct Status: Sendable {
        var isDownloading = false
        var isUploading = false
        /// 0 to 100; nil without a transfer.
        var percent: Int?
    }

    private struct State {
        var connection = Connection.online
        var arrivals: [InodeNumber: Arrival] = [:]
        var uploads: [InodeNumber: UploadProgress] = [:]
        /// When each file that was open or changed lately was last closed or changed.
        var lastActivity: [InodeNumber: ContinuousClock.Instant] = [:]
    }

    /// Taken alone or innermost.
    private let state = Mutex(State())

    /// Signalled when there may be something to send.
    let wake: Wake

    let pace: SendingPace
    private let instant: @Sendable () -> ContinuousClock.Instant

    init(
        pace: SendingPace = SendingPace(), instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.pace = pace
        self.instant = instant
        wake = Wake(sleep: sleep)
        lastUse = Mutex(instant())
    }

    // MARK: Use

    private let lastUse: Mutex<ContinuousClock.Instant>

    /// Something changed here or elsewhere, or somebody looks for what may have changed elsewhere: what
    /// other devices do is of interest now.
    func noteUse() {
        let now = instant()
        let wasIdle = lastUse.withLock { last in
            defer { last = now }
            return now - last > .seconds(1)
        }
        if wasIdle { wake.signal() }
    }

    /// Something is to be sent, or will be soon.
    func noteWork() {
        noteUse()
        wake.signal()
    }

    var idleTime: Duration { instant() - lastUse.withLock { $0 } }

    // MARK: Connection

    var connection: Connection { state.withLock(\.connection) }

    /// - Returns: whether that is news.
    func setConnection(_ connection: Connection) -> Bool {
        state.withLock { state in
            defer { state.connection = connection }
            return state.connection != connection
        }
    }

    var isReachable: Bool { connection == .online }

    // MARK: Quiet

    func noteWritten(_ inode: InodeNumber) {
        let now = instant()
        state.withLock { $0.lastActivity[inode] = now }
    }

    func noteClosed(_ inode: InodeNumber) {
        noteWritten(inode)
        noteWork()
    }

    /// Its place changed, not its content, which counts as changed only if that was a moment ago.
    func noteMoved(_ inode: InodeNumber, modified: Timestamp, now: Timestamp) {
        // Times as files have them can be any: their difference may not fit into 64 bits.
        if Duration.nanoseconds(now.nanoseconds) - .nanoseconds(modified.nanoseconds) > pace.quiet {
            noteUse()
        } else {
            noteClosed(inode)
        }
    }

    /// How long it is until `inode` has been quiet for long enough; zero when it has.
    func timeToQuiet(_ inode: InodeNumber) -> Duration {
        let now = instant()
        return state.withLock { state in
            guard let last = state.lastActivity[inode] else { return .zero }
            let rest = pace.rest(after: now - last, isOpenForWriting: false, isSaved: true)
            if rest == .zero { state.lastActivity[inode] = nil }
            return rest
        }
    }

    /// The entry is gone, or what was under way for it is of no use any more.
    func forget(_ inode: InodeNumber) {
        let (arrival, upload) = state.withLock { state in
            state.lastActivity[inode] = nil
            return (state.arrivals.removeValue(forKey: inode), state.uploads.removeValue(forKey: inode))
        }
        arrival?.cancel()
        upload?.cancel()
    }

    /// As `forget`, for all that `isGone`.
    func forget(where isGone: (InodeNumber) -> Bool) {
        let known = state.withLock { Set($0.lastActivity.keys).union($0.arrivals.keys).union($0.uploads.keys) }
        for inode in known where isGone(inode) { forget(inode) }
    }

    // MARK: Transfers under way

    func arrival(of inode: InodeNumber) -> Arrival? { state.withLock { $0.arrivals[inode] } }

    var arrivalCount: Int { state.withLock { $0.arrivals.count } }

    func register(_ arrival: Arrival) { state.withLock { $0.arrivals[arrival.inode] = arrival } }

    func end(_ arrival: Arrival, of inode: InodeNumber) {
        state.withLock { state in
            if state.arrivals[inode] === arrival { state.arrivals[inode] = nil }
        }
    }

    func begin(_ upload: UploadProgress, of inode: InodeNumber) {
        state.withLock { $0.uploads[inode] = upload }
    }

    func end(_ upload: UploadProgress, of inode: InodeNumber) {
        state.withLock { state in
            if state.uploads[inode] === upload { state.uploads[inode] = nil }
        }
    }

    /// The mount ends: what is under way begins anew next time.
    func cancelAll() {
        let (arrivals, uploads) = state.withLock { ($0.arrivals, $0.uploads) }
        arrivals.values.forEach { $0.cancel() }
        uploads.values.forEach { $0.cancel() }
    }

    func status(of inode: InodeNumber) -> Status {
        let (arrival, upload) = state.withLock { ($0.arrivals[inode], $0.uploads[inode]) }
        return Status(
            isDownloading: arrival != nil, isUploading: upload != nil,
            percent: arrival?.percent ?? upload?.percent)
    }
}

/// How far the upload of one document has come.
final class UploadProgress: Sendable {
    let total: Int64
    private let sent = Atomic<Int64>(0)
    private let cancelled = Atomic<Bool>(false)

    init(total: Int64) { self.total = total }

    func add(_ count: Int64) { sent.add(count, ordering: .relaxed) }

    func cancel() { cancelled.store(true, ordering: .relaxed) }

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    var percent: Int { Arrival.percent(sent.load(ordering: .relaxed), of: total) }
}
