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
        /// Bytes that have come or were sent; nil without a transfer.
        var bytes: Int64?
    }

    private struct State {
        var arrivals: [InodeNumber: Arrival] = [:]
        var uploads: [InodeNumber: UploadProgress] = [:]
        /// When a file was closed or changed: for the first time since it was sent, and for the last time.
        var activity: [InodeNumber: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)] = [:]
        var rush = Rush()
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

    /// A program is about to change a name.
    func noteChangeOfName() {
        let now = instant()
        state.withLock { $0.rush.note(at: now) }
    }

    /// How long it is at least until sending holds up no program that changes many names; nil if it may go on.
    var timeToCalm: Duration? {
        let now = instant()
        return state.withLock { $0.rush.rest(at: now) }
    }

    func markWritten(_ inode: InodeNumber) {
        let now = instant()
        state.withLock { $0.activity[inode] = (now, now) }
    }

    /// Its content is whole.
    func markSaved(_ inode: InodeNumber) {
        let now = instant()
        state.withLock { state in
            // After a pause the saves are counted anew.
            let earlier = state.activity[inode].flatMap { now - $0.last > pace.quiet ? nil : $0 }
            state.activity[inode] = (earlier?.first ?? now, now)
        }
    }

    func markClosed(_ inode: InodeNumber) {
        markSaved(inode)
        cloud.changesAreWaiting()
    }

    /// A document was moved, with its content unchanged. Its content is sent at once unless it was modified a moment ago.
    func markMoved(_ inode: InodeNumber, modified: Timestamp, now: Timestamp) {
        if now - modified > pace.quiet {
            cloud.changesAreOfInterest()
        } else {
            markClosed(inode)
        }
    }

    /// The time until a file is unchanged for long enough to be sent, or was saved again and again for too long; zero if it is.
    ///
    /// - Parameter unchanged: of a file that is open for writing, how long it is unchanged.
    func timeToQuiet(_ inode: InodeNumber, unchanged: Duration? = nil) -> Duration {
        let now = instant()
        return state.withLock { state in
            let activity = state.activity[inode]
            guard let time = unchanged ?? activity.map({ now - $0.last }) else { return .zero }
            return pace.rest(
                after: time, since: activity.map { now - $0.first } ?? .zero, isOpenForWriting: unchanged != nil,
                isSaved: true)
        }
    }

    /// Cancels the transfers of an entry: it is gone, or its content was replaced.
    func forget(_ inode: InodeNumber) {
        let (arrival, upload) = state.withLock { state in
            state.activity[inode] = nil
            return (state.arrivals.removeValue(forKey: inode), state.uploads.removeValue(forKey: inode))
        }
        arrival?.cancel()
        upload?.cancel()
    }

    /// A document has another file: it was saved by renaming. The upload of a copy of the old one goes on, and the saves are counted on.
    func replace(_ old: InodeNumber, by new: InodeNumber, _ transaction: Transaction) {
        replace(old, by: new)
        transaction.ifFailed { self.replace(new, by: old) }
    }

    func replace(_ old: InodeNumber, by new: InodeNumber) {
        let (arrival, upload) = state.withLock { state in
            state.activity[new] = state.activity.removeValue(forKey: old)
            for (inode, upload) in state.uploads where (upload.successor ?? inode) == old { upload.follow(new) }
            let upload = state.uploads[old]?.isOfCopy == true ? nil : state.uploads.removeValue(forKey: old)
            return (state.arrivals.removeValue(forKey: old), upload)
        }
        arrival?.cancel()
        upload?.cancel()
    }

    /// As `forget`, for all entries for which `isGone` returns true.
    func forget(where isGone: (InodeNumber) throws -> Bool) rethrows {
        let known = state.withLock { Set($0.activity.keys).union($0.arrivals.keys).union($0.uploads.keys) }
        // In an order that a simulated world can repeat.
        for inode in known.sorted() where try isGone(inode) { forget(inode) }
    }

    // MARK: Transfers under way

    func arrival(of inode: InodeNumber) -> Arrival? { state.withLock { $0.arrivals[inode] } }

    /// What was sent of the uploads under way.
    var sentBytes: Int64 { state.withLock { $0.uploads.values.reduce(0) { $0 + $1.sentBytes } } }

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

    /// - Parameter isSent: whether the container has a whole state of it now. Else its saves count on, so that it is tried again soon; a copy,
    ///   which is made for each attempt, a second later.
    func end(_ upload: UploadProgress, of inode: InodeNumber, isSent: Bool) {
        let now = instant()
        state.withLock { state in
            if state.uploads[inode] === upload { state.uploads[inode] = nil }
            let inode = upload.successor ?? inode
            guard let activity = state.activity[inode] else { return }
            if isSent {
                state.activity[inode] = now - activity.last > pace.quiet ? nil : (now, activity.last)
            } else if upload.isOfCopy {
                state.activity[inode]?.first = max(activity.first, now - SendingPace.limit + .seconds(1))
            }
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
            percent: arrival?.percent ?? upload?.percent, bytes: arrival?.bytes ?? upload?.sentBytes)
    }
}

/// The progress of one upload.
package final class UploadProgress: Sendable {
    private let total: Int64
    /// Whether a copy of the document is sent, which may change meanwhile.
    package let isOfCopy: Bool
    private let sent = Atomic<Int64>(0)
    private let cancelled = Atomic<Bool>(false)
    private let newFile = Mutex<InodeNumber?>(nil)

    /// - Parameter total: the size of the content in bytes.
    package init(total: Int64, isOfCopy: Bool = false) {
        self.total = total
        self.isOfCopy = isOfCopy
    }

    /// Counts bytes that were sent. Any thread may call it.
    ///
    /// - Returns: whether `percent` is another one now.
    package func add(_ count: Int64) -> Bool {
        let (before, after) = sent.add(count, ordering: .relaxed)
        return percent(of: before) != percent(of: after)
    }

    /// The document has another file: it was saved by renaming.
    func follow(_ inode: InodeNumber) { newFile.withLock { $0 = inode } }

    /// The file that the document has now, if that is another one than when the upload began.
    var successor: InodeNumber? { newFile.withLock(\.self) }

    func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// Whether the upload is to stop: its content was replaced, its document is gone, or the mount ends.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// 0 to 99: it is done when the store says so.
    var percent: Int { percent(of: sent.load(ordering: .relaxed)) }

    private func percent(of count: Int64) -> Int { total <= 0 ? 99 : Int(min(99, count * 100 / total)) }

    /// Bytes.
    package var sentBytes: Int64 { min(total, sent.load(ordering: .relaxed)) }
}
