import Backing
import Catalog
import Documents
import Library
import LinuxFiles
import Logging
import ObjectStore
import Replica
import Replication
import Synchronization
import SystemPackage

/// Uploads contents, each in a task of its own, when its document has been quiet for long enough (`SendingPace`).
final class Uploader: Sendable {
    private let store: DocumentStore
    private let objects: any ObjectStore
    private let contents: any SentContents
    private let wake: Wake
    private let stateChanged: @Sendable () -> Void
    /// When an upload that failed is tried again.
    private let retries: Retries
    /// Makes contents durable before they are uploaded.
    private let contentSync = GroupSync()
    /// Documents that are ready to be uploaded, and the number of uploads under way.
    private let queue = Mutex(UploadQueue())
    private let finished: FinishedUploads
    /// Documents that changed while they were sent. The next time a copy of them is sent.
    private let restless = Mutex<Set<EntryID>>([])

    /// How many documents are looked at in one turn.
    static let lookahead = 1024
    /// So many contents are worth a commit. No request is answered while it is made or applied.
    private static let gathered = 256

    init(
        _ container: ContainerAccess, _ contents: any SentContents, _ finished: FinishedUploads, _ wake: Wake,
        stateChanged: @escaping @Sendable () -> Void
    ) {
        store = container.store
        objects = container.objects
        self.contents = contents
        self.finished = finished
        self.wake = wake
        self.stateChanged = stateChanged
        retries = Retries(instant: container.store.surroundings.instant)
    }

    // MARK: The queue

    /// Queues the documents that are ready, and starts uploads. Whenever one ends, the next in the queue begins.
    ///
    /// - Returns: how long it is until the next document will have been quiet for long enough; nil if none has to wait for that.
    func startUploads() throws -> Duration? {
        try finished.load()
        try contents.recordUnseenWrites()
        var shortestRest: Duration?
        var last = InodeNumber(0)
        // Thousands of documents of a large bundle may be uploaded already and wait for the rest: look beyond them.
        while !queue.withLock(\.isLong) {
            let page = try store.read { try $0.entriesNeedingUpload(after: last, limit: Self.lookahead) }
            let rest = try enqueue(page)
            shortestRest = [shortestRest, rest].compactMap { $0 }.min()
            guard page.count == Self.lookahead, let end = page.last else { break }
            last = end.inode
        }
        while queue.withLock({ $0.startsAnother(limit: Synchronizer.parallelTransfers) }) {
            Task { await uploadQueued() }
        }
        return shortestRest
    }

    /// - Returns: how long it is until the next of them will have been quiet for long enough.
    private func enqueue(_ entries: [Entry]) throws -> Duration? {
        var shortestRest: Duration?
        for entry in entries {
            guard !finished.has(entry),
                retries.isDue(entry.inode), let rest = try contents.timeToSend(entry.inode)
            else { continue }
            // Where it is not decided, the next round follows at once: this one sends the commit, unless it fails.
            if try rest > .zero || isUndecided(entry) {
                shortestRest = min(rest, shortestRest ?? rest)
            } else {
                queue.withLock { $0.add(entry) }
            }
        }
        return shortestRest
    }

    /// Whether a document may be as the container has it, and a commit is on its way that may carry a save which was made between.
    private func isUndecided(_ entry: Entry) throws -> Bool {
        if entry.contentVersion == nil { return false }
        return try store.read { rows in
            try rows.hasOutbox() && knownVersion(of: entry, size: entry.size, rows) != nil
        }
    }

    /// Whether the next commit should wait a moment for uploads that are about to end. A mass migration then takes a handful of commits,
    /// not one for every few documents.
    func gathers(since lastCommit: ContinuousClock.Instant) -> Bool {
        isBusy && finished.count < Self.gathered
            && store.surroundings.instant() - lastCommit < .milliseconds(400)
    }

    var isBusy: Bool { queue.withLock(\.isBusy) }

    /// The mount ends. Uploads under way end by themselves.
    func cancel() { queue.withLock { $0.clear() } }

    // MARK: One upload

    /// A worker: one of a few that take documents from the queue.
    private func uploadQueued() async {
        while let entry = queue.withLock({ $0.next() }) {
            let isRestless = restless.withLock { set in entry.id.map(set.contains) ?? false }
            let progress = UploadProgress(total: entry.size, isOfCopy: isRestless)
            contents.begin(progress, of: entry.inode)
            stateChanged()
            let outcome = Task.isCancelled ? .again : await upload(entry, progress)
            contents.end(progress, of: entry.inode, isSent: outcome.isSent)
            queue.withLock { $0.ended(entry) }
            if case .failed(let error) = outcome {
                recordFailure(error, of: entry)
            } else {
                retries.succeeded(entry.inode)
            }
            stateChanged()
        }
        wake.signal()
    }

    private enum Outcome {
        /// Also where the container has it already.
        case sent
        /// It changed, or is needed no more: the next round decides.
        case again
        case failed(any Error)

