import Backing
import Library
import Replica
import Catalog
import Documents
import Logging
import ObjectStore
import Replication
import Synchronization

/// Removing contents that nothing needs any more (DESIGN "Removal by positive knowledge"): what the log says departed 30 days ago by
/// the store's clock, and what this device uploaded and will never name. That something is unknown is no reason. Any number of
/// devices may do it at once: each knows the same of what departed, and removing what is gone is fine.
extension Synchronizer {
    private static let contentsAtOnce = 500

    /// Once a day, in the background. To be called with the log read to its end, and found whole.
    func cleanIfDue() throws {
        let now = store.surroundings.now()
        guard let last = try timeOfLastCleaning() else { return try noteCleaning(now) }
        guard Retention.isCleaningDue(last: last, now: now), isCleaning.withLock({ !$0 }) else { return }
        isCleaning.withLock { $0 = true }
        Task {
            do {
                try await clean()
                try noteCleaning(now)
            } catch {
                store.logger.warning("cleaning up the cloud failed", metadata: ["error": "\(error)"])
            }
            isCleaning.withLock { $0 = false }
        }
    }

    private func timeOfLastCleaning() throws -> Timestamp? {
        if let known = lastCleaning.withLock({ $0 }) { return known }
        let stored = try store.read { try $0.setting(.lastCleaning).flatMap(Int64.init) }
        let last = stored.map { Timestamp(nanoseconds: $0) }
        lastCleaning.withLock { $0 = last }
        return last
    }

    private func noteCleaning(_ now: Timestamp) throws {
        try store.write { try $0.set(.lastCleaning, String(now.nanoseconds)) }
        lastCleaning.withLock { $0 = now }
    }

    func clean() async throws {
        try await removeAbandonedUploads()
        try await removeDepartedContents()
    }

    /// In the order in which they departed, up to the first that must stay: so it takes no longer than there is to remove.
    private func removeDepartedContents() async throws {
        let now = try await cloud.store.now()
        var position: (number: Int64, isOver: Bool)?
        while true {
            let departed = try store.read { try $0.departedContents(limit: Self.contentsAtOnce) }
            for content in departed {
                if position?.number != content.position {
                    position = (content.position, try await isOver(content.position, now))
                }
                guard position?.isOver == true else { return }
                try await remove(content)
            }
            if departed.isEmpty { return }
        }
    }

    /// Whether a commit was written long enough ago.
    private func isOver(_ position: Int64, _ now: Timestamp) async throws(ObjectStoreError) -> Bool {
        do throws(ObjectStoreError) {
            return Retention.isOver(departed: try await cloud.store.modified(LogPosition(position).key), now: now)
        } catch {
            // Where a chain begins anew there is no entry before its first.
            if case .notFound = error { return false }
            throw error
        }
    }

    private func remove(_ content: DepartedContent) async throws {
        // Read as late as can be: it may have come back since.
        guard try store.read({ try $0.isDeparted(content.version) }) else { return }
        if let key = ObjectKey([
            ContentKey.folder.description, content.document.description, content.version.description, content.filename,
        ]) {
            try await cloud.store.delete(key)
            store.logger.info("a content was removed from the cloud", metadata: ["key": "\(key)"])
        }
        try store.write { try $0.forgetDepartedContent(content.version) }
    }

    /// What no commit of this device names, or ever will. The one that may be on its way settles that first.
    private func removeAbandonedUploads() async throws {
        for upload in try store.read({ try $0.uploads(.abandoned) }) {
            if try store.read({ try Self.isUnnamed(upload, $0) }) {
                let version = try UploadedContent.version(of: upload)
                try await cloud.store.delete(try version.key(of: upload.document))
            } else if try store.read({ try $0.outbox() != nil }) {
                return
            }
            try store.write { try $0.forgetUpload(upload.version) }
        }
    }

    private static func isUnnamed(_ upload: UploadedContent, _ catalog: CatalogTransaction) throws -> Bool {
        try catalog.outbox() == nil
            && CatalogReplica(catalog).entry(upload.document)?.versions?.contains(upload.version) != true
    }
}
