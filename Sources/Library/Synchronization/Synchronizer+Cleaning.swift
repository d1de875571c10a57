import Catalog
import Documents
import Logging
import ObjectStore
import Replication
import Synchronization

/// Removing contents that nothing needs any more (DESIGN; PRODUCT 6). Any number of devices may do it at
/// once: each looks at the same state, and removing what is gone is fine.
extension Synchronizer {
    private static let keysAtOnce = 1000

    /// Once a day, in the background. To be called with the log read to its end.
    func cleanIfDue() throws {
        let now = library.surroundings.now()
        guard let last = try timeOfLastCleaning() else { return try noteCleaning(now) }
        guard Retention.isCleaningDue(last: last, now: now), isCleaning.withLock({ !$0 }) else { return }
        isCleaning.withLock { $0 = true }
        Task {
            do {
                try await clean()
                try noteCleaning(now)
            } catch {
                library.logger.warning("cleaning up the cloud failed", metadata: ["error": "\(error)"])
            }
            isCleaning.withLock { $0 = false }
        }
    }

    private func timeOfLastCleaning() throws -> Timestamp? {
        if let known = lastCleaning.withLock({ $0 }) { return known }
        let stored = try library.catalog.read { try $0.setting(.lastCleaning).flatMap(Int64.init) }
        let last = stored.map { Timestamp(nanoseconds: $0) }
        lastCleaning.withLock { $0 = last }
        return last
    }

    private func noteCleaning(_ now: Timestamp) throws {
        try library.write { try $0.set(.lastCleaning, String(now.nanoseconds)) }
        lastCleaning.withLock { $0 = now }
    }

    /// Looks at every content in the store.
    func clean() async throws {
        var last: ObjectKey?
        while true {
            let keys = try await library.store.list(ContentKey.folder, after: last, limit: Self.keysAtOnce)
            for key in keys where try isUnneeded(key, written: nil) {
                // Only of these the age is asked for, which takes a request.
                if let written = try await timeOfWriting(key), try isUnneeded(key, written: written) {
                    try await library.store.delete(key)
                    library.logger.info("a content was removed from the cloud", metadata: ["key": "\(key)"])
                }
            }
            guard keys.count == Self.keysAtOnce, let end = keys.last else { return }
            last = end
        }
    }

    /// Nil where another device has removed it meanwhile.
    private func timeOfWriting(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp? {
        do throws(ObjectStoreError) { return try await library.store.modified(key) } catch {
            if case .notFound = error { return nil }
            throw error
        }
    }

    /// - Parameter written: nil for long ago.
    private func isUnneeded(_ key: ObjectKey, written: Timestamp?) throws -> Bool {
        guard let content = ContentKey(key) else { return false }
        let entry = try library.catalog.read { try CatalogReplica($0).entry(content.document) }
        return Retention.canRemove(
            content.version, of: entry, written: written ?? Timestamp(nanoseconds: 0), now: library.surroundings.now())
    }
}