        var isSent: Bool { if case .sent = self { true } else { false } }
    }

    private func upload(_ entry: Entry, _ progress: UploadProgress) async -> Outcome {
        var begun: VersionID?
        do {
            if contents.isOpenForWriting(entry.inode) {
                try await onBlockingThread { [contents] in try contents.writePages(of: entry.inode) }
                // The document may have been written to while it waited in the queue.
                guard try contents.timeToSend(entry.inode) == .zero else { return .again }
            }
            guard let (draft, look, file, id, known) = try prepare(entry) else { return .again }
            guard let source = progress.isOfCopy ? try await copy(of: file, draft.id, look, entry.inode) : file else {
                return .again
            }
            let upload = Upload(store: objects)
            if let known, try await upload.isContent(of: known, in: FileDescriptor(rawValue: source.number)) {
                try withExtendedLifetime(file) { try markUnchanged(entry, as: known, seenAs: look) }
                return .sent
            }
            // The container must not name a content that this device can lose with its power.
            try await contentSync.synchronize(file)
            begun = draft.id
            try recordUnderWay(draft, of: entry, id)
            let version = try await upload.send(
                draft, of: id, from: FileDescriptor(rawValue: source.number), length: draft.size
            ) { [stateChanged] count in
                if progress.add(count) { stateChanged() }
                return !progress.isCancelled
            }
            let result = try withExtendedLifetime((file, source)) {
                try recordFinished(version, of: entry, id, seenAs: look, isCopy: source !== file)
            }
            setRestless(result != .current, id)
            return result == .abandoned ? .again : .sent
        } catch {
            if let id = entry.id, let error = error as? TransferError, error == .changed || error == .cancelled {
                setRestless(true, id)
            }
            if let begun { abandon(begun) }
            return Self.outcome(of: error)
        }
    }

    private func setRestless(_ isRestless: Bool, _ id: EntryID) {
        restless.withLock { set in
            if isRestless { set.insert(id) } else { set.remove(id) }
        }
    }

    /// A copy of a document that is saved again and again.
    ///
    /// - Returns: the document itself where there is no room for a copy; nil if it changed meanwhile, or is being written.
    private func copy(
        of file: Descriptor, _ version: VersionID, _ look: ContentLook, _ inode: InodeNumber
    ) async throws -> Descriptor? {
        try await onBlockingThread { [store, contents] in
            let copy: Descriptor
            do throws(Errno) {
                copy = try store.files.staging.openUnnamedFile("sending-\(version)")
                guard try copy.fill(from: file, length: look.fingerprint.size) == look.fingerprint.size else {
                    return nil
                }
            } catch {
                if error.isLackOfRoom { return file }
                throw error
            }
            guard try ContentLook(file.status()) == look else { return nil }
            if contents.isOpenForWriting(inode), try contents.timeToSend(inode) != .zero { return nil }
            return copy
        }
    }

    private static func outcome(of error: any Error) -> Outcome {
        if let error = error as? TransferError, error == .cancelled || error == .changed { return .again }
        return if let error = error as? Errno { .failed(TransferError.file(error)) } else { .failed(error) }
    }

    /// Before the first byte is sent: whatever becomes of the upload, this device knows that the object is its own.
    private func recordUnderWay(_ draft: DocumentVersion, of entry: Entry, _ id: EntryID) throws {
        try store.write { try $0.store(UploadedContent(draft, of: entry, id, .underWay)) }
    }

    /// No commit will name the content, although some or all of it was sent. It is removed later (`Cleaner`).
    private func abandon(_ version: VersionID) {
        do { try store.write { try $0.abandonUpload(version) } } catch {
            // The next mount finds it recorded as under way, and abandons it.
            store.logger.warning("an upload could not be recorded as abandoned", metadata: ["error": "\(error)"])
        }
    }

    /// Opens the content to be sent, and finds the version that it may be already. The row may have changed since the entry was queued, in
    /// columns that do not count as a change of the document.
    private func prepare(_ entry: Entry) throws -> (
        DocumentVersion, ContentLook, Descriptor, EntryID, known: DocumentVersion?
    )? {
        try store.read { rows in
            guard let id = entry.id, let current = try rows.entry(entry.inode), current.revision == entry.revision
            else { return nil }
            guard let (file, look) = try contents.contentToSend(of: current, rows) else { return nil }
            var random = store.surroundings.random()
            let draft = DocumentVersion(
                id: .random(using: &random), base: current.contentVersion, device: store.device.id,
                deviceName: store.device.name, filename: current.filename, size: look.fingerprint.size, sha256: "",
                modified: look.fingerprint.modified)
            let known = try knownVersion(of: current, size: draft.size, rows)
            // A commit on its way may carry a save that was made between, and then this content is not what the container has.
            if known != nil, try rows.hasOutbox() { return nil }
            return (draft, look, file, id, known)
        }
    }

