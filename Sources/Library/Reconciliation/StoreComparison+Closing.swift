import Backing
import Catalog
import Documents
import Glibc
import Logging
import Replication
import Synchronization
import SystemPackage

extension StoreComparison {
    /// Ends the use of the store cleanly. No call may be under way or follow.
    func close() throws {
        unseenWrites.hasEnded.store(true, ordering: .releasing)
        // Who still has a document open may go on writing to it after docfs has ended: the next mount compares.
        let isUnwritten =
            transactions.attemptToNoteUnseenWrites() && unseenWrites.areNone && !openFiles.areWrittenUnseen
        catalog.setListener(nil)
        let isNoted: Bool
        do {
            try noteFolderTimes()
            isNoted = true
        } catch {
            logger.warning(
                "the store's folders could not be noted; the next mount looks at all files",
                metadata: ["error": "\(error)"])
            isNoted = false
        }
        try store.close(isAgreed: isUnwritten && isNoted && !mustReconcile.load(ordering: .relaxed))
    }
}
