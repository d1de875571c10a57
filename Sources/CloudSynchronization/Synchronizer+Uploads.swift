import Library
import Replica
import Backing
import Catalog
import Documents
import FoundationEssentials
import Glibc
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

/// Sending contents: each in a task of its own, when its document has been quiet for long enough (`SendingPace`).
extension Synchronizer {
    /// Lines up what is ready; whenever an upload ends the next begins.
    ///
    /// - Returns: how long it is until the next document will have been quiet for long enough; nil
    ///   when none is waiting for that.
    func startUploads() throws -> Duration? {
        try recallUploads()
        try contents.noteUnseenWrites()
        var shortestRest: Duration?
        var last = InodeNumber(0)
        // Of a large step thousands may be uploaded and wait for the rest of it: look beyond them.
        while !uploads.withLock(\.isLong) {
            let page = try store.read { try $0.entriesNeedingUpload(after: last, limit: Self.lookahead) }
            let rest = try lineUp(page)
            shortestRest = [shortestRest, rest].compactMap { $0 }.min()
            guard page.count == Self.lookahead, let end = page.last else { break }
            last = end.inode
        }
        while uploads.withLock({ $0.startsAnother(limit: Self.parallelTransfers) }) {
            Task { await uploadQueued() }
        }
        return shortestRest
    }

    /// What an earlier life of the process has sent need not be sent again, however long the rest of its step takes.
    private func recallUploads() throws {
        if hasRecalledUploads.withLock({ $0 }) { return }
        let known = try store.write { catalog in
            try catalog.abandonUploadsUnderWay()
            return try catalog.uploads(.finished)
        }
        for upload in known {
            let content = CommitDraft.Uploaded(
                revision: upload.revision, version: try UploadedContent.version(of: upload))
            uploaded.withLock { $0[upload.inode] = content }
        }
        hasRecalledUploads.withLock { $0 = true }
    }

    /// - Returns: how long it is until the next of them will have been quiet for long enough.
    private func lineUp(_ entries: [Entry]) throws -> Duration? {
        var shortestRest: Duration?
        for entry in entries {
            guard uploaded.withLock({ $0[entry.inode]?.revision }) != entry.revision,
                retries.isDue(entry.inode), let rest = try contents.timeToSend(entry.inode)
            else { continue }
            if rest == .zero {
                uploads.withLock { $0.add(entry) }
            } else {
                shortestRest = min(rest, shortestRest ?? rest)
            }
        }
        return shortestRest
    }

    /// Whether a commit would do better to wait a moment for uploads that are about to end: a mass
    /// migration takes a handful of commits, not one for every few documents.
    func gathersUploads(since lastCommit: ContinuousClock.Instant) -> Bool {
        uploads.withLock(\.isBusy) && uploaded.withLock(\.count) < Self.lookahead
            && now - lastCommit < .milliseconds(400)
    }

    /// One of a few that work through the queue.
    private func uploadQueued() async {
        while let entry = uploads.withLock({ $0.next() }) {
            let progress = UploadProgress(total: entry.size)
            contents.begin(progress, of: entry.inode)
            stateChanged()
            let error = Task.isCancelled ? nil : await upload(entry, progress)
            contents.end(progress, of: entry.inode)
            uploads.withLock { $0.ended(entry) }
            if let error { noteFailure(error, of: entry) } else { retries.succeeded(entry.inode) }
            stateChanged()
        }
        cloud.wake.signal()
    }

    /// - Returns: why it did not succeed; nil also when it is of no use any more.
    private func upload(_ entry: Entry, _ progress: UploadProgress) async -> TransferError? {
        var begun: VersionID?
        do {
            if contents.isOpenForWriting(entry.inode) {
                try await onBlockingThread { [contents] in try contents.writePages(of: entry.inode) }
                // It may have waited for its turn.
                guard try contents.timeToSend(entry.inode) == .zero else { return nil }
            }
            guard let (draft, look, file, id, known) = try prepare(entry) else { return nil }
            let upload = Upload(store: cloud.store)
            if let known, try await upload.isContent(of: known, in: FileDescriptor(rawValue: file.number)) {
                try withExtendedLifetime(file) { try settleUnchanged(entry, as: known, seenAs: look) }
                return nil
            }
            // The cloud must not have what a loss of power takes away here.
            try await contentSync.synchronize(file)
            begun = draft.id
            try note(draft, of: entry, id)
            let version = try await upload.send(
                draft, of: id, from: FileDescriptor(rawValue: file.number), length: draft.size
            ) { count in
                progress.add(count)
                return !progress.isCancelled
            }
            try withExtendedLifetime(file) { try keep(version, of: entry, id, seenAs: look) }
            return nil
        } catch {
            if let begun { abandon(begun) }
            return Self.failure(error)
        }
    }

    /// - Returns: nil for what is none: the document is sent anew, or not at all.
    private static func failure(_ error: any Error) -> TransferError? {
        switch error {
        case let error as TransferError: error == .cancelled || error == .changed ? nil : error
        case let error as Errno: .file(error)
        default: .file(.ioError)
        }
    }

    /// Before anything of it is in the store: so it is known to be this device's, whatever becomes of it.
    private func note(_ draft: DocumentVersion, of entry: Entry, _ id: EntryID) throws {
        try store.write { try $0.store(UploadedContent(draft, of: entry, id, .underWay)) }
    }

