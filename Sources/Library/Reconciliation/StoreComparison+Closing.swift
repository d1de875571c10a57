import Backing
import Catalog
import Documents
import Glibc
import Logging
import Replication
import Synchronization
import SystemPackage

extension StoreComparison {
    /// Closes the store cleanly. No call may be under way or follow.
    func close() throws {
        unseenWrites.hasEnded.store(true, ordering: .releasing)
        // A program that still has a document open may go on writing to it after docfs has ended. The next mount then compares.
        let hasNoWriter =
            transactions.tryToRecordUnseenWrites() && unseenWrites.isEmpty && !openFiles.areWrittenUnseen
        store.catalog.setListener(nil)
        let hasFolderTimes: Bool
        do {
            try recordFolderTimes()
            hasFolderTimes = true
        } catch {
            logger.warning(
                "the times of the store's folders could not be recorded; the next mount compares all files",
                metadata: ["error": "\(error)"])
            hasFolderTimes = false
        }
        try store.close(isAgreed: hasNoWriter && hasFolderTimes && !mustReconcile.load(ordering: .relaxed))
    }
}
