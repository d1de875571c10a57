import Catalog
import Documents
@testable import Library
import Replication
import Testing

/// What goes into a commit, and in which order.
struct CommitDraftTests {
    private static let device = DeviceID.random()

    private static func document(_ name: String, inode: Int64, pending: PendingChanges) -> Entry {
        var entry = Entry(
            parent: .cloud, container: .cloud, kind: .document, filename: name,
            created: Timestamp(nanoseconds: 1), position: 1, mode: 0o644)
        entry.inode = InodeNumber(inode)
        entry.id = .random()
        entry.name = DocumentName(storedDisplayName: name, pathExtension: "")
        entry.pending = pending
        return entry
    }

    private static func version(base: VersionID?) -> DocumentVersion {
        DocumentVersion(
            id: .random(), base: base, device: device, deviceName: "Laptop", filename: "1.txt", size: 0,
            sha256: String(repeating: "0", count: 64), modified: Timestamp(nanoseconds: 2))
    }

    private static func draft(
        _ pending: [Entry], uploaded: [InodeNumber: CommitDraft.Uploaded] = [:], blocked: Set<Int64> = [],
        withdrawals: [Withdrawal] = []
    ) -> CommitDraft {
        CommitDraft(
            pending: pending, blockedSteps: blocked, withdrawals: withdrawals, uploaded: uploaded,
            parents: [.cloud: .cloudRoot], depths: [.cloud: 0], device: device)
    }

    @Test func `a save that was uploaded while the one before was being committed succeeds that one`() throws {
        var entry = Self.document("Plan", inode: 100, pending: .content)
        let before = VersionID.random()
        entry.contentVersion = before
        entry.revision = 5
        let uploaded = CommitDraft.Uploaded(revision: 5, version: Self.version(base: .random()))
        let draft = Self.draft([entry], uploaded: [entry.inode: uploaded])
        guard case .save(_, let version) = try #require(draft.changes.first) else {
            Issue.record("the commit carries no save")
            return
        }
        #expect(version.base == before)
    }

    @Test func `a document is not created before its content is uploaded at its latest revision`() {
        var entry = Self.document("Plan", inode: 100, pending: [.creation, .content])
        entry.revision = 6
        let stale = CommitDraft.Uploaded(revision: 5, version: Self.version(base: nil))
        #expect(Self.draft([entry]).isEmpty)
        #expect(Self.draft([entry], uploaded: [entry.inode: stale]).isEmpty)
        let fresh = CommitDraft.Uploaded(revision: 6, version: Self.version(base: nil))
        #expect(Self.draft([entry], uploaded: [entry.inode: fresh]).changes.count == 1)
    }

    @Test func `a new name goes out while the content waits`() {
        let entry = Self.document("Plan", inode: 100, pending: [.content, .name])
        let draft = Self.draft([entry])
        #expect(draft.changes.count == 1)
        #expect(draft.sent.first?.changes == PendingChanges.name.rawValue)
    }

    @Test func `nothing of a step goes out while some of it is not ready`() {
        var entry = Self.document("Plan", inode: 100, pending: .name)
        entry.step = 3
        let withdrawal = Withdrawal(id: .random(), seen: [], depth: 0, step: 3)
        #expect(Self.draft([entry], blocked: [3], withdrawals: [withdrawal]).isEmpty)
        #expect(Self.draft([entry], blocked: [4], withdrawals: [withdrawal]).changes.count == 2)
    }

    @Test func `what lies in a folder is deleted before the folder`() {
        let outer = Withdrawal(id: .random(), seen: [], depth: 0, step: nil)
        let inner = Withdrawal(id: .random(), seen: [], depth: 1, step: nil)
        #expect(Self.draft([], withdrawals: [outer, inner]).withdrawn == [inner.id, outer.id])
    }
}