    /// What was sent, or begun, is of no use.
    private func abandon(_ version: VersionID) {
        do { try store.write { try $0.abandonUpload(version) } } catch {
            // It stays in the store until the next mount, which knows that it was under way.
            store.logger.warning("an upload could not be noted as abandoned", metadata: ["error": "\(error)"])
        }
    }

    /// What is to be sent, and the version that it may be already. The entry may have changed since it was
    /// lined up, in what does not count as a change of the document.
    private func prepare(_ entry: Entry) throws -> (
        DocumentVersion, ContentLook, Descriptor, EntryID, known: DocumentVersion?
    )? {
        try store.read { catalog in
            guard let id = entry.id, let current = try catalog.entry(entry.inode), current.revision == entry.revision
            else { return nil }
            guard let (file, look) = try contents.contentToSend(of: current, catalog) else { return nil }
            var random = store.surroundings.random()
            let draft = DocumentVersion(
                id: .random(using: &random), base: current.contentVersion, device: store.device.id,
                deviceName: store.device.name, filename: current.filename, size: look.fingerprint.size, sha256: "",
                modified: look.fingerprint.modified)
            return (draft, look, file, id, try knownVersion(draft, of: current, id, catalog))
        }
    }

    /// The version that the file was made from, if by its size the file may still be just that: its commit was on the way when
    /// something else of the document changed, or only its time is another. Sent once more it would be in conflict with what
    /// another device saved on top of it.
    private func knownVersion(
        _ draft: DocumentVersion, of entry: Entry, _ id: EntryID, _ catalog: CatalogTransaction
    ) throws -> DocumentVersion? {
        if entry.pending.contains(.creation) { return nil }
        let versions = try CatalogReplica(catalog).entry(id)?.versions?.all ?? []
        return versions.first { $0.id == draft.base && $0.size == draft.size }
    }

    /// - Parameter look: what the file looked like before it was compared.
    private func settleUnchanged(_ entry: Entry, as version: DocumentVersion, seenAs look: ContentLook) throws {
        try store.write { catalog in
            guard var current = try catalog.entry(entry.inode), current.contentVersion == version.id,
                try isUnchanged(current, since: entry, look, catalog)
            else { return }
            current.pending.remove(.content)
            if current.pending.isEmpty { current.step = nil }
            current.error = nil
            try catalog.update(current)
        }
        stateChanged()
        // Another device's version may have waited behind it.
        contents.showNewerVersion(of: entry.inode)
    }

    /// The content counts only if nothing changed it, or could have, since the upload began. A commit that was
    /// under way may have made it, or an earlier content, a version meanwhile: then that is the base.
    private func keep(
        _ version: DocumentVersion, of entry: Entry, _ id: EntryID, seenAs look: ContentLook
    ) throws {
        try store.write { catalog in
            guard var current = try catalog.entry(entry.inode), current.contentVersion == version.base,
                try isUnchanged(current, since: entry, look, catalog)
            else { return try catalog.abandonUpload(version.id) }
            // Of what is closed the close has done that.
            try contents.finishSaveIfOpen(&current, catalog)
            if current.revision != entry.revision || Fingerprint(current) != Fingerprint(version) {
                // It came here with its folder (`moveDescendantsIntoCloud`). The file tells of both.
                if current.revision == entry.revision { catalog.durability = .soon }
                (current.size, current.modified) = (version.size, version.modified)
                try catalog.update(current)
            }
            try catalog.store(UploadedContent(version, of: current, id, .finished))
            let content = CommitDraft.Uploaded(revision: current.revision, version: version)
            let former = uploaded.withLock { uploaded in
                defer { uploaded[entry.inode] = content }
                return uploaded[entry.inode]?.version.id
            }
            if let former, former != version.id { try catalog.abandonUpload(former) }
        }
    }

    private func isUnchanged(
        _ current: Entry, since entry: Entry, _ look: ContentLook, _ catalog: CatalogTransaction
    ) throws -> Bool {
        guard current.revision == entry.revision else { return false }
        return try contents.endChange(of: current, seenAs: look, catalog)
    }

    private func noteFailure(_ error: TransferError, of entry: Entry) {
        let pause = retries.failed(entry.inode)
        store.logger.warning("an upload failed", metadata: ["inode": "\(entry.inode)", "error": "\(error)"])
        let seconds = pause.components.seconds
        do {
            try store.write { catalog in
                // It may have left the cloud, or been settled, while it was on its way.
                guard try catalog.entry(entry.inode)?.pending.contains(.content) == true else { return }
                try catalog.setError("\(error); retrying in \(seconds) s", of: entry.inode)
            }
        } catch {
            store.logger.error("a failure could not be noted", metadata: ["error": "\(error)"])
        }
    }

    func forgetUploads(_ outgoing: OutgoingCommit) {
        let versions = Set(outgoing.settlement.sent.compactMap(\.version))
        uploaded.withLock { uploaded in
            uploaded = uploaded.filter { !versions.contains($0.value.version.id) }
        }
    }
}

extension UploadedContent {
    init(_ version: DocumentVersion, of entry: Entry, _ id: EntryID, _ stage: Stage) throws {
        self.init(
            version: version.id, document: id, inode: entry.inode, revision: entry.revision, stage: stage,
            record: Array(try JSONEncoder().encode(version)))
    }

    static func version(of upload: UploadedContent) throws -> DocumentVersion {
        try JSONDecoder().decode(DocumentVersion.self, from: Data(upload.record))
    }
}
