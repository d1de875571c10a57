import Catalog
import Documents
@testable import CloudSynchronization
import Replication
import TestSupport
import Testing

/// The changes that go into a commit, and their order.
struct CommitDraftTests {
    private static let device = DeviceID.random()

    private static func document(_ name: String, inode: Int64, pending: PendingChanges) -> Entry {
        let identity = DocumentIdentity(name: DocumentName(storedDisplayName: name, pathExtension: ""))
        var entry = Entry(
            parent: .cloud, location: .cloud, nature: .document(identity), filename: name,
            created: Timestamp(nanoseconds: 1), position: 1, mode: 0o644)
        entry.inode = InodeNumber(inode)
        entry.id = .random()
        entry.pending = pending
        return entry
    }

    private static func version(base: VersionID?) -> DocumentVersion {
        DocumentVersion(
            id: .random(), base: base, device: device, deviceName: "Laptop", filename: "1.txt", size: 0,
            sha256: String(repeating: "0", count: 64), modified: Timestamp(nanoseconds: 2))
    }

    /// A folder that the container does not know yet.
    private static func folder(_ name: String, inode: Int64, in parent: InodeNumber = .cloud, bundle: Int64? = nil)
        -> Entry
    {
        var entry = Entry(
            parent: parent, location: .cloud, nature: .folder(NamingContext(keepsNames: false, isScratch: false)),
            filename: name, created: Timestamp(nanoseconds: 1), position: 1, mode: 0o755)
        entry.inode = InodeNumber(inode)
        entry.id = .random()
        entry.pending = .creation
        entry.bundle = bundle
        return entry
    }

    /// - Parameter folders: the folders besides the top one, outer ones first.
    private static func draft(
        _ pending: [Entry], without waiting: Set<InodeNumber> = [], uploaded: [InodeNumber: CommitFacts.Uploaded] = [:],
        blocked: Set<Int64> = [],
        withdrawals: [Withdrawal] = [], folders: [Entry] = [], resolutions: [EntryID: Resolution] = [:],
        heirs: Set<EntryID> = [], namesakes: [InodeNumber: Set<EntryID>] = [:],
        emptied: [EntryID: [EntryID]] = [:], mostBytes: Int = CommitLimit.usual.bytes
    ) -> CommitDraft {
        var facts = CommitFacts()
        for folder in folders { facts.folders.add(folder) }
        facts.pending = Dictionary(uniqueKeysWithValues: pending.map { ($0.inode, $0) })
        (facts.blockedBundles, facts.withdrawals, facts.resolutions) = (blocked, withdrawals, resolutions)
        (facts.uploaded, facts.heirs, facts.namesakes) = (uploaded, heirs, namesakes)
        facts.emptied = emptied
        return CommitDraft(facts, without: waiting, device: device, mostBytes: mostBytes)
    }

    private static func subjects(_ draft: CommitDraft) -> [EntryID?] { draft.changes.map(\.subject) }

    @Test func `a save that was uploaded while the previous one was being committed replaces that one`() throws {
        var entry = Self.document("Plan", inode: 100, pending: .content)
        let before = VersionID.random()
        entry.contentVersion = before
        entry.revision = 5
        let uploaded = CommitFacts.Uploaded(document: .random(), revision: 5, version: Self.version(base: .random()))
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
        let stale = CommitFacts.Uploaded(document: .random(), revision: 5, version: Self.version(base: nil))
        #expect(Self.draft([entry]).isEmpty)
        #expect(Self.draft([entry], uploaded: [entry.inode: stale]).isEmpty)
        let fresh = CommitFacts.Uploaded(document: .random(), revision: 6, version: Self.version(base: nil))
        #expect(Self.draft([entry], uploaded: [entry.inode: fresh]).changes.count == 1)
    }