    /// The version that the file was made from, if the file has the same size and so may be unchanged: the commit with the version was
    /// being sent when something else of the document changed, or only the file's time changed. Sent again as a new version, it would be
    /// in conflict with a version that another device has saved after it.
    ///
    /// - Parameter size: of the file.
    private func knownVersion(
        of entry: Entry, size: Int64, _ rows: Rows
    ) throws -> DocumentVersion? {
        guard let id = entry.id, !entry.pending.contains(.creation) else { return nil }
        let versions = try CatalogReplica(rows).entry(id)?.versions?.all ?? []
        return versions.first { $0.id == entry.contentVersion && $0.size == size }
    }

    /// - Parameter look: what the file looked like before it was compared.
    private func markUnchanged(_ entry: Entry, as version: DocumentVersion, seenAs look: ContentLook) throws {
        try store.write { transaction in
            guard var current = try transaction.entry(entry.inode), current.contentVersion == version.id,
                try !transaction.hasOutbox(), try isUnchanged(current, since: entry, look, transaction)
            else { return }
            current.pending.remove(.content)
            try recordTime(of: &current, as: version, look, transaction)
            if current.pending.isEmpty { current.bundle = nil }
            current.error = nil
            try transaction.update(current)
        }
        stateChanged()
        // Another device's version may have waited for this one.
        contents.showNewerVersion(of: entry.inode)
    }

    /// A save of the same content has its own time, which the container must be told: else its old one would be taken over here.
    private func recordTime(
        of entry: inout Entry, as version: DocumentVersion, _ look: ContentLook, _ transaction: Transaction
    ) throws {
        // Another version is shown, with its own time.
        guard entry.isBackingCurrent, let id = entry.id else { return }
        entry.modified = look.fingerprint.modified
        guard let committed = try CatalogReplica(transaction).entry(id)?.description.modified,
            committed != entry.modified
        else { return }
        if entry.modified == version.modified, !entry.pending.contains(.modified) {
            // It was not saved since it was sent. Another device set the time.
            entry.modified = committed
            try contents.setTime(of: entry, transaction)
        } else {
            entry.markPending(.modified)
        }
    }

    /// What becomes of a version that was sent.
    private enum SentVersion {
        /// The document is as it was sent.
        case current
        /// It counts, though the document has changed.
        case overtaken
        case abandoned
    }

    /// An upload counts only if the file was not, and could not have been, written to since it began. Its base must still be the version
    /// that the file was made from: a commit that was being sent may have changed that meanwhile.
    ///
    /// - Parameter isCopy: whether a copy was sent: that counts also if the document has changed.
    private func recordFinished(
        _ version: DocumentVersion, of entry: Entry, _ id: EntryID, seenAs look: ContentLook, isCopy: Bool
    ) throws -> SentVersion {
        try store.write { transaction in
            guard var current = try transaction.entry(id), current.isReplicated, current.isHere,
                current.pending.contains(.content), current.contentVersion == version.base
            else {
                try transaction.abandonUpload(version.id)
                return .abandoned
            }
            guard current.inode == entry.inode, try isUnchanged(current, since: entry, look, transaction) else {
                // One that waits for a commit already may be newer.
                if isCopy, !finished.has(current) {
                    try finished.add(version, of: current, id, transaction, isOvertaken: true)
                    return .overtaken
                }
                try transaction.abandonUpload(version.id)
                return .abandoned
            }
            // For a document that is closed, the close has done so.
            try contents.finishSaveIfOpen(&current, transaction)
            if current.revision != entry.revision || Fingerprint(current) != Fingerprint(version) {
                // The row is not up to date because the document was moved into the cloud with its folder. After a crash, size and time
                // can be read from the file again.
                if current.revision == entry.revision { transaction.durability = .soon }
                (current.size, current.modified) = (version.size, version.modified)
                try transaction.update(current)
            }
            try finished.add(version, of: current, id, transaction)
            return .current
        }
    }

    private func isUnchanged(
        _ current: Entry, since entry: Entry, _ look: ContentLook, _ rows: Rows
    ) throws -> Bool {
        guard current.revision == entry.revision else { return false }
        return try contents.endChange(of: current, seenAs: look, rows)
    }

    private func recordFailure(_ error: any Error, of entry: Entry) {
        let pause = retries.failed(entry.inode)
        store.logger.warning("an upload failed", metadata: ["inode": "\(entry.inode)", "error": "\(error)"])
        let seconds = pause.components.seconds
        do {
            try store.write { transaction in
                // Meanwhile the document may have left the cloud, or its content may have turned out to be known.
                guard try transaction.entry(entry.inode)?.pending.contains(.content) == true else { return }
                try transaction.setError("\(error); retrying in \(seconds) s", of: entry.inode)
            }
        } catch {
            store.logger.error("the failure of an upload could not be recorded", metadata: ["error": "\(error)"])
        }
    }
}
