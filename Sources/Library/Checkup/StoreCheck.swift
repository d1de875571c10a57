import Backing
import Catalog
import Documents
import LinuxFiles
import Logging
import Replica

/// `docfs check`, as far as it is about the store: finds out whether rows, files, trash and order agree (`StoreAudit`), and mends them
/// (`StoreMending`).
///
/// A mount changes its store while it is looked at, so that a file may be on its way. A finding counts if it is found a second time, a
/// moment later.
final class StoreCheck: Transacting, CheckedStore {
    let transactions: Transactions
    let store: DocumentStore
    let backing: BackingStore
    let openFiles: OpenFiles
    let cloud: any ContentSource
    let notices: ChangeNotices
    let namespace: Namespace
    let actions: Actions
    let comparison: StoreComparison
    let replicatedTree: ReplicatedTree

    private static let pause = Duration.seconds(1)

    init(
        _ transactions: Transactions, store: DocumentStore, backing: BackingStore, openFiles: OpenFiles,
        cloud: any ContentSource, notices: ChangeNotices, namespace: Namespace, actions: Actions,
        comparison: StoreComparison, replicatedTree: ReplicatedTree
    ) {
        self.transactions = transactions
        self.store = store
        self.backing = backing
        self.openFiles = openFiles
        self.cloud = cloud
        self.notices = notices
        self.namespace = namespace
        self.actions = actions
        self.comparison = comparison
        self.replicatedTree = replicatedTree
    }

    package func check(repairs: Bool, progress: @escaping @Sendable (Int) -> Void) async throws -> StoreReport {
        let first = try await onBlockingThread { [self] in try audit(progress: progress) }
        if first.findings.isEmpty { return StoreReport() }
        try await surroundings.sleep(Self.pause)
        return try await onBlockingThread { [self] in
            try finish(Set(first.findings), repairs: repairs)
        }
    }

    private func finish(_ first: Set<StoreFinding>, repairs: Bool) throws -> StoreReport {
        let audit = try audit { _ in }
        var report = StoreReport()
        report.remaining = audit.findings.filter(first.contains)
        report.isReplicaDamaged = audit.isReplicaDamaged
        guard repairs, !report.remaining.isEmpty else { return report }
        return try mend(audit, report.remaining) { $0.filter(first.contains) }
    }

    /// Checks and mends a store that this process alone uses.
    func repair(progress: (Int) -> Void) throws -> StoreReport {
        let audit = try audit(progress: progress)
        if audit.findings.isEmpty { return StoreReport() }
        return try mend(audit, audit.findings) { $0 }
    }

    /// - Parameter counted: those of the findings of a second look that count.
    private func mend(
        _ audit: StoreAudit, _ findings: [StoreFinding], counted: ([StoreFinding]) -> [StoreFinding]
    ) throws -> StoreReport {
        var mending = StoreMending(
            store, files: backing, cloud: cloud, notices: notices, namespace: namespace, actions: actions,
            comparison: comparison, replicatedTree: replicatedTree)
        try mending.mend(audit)
        try store.tidyTrash()
        let after = try self.audit { _ in }
        var report = StoreReport()
        report.remaining = counted(after.findings)
        report.mended = findings.filter { !report.remaining.contains($0) }
        report.isReplicaDamaged = after.isReplicaDamaged
        logger.notice(
            "the store was repaired",
            metadata: ["mended": "\(report.mended.count)", "remaining": "\(report.remaining.count)"])
        return report
    }

    func audit(progress: (Int) -> Void) throws -> StoreAudit {
        try transactions.recordUnseenWrites()
        var audit = StoreAudit(
            store.catalog, backing,
            .init(
                isMounted: true, isOpen: { [openFiles] in openFiles.isOpen($0) },
                isOpenForWriting: { [openFiles] in openFiles.isOpenForWriting($0) }))
        try audit.run(progress: progress)
        return audit
    }
}