    /// While others have its name, the container gives it another one.
    @Test(arguments: [false, true])
    func `a new document gets its name once more after those that had it are gone`(_ isFormerReady: Bool) throws {
        var new = Self.document("Plan", inode: 100, pending: [.creation, .content])
        var former = Self.document("Plan.old", inode: 200, pending: [.creation, .content])
        (new.revision, former.revision) = (1, 1)
        let uploaded = (isFormerReady ? [new, former] : [new]).map { entry in
            (entry.inode, CommitFacts.Uploaded(document: .random(), revision: 1, version: Self.version(base: nil)))
        }
        let removed = Withdrawal(id: .random(), seen: [.random()], depth: 0, bundle: nil)
        let draft = Self.draft(
            [new, former], uploaded: Dictionary(uniqueKeysWithValues: uploaded), withdrawals: [removed],
            namesakes: [new.inode: [try #require(former.id), removed.id]])
        let once = [new.id, former.id, removed.id]
        #expect(Self.subjects(draft) == (isFormerReady ? once + [new.id] : [new.id, removed.id]))
        if isFormerReady, case .describe(_, let again) = draft.changes.last {
            var name = DescriptionChange()
            name.name = .init(displayName: "Plan", pathExtension: "", naming: new.naming)
            #expect(again == name)
        } else {
            #expect(!isFormerReady)
        }
    }

    @Test func `what is saved goes while the document waits for its name`() throws {
        var plan = Self.document("Plan", inode: 100, pending: [.content, .name, .place, .position, .mode])
        plan.revision = 1
        let uploaded = CommitFacts.Uploaded(document: .random(), revision: 1, version: Self.version(base: nil))
        let draft = Self.draft([plan], without: [plan.inode], uploaded: [plan.inode: uploaded])
        #expect(draft.sent.map(\.changes) == [PendingChanges([.content, .mode]).rawValue])
        #expect(draft.named.isEmpty && draft.placements.isEmpty)
        // In the container it is where it was.
        let folder = Withdrawal(id: .random(), seen: [], depth: 0, bundle: nil)
        let deleting = Self.draft(
            [plan], without: [plan.inode], uploaded: [plan.inode: uploaded], withdrawals: [folder],
            emptied: [folder.id: [try #require(plan.id)]])
        #expect(deleting.withdrawn.isEmpty && !deleting.sent.isEmpty)
        let all = Self.draft([plan], uploaded: [plan.inode: uploaded])
        #expect(all.sent.map(\.changes) == [plan.pending.rawValue])
        #expect(all.named == [try #require(plan.id)])
    }

    @Test func `a version that a document is still to inherit is chosen after that, and so is what was made from it`()
        throws
    {
        var heir = Self.document("Plan", inode: 100, pending: [.content])
        heir.revision = 1
        let id = try #require(heir.id)
        let inherited = VersionID.random()
        let choice = [id: Resolution(kept: inherited, discarded: [.random()])]
        let uploaded = [
            heir.inode: CommitFacts.Uploaded(
                document: .random(), revision: 1, version: Self.version(base: inherited))
        ]
        let withdrawal = Withdrawal(
            id: .random(), seen: [], depth: 0, bundle: nil, heir: id, bequest: [inherited])
        let first = Self.draft(
            [heir], uploaded: uploaded, withdrawals: [withdrawal], resolutions: choice, heirs: [id])
        #expect(Self.subjects(first) == [withdrawal.id, withdrawal.id])
        #expect(first.resolved.isEmpty && first.sent.isEmpty)
        let second = Self.draft([heir], uploaded: uploaded, resolutions: choice)
        #expect(second.resolved == choice)
        #expect(second.changes.count == 2)
    }

    @Test func `a new name is sent while the content waits`() {
        let entry = Self.document("Plan", inode: 100, pending: [.content, .name])
        let draft = Self.draft([entry])
        #expect(draft.changes.count == 1)
        #expect(draft.sent.first?.changes == PendingChanges.name.rawValue)
    }

    @Test func `no change of a bundle is sent while one of them is not ready`() {
        var entry = Self.document("Plan", inode: 100, pending: .name)
        entry.bundle = 3
        let withdrawal = Withdrawal(id: .random(), seen: [], depth: 0, bundle: 3)
        #expect(Self.draft([entry], blocked: [3], withdrawals: [withdrawal]).isEmpty)
        #expect(Self.draft([entry], blocked: [4], withdrawals: [withdrawal]).changes.count == 2)
    }

    @Test func `the entries of a folder are deleted before the folder`() {
        let outer = Withdrawal(id: .random(), seen: [], depth: 0, bundle: nil)
        let inner = Withdrawal(id: .random(), seen: [], depth: 1, bundle: nil)
        #expect(Self.draft([], withdrawals: [outer, inner]).withdrawn == [inner.id, outer.id])
    }

    // MARK: Folders that the container does not know

    @Test func `a folder is sent before its entries, whichever was made first`() {
        let inner = Self.folder("Inner", inode: 100, in: InodeNumber(300))
        let link = Self.folder("Innermost", inode: 50, in: inner.inode)
        let outer = Self.folder("Outer", inode: 300)
        let draft = Self.draft([link, inner, outer], folders: [outer, inner, link])
        #expect(Self.subjects(draft) == [outer.id, inner.id, link.id])
    }

    @Test func `the entries of a folder that the container does not know wait for it`() {
        let folder = Self.folder("Trip", inode: 100, bundle: 3)
        let inner = Self.folder("Days", inode: 101, in: folder.inode)
        var document = Self.document("Plan", inode: 102, pending: .name)
        document.parent = inner.inode
        let folders = [folder, inner]
        // The folder is part of a bundle with a change that is not ready, or is not to be sent at all.
        #expect(Self.draft([folder, inner, document], blocked: [3], folders: folders).isEmpty)
        #expect(Self.draft([document], folders: folders).isEmpty)
        let draft = Self.draft([document, inner, folder], folders: folders)
        #expect(Self.subjects(draft) == [folder.id, inner.id, document.id])
    }

    @Test func `a bundle that needs a folder of a waiting bundle waits as a whole`() {
        let folder = Self.folder("Trip", inode: 100, bundle: 3)
        let inner = Self.folder("Days", inode: 101, in: folder.inode, bundle: 4)
        let beside = Self.folder("Beside", inode: 102, bundle: 4)
        let innermost = Self.folder("Day", inode: 103, in: inner.inode, bundle: 5)
        let free = Self.folder("Free", inode: 104, bundle: 6)
        let withdrawal = Withdrawal(id: .random(), seen: [], depth: 0, bundle: 4)
        let folders = [folder, inner, beside, innermost, free]
        let waiting = Self.draft(folders, blocked: [3], withdrawals: [withdrawal], folders: folders)
        #expect(Self.subjects(waiting) == [free.id])
        #expect(waiting.withdrawn.isEmpty)
        let draft = Self.draft(folders, withdrawals: [withdrawal], folders: folders)
        #expect(Set(Self.subjects(draft)) == Set(folders.map(\.id) + [withdrawal.id]))
    }

    @Test func `what needs a folder that waits does not go, nor the bundle that it is in`() {
        let folder = Self.folder("Trip", inode: 100)
        let inner = Self.folder("Days", inode: 101, in: folder.inode, bundle: 4)
        let beside = Self.folder("Beside", inode: 102, bundle: 4)
        let free = Self.folder("Free", inode: 103, bundle: 5)
        let withdrawal = Withdrawal(id: .random(), seen: [], depth: 0, bundle: 4)
        let folders = [folder, inner, beside, free]
        let draft = Self.draft(folders, without: [folder.inode], withdrawals: [withdrawal], folders: folders)
        #expect(Self.subjects(draft) == [free.id])
        #expect(draft.withdrawn.isEmpty)
        #expect(Self.draft(folders, folders: folders).placements.map(\.id) == [folder, beside, free, inner].map(\.id))
    }

    @Test func `the entries of a folder that the container knows need not wait for it`() {
        var folder = Self.folder("Trip", inode: 100, bundle: 3)
        folder.pending = .name
        var document = Self.document("Plan", inode: 102, pending: .name)
        document.parent = folder.inode
        #expect(Self.subjects(Self.draft([folder, document], blocked: [3], folders: [folder])) == [document.id])
    }

    @Test func `very many deletions are sent in several commits, each of a size that the log accepts`() throws {
        let withdrawals = (0..<10_000).map { _ in
            Withdrawal(id: .random(), seen: [.random()], depth: 1, bundle: nil)
        }
        let draft = Self.draft([], withdrawals: withdrawals, mostBytes: 1 << 20)
        #expect(!draft.isEmpty)
        #expect(draft.withdrawn.count < withdrawals.count)
        let commit = Commit(
            id: .random(), device: Self.device, deviceName: "Laptop", time: Timestamp(nanoseconds: 1),
            changes: draft.changes)
        #expect(try commit.encoded().count < 2 << 20)
    }

    /// Otherwise the versions would be left again and again, and nothing else would go.
    @Test
    func `a document that leaves its versions to another one is deleted in the same commit, however full that is`() {
        let heir = EntryID.random()
        let leaving = Withdrawal(id: .random(), seen: [], depth: 0, bundle: nil, heir: heir, bequest: [.random()])
        let other = Withdrawal(id: .random(), seen: [.random()], depth: 0, bundle: nil)
        let draft = Self.draft([], withdrawals: [other, leaving], heirs: [heir], mostBytes: 1)
        #expect(draft.withdrawn == [leaving.id])
        #expect(draft.changes.count == 2)
    }
}
