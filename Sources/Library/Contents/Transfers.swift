import Catalog
import Documents
import Synchronization

/// Downloads and uploads that are under way, and when files were last changed. All of it is in memory only; the catalog has what must
/// survive the process.
final class Transfers: Sendable {
    struct Status: Sendable {
        var isDownloading = false
        var isUploading = false
        /// 0 to 100; nil without a transfer.
        var percent: Int?
    }

    private struct State {
        var arrivals: [InodeNumber: Arrival] = [:]
        var uploads: [InodeNumber: UploadProgress] = [:]
        /// When a file was last closed or changed, for files of which that is less than `pace.quiet` ago or was not asked since.
        var lastActivity: [InodeNumber: ContinuousClock.Instant] = [:]
    }

    /// No other lock is taken inside it.
    private let state = Mutex(State())

    let pace: SendingPace
    /// Failed transfers, by the inode of the document.
    let retries: Retries
    private let cloud: any ContentSource
    private let instant: @Sendable () -> ContinuousClock.Instant

    init(
        cloud: any ContentSource, pace: SendingPace = SendingPace(),
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.cloud = cloud
        self.pace = pace
        self.instant = instant
        retries = Retries(instant: instant)
    }

    // MARK: Quiet

    func markWritten(_ inode: InodeNumber) {
        let now = instant()
        state.withLock { $0.lastActivity[inode] = now }
    }

    func markClosed(_ inode: InodeNumber) {
        markWritten(inode)
        cloud.changesAreWaiting()
    }

    /// A document was moved, with its content unchanged. Its content is sent at once unless it was modified a moment ago.
    func markMoved(_ inode: InodeNumber, modified: Timestamp, now: Timestamp) {
        // A file can have any time: the difference of two may not fit into 64 bits.
        if Duration.nanoseconds(now.nanoseconds) - .nanoseconds(modified.nanoseconds) > pace.quiet {
            cloud.changesAreOfInterest()
        } else {
            markClosed(inode)
        }
    }

    /// The time until a closed file is unchanged for long enough to be sent; zero if it is.
    func timeToQuiet(_ inode: InodeNumber) -> Duration {
        let now = instant()
        return state.withLock { state in
            guard let last = state.lastActivity[inode] else { return .zero }
            let rest = pace.rest(after: now - last, isOpenForWriting: false, isSaved: true)
            if rest == .zero { state.lastActivity[inode] = nil }
            return rest
        }
    }

    /// Cancels the transfers of an entry: it is gone, or its content was replaced.
    func forget(_ inode: InodeNumber) {
        let (arrival, upload) = state.withLock { state in
            state.lastActivity[inode] = nil
            return (state.arrivals.removeValue(forKey: inode), state.uploads.removeValue(forKey: inode))
        }
        arrival?.cancel()
        upload?.cancel()
    }

    /// As `forget`, for all entries for which `isGone` returns true.
    func forget(where isGone: (InodeNumber) throws -> Bool) rethrows {
        let known = state.withLock { Set($0.lastActivity.keys).union($0.arrivals.keys).union($0.uploads.keys) }
        for inode in known where try isGone(inode) { forget(inode) }
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

    /// The mount ends. Transfers under way start anew next time.
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

/// The progress of one upload.
package final class UploadProgress: Sendable {
    private let total: Int64
    private let sent = Atomic<Int64>(0)
    private let cancelled = Atomic<Bool>(false)

    /// - Parameter total: the size of the content in bytes.
    package init(total: Int64) { self.total = total }

    /// Counts bytes that were sent. Any thread may call it.
    package func add(_ count: Int64) { sent.add(count, ordering: .relaxed) }

    func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// Whether the upload is to stop: its content was replaced, its document is gone, or the mount ends.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    var percent: Int { Arrival.percent(sent.load(ordering: .relaxed), of: total) }
}
