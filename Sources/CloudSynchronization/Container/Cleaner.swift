import Backing
import Catalog
import Documents
import Logging
import ObjectStore
import Replica
import Replication
import Synchronization

/// Removes contents that nothing needs any more (ContainerFormat, "Cleaning"): those that the log shows to be unused for 30 days by the
/// store's clock, and those that this device uploaded and will never name in a commit. An object that is merely unknown stays. Any number
/// of devices may clean at once: each knows the same unused contents, and removing one that is gone already does no harm.
final class Cleaner: Sendable {
    private let container: ContainerAccess
    private var store: DocumentStore { container.store }
    private let isCleaning = Mutex(false)
    /// A copy of the catalog's setting; nil before it was read.
    private let lastCleaning = Mutex<Timestamp?>(nil)

    init(_ container: ContainerAccess) { self.container = container }

    private static let contentsAtOnce = 500

    /// Cleans once a day, in the background. To be called when the log was read to its end and inspected.
    func cleanIfDue() throws {
        let now = store.surroundings.now()
        guard let last = try timeOfLastCleaning() else { return try recordCleaning(now) }
        guard Retention.isCleaningDue(last: last, now: now), isCleaning.withLock({ !$0 }) else { return }
        isCleaning.withLock { $0 = true }
        Task {
            do {
                try await clean()
                try recordCleaning(now)
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

    private func recordCleaning(_ now: Timestamp) throws {
        try store.write { try $0.set(.lastCleaning, String(now.nanoseconds)) }
        lastCleaning.withLock { $0 = now }
    }

    func clean() async throws {
        try await removeAbandonedUploads()
        try await removeDepartedContents()
    }

    /// In the order in which they became unused, up to the first that must stay: the time depends on how many there are to remove only.
    private func removeDepartedContents() async throws {
        let now = try await container.objects.now()
        var position: (number: Int64, isOver: Bool)?
        while true {
            let departed = try store.read { try $0.departedContents(limit: Self.contentsAtOnce) }
            for content in departed {
                if position?.number != content.position {
                    position = (content.position, try await isRetentionOver(content.position, now))
                }
                guard position?.isOver == true else { return }
                try await remove(content)
            }
            if departed.isEmpty { return }
        }
    }

    /// Whether a commit was written long enough ago.
    private func isRetentionOver(_ position: Int64, _ now: Timestamp) async throws(ObjectStoreError) -> Bool {
        do throws(ObjectStoreError) {
            return Retention.isOver(departed: try await container.objects.modified(LogPosition(position).key), now: now)
        } catch {
            // A chain that begins anew has no entry before its first.
            if case .notFound = error { return false }
            throw error
        }
    }

    private func remove(_ content: DepartedContent) async throws {
        // Checked just before the removal, because a commit may have made the content current again.
        guard try store.read({ try $0.isDeparted(content.version) }) else { return }
        if let key = ObjectKey([
            ContentKey.folder.description, content.document.description, content.version.description, content.filename,
        ]) {
            try await container.objects.delete(key)
            store.logger.info("a content was removed from the cloud", metadata: ["key": "\(key)"])
        }
        try store.write { try $0.forgetDepartedContent(content.version) }
    }

    /// Removes contents that no commit of this device names or will name. While a commit is being sent that is not certain, so they wait.
    private func removeAbandonedUploads() async throws {
        for upload in try store.read({ try $0.uploads(.abandoned) }) {
            if try store.read({ try Self.isUnnamed(upload, $0) }) {
                let version = try UploadedContent.version(of: upload)
                try await container.objects.delete(try version.key(of: upload.document))
            } else if try store.read({ try $0.hasOutbox() }) {
                return
            }
            try store.write { try $0.forgetUpload(upload.version) }
        }
    }

    private static func isUnnamed(_ upload: UploadedContent, _ rows: Rows) throws -> Bool {
        try !rows.hasOutbox()
            && CatalogReplica(rows).entry(upload.document)?.versions?.contains(upload.version) != true
    }
}
