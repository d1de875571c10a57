import Library
import Catalog
import Documents
import FoundationEssentials
import Replication

/// Makes a commit of what is pending and ready: a pure function of the catalog's rows and of the
/// contents that are uploaded already.
struct CommitDraft {
    /// A content that the store has, and the revision of the entry that it was taken at.
    struct Uploaded: Sendable {
        var revision: Int64
        var version: DocumentVersion
    }

    private(set) var changes: [Change] = []
    private(set) var sent: [OutgoingCommit.Sent] = []
    private(set) var withdrawn: [EntryID] = []
    let resolved: [EntryID: Resolution]
    /// Of the changes, about.
    private var bytes = 0

    /// A commit that has so much takes no more, but for what its steps need. Extended attributes, which can be large, wait for the
    /// next one then. Far below what a log entry may have (`ReplicatedLog.largestEntry`).
    static let mostBytes = 16 << 20

    /// - Parameters:
    ///   - pending: the entries to send, as far as their contents are uploaded.
    ///   - blockedSteps: those of which something is not ready: a step is sent as one (PRODUCT 4).
    ///   - parents: the id of each pending entry's folder, by inode of the folder.
    ///   - depths: how deep each folder lies, so that a folder is created before what is in it.
    ///   - unknownFolders: the folders that the container does not know yet.
    ///   - heirs: the documents with something to inherit that the container knows.
    ///   - emptied: of folders that go, what the container still has in them and this device has put elsewhere or removed.
    init(
        pending: [Entry], blockedSteps: Set<Int64>, withdrawals: [Withdrawal],
        resolutions: [EntryID: Resolution] = [:], uploaded: [InodeNumber: Uploaded], parents: [InodeNumber: EntryID],
        depths: [InodeNumber: Int], unknownFolders: Set<InodeNumber> = [], heirs: Set<EntryID> = [],
        emptied: [EntryID: [EntryID]] = [:], device: DeviceID
    ) {
        // First: an edit that follows was made of the version that was chosen.
        resolved = resolutions
        for (id, resolution) in resolutions.sorted(by: { $0.key < $1.key }) { changes.append(.resolve(id, resolution)) }
        let isReady: (Entry) -> Bool = { entry in
            !entry.needsUpload || uploaded[entry.inode]?.revision == entry.revision
        }
        let outerFirst = pending.sorted { (depths[$0.parent] ?? 0, $0.inode) < (depths[$1.parent] ?? 0, $1.inode) }
        let blockedSteps = Self.closed(blockedSteps, outerFirst, unknownFolders)
        let isFree: (Int64?) -> Bool = { step in step.map { !blockedSteps.contains($0) } ?? true }
        let leaving = withdrawals.filter { isFree($0.step) }
        var unknownFolders = unknownFolders
        for entry in outerFirst where isFree(entry.step) && !unknownFolders.contains(entry.parent) {
            if bytes >= Self.mostBytes, entry.step == nil { continue }
            unknownFolders.remove(entry.inode)
            guard let parent = parents[entry.parent] else { continue }
            var content = isReady(entry) ? uploaded[entry.inode]?.version : nil
            // While it was uploaded, the save before it may have been committed: that is its base now.
            content?.base = entry.contentVersion
            add(entry, parent: parent, content: content, device)
        }
        // Who inherits must be there: else the versions would be nobody's.
        var told = Set(sent.map(\.id))
        let isHeirThere = { [told] (heir: EntryID) in heirs.contains(heir) || told.contains(heir) }
        let ready = leaving.filter { $0.heir.map(isHeirThere) ?? true }
        for withdrawal in ready {
            if let heir = withdrawal.heir {
                changes.append(.bequeath(withdrawal.id, to: heir, versions: withdrawal.bequest))
            }
        }
        // Deepest first: what was moved out of a folder is out by now, and the folder is empty. One that is not yet stays until what
        // is in it can be told as well: nobody would ask again.
        for withdrawal in ready.sorted(by: { $0.depth > $1.depth }) where bytes < Self.mostBytes {
            if let inner = emptied[withdrawal.id], !told.isSuperset(of: inner) { continue }
            changes.append(.delete(withdrawal.id, seen: withdrawal.seen))
            withdrawn.append(withdrawal.id)
            told.insert(withdrawal.id)
            bytes += Self.bytesOfDeletion + Self.bytesOfVersion * (withdrawal.seen.count + withdrawal.bequest.count)
        }
    }

    var isEmpty: Bool { changes.isEmpty }

    /// A step that needs a folder which another step creates waits for that step, too.
    private static func closed(
        _ blockedSteps: Set<Int64>, _ outerFirst: [Entry], _ unknownFolders: Set<InodeNumber>
    ) -> Set<Int64> {
        var blocked = blockedSteps
        while true {
            var missing = unknownFolders
            for entry in outerFirst where !missing.contains(entry.parent) {
                if entry.step.map({ !blocked.contains($0) }) ?? true { missing.remove(entry.inode) }
            }
            let waiting = Set(outerFirst.filter { missing.contains($0.parent) }.compactMap(\.step))
            if waiting.isSubset(of: blocked) { return blocked }
            blocked.formUnion(waiting)
        }
    }

    private mutating func add(_ entry: Entry, parent: EntryID, content: DocumentVersion?, _ device: DeviceID) {
        guard let id = entry.id else { return }
        if entry.pending.contains(.creation) {
            guard var replica = entry.replica(id: id, parent: parent, version: content, device) else { return }
            let postpones = mustPostpone(replica.description.attributes)
            if postpones { replica.description.attributes = nil }
            note(replica.description.attributes)
            changes.append(.create(replica))
            sent.append(
                .init(
                    id: id, revision: entry.revision, changes: entry.pending.rawValue, version: content?.id,
                    postponesAttributes: postpones))
            return
        }
        var carried = entry.pending.subtracting(.content)
        if carried.contains(.attributes), mustPostpone(entry.attributes.map { Data($0) }) {
            carried.remove(.attributes)
        }
        if let content, entry.pending.contains(.content) {
            changes.append(.save(id, content))
            carried.insert(.content)
        }
        let description = entry.description(of: carried, parent: parent)
        if !description.isEmpty { changes.append(.describe(id, description)) }
        guard !carried.isEmpty else { return }
        note(description.attributes?.json)
        sent.append(
            .init(
                id: id, revision: entry.revision, changes: carried.rawValue,
                version: carried.contains(.content) ? content?.id : nil))
    }
}

extension CommitDraft {
    /// What an entry takes besides its attributes, about.
    private static let bytesOfEntry = 1000
    private static let bytesOfDeletion = 200
    private static let bytesOfVersion = 40

    /// Whether attributes must wait for the next commit.
    private func mustPostpone(_ attributes: Data?) -> Bool {
        guard let attributes, attributes.count > Self.bytesOfEntry else { return false }
        return bytes > 0 && bytes + Self.encodedLength(attributes) > Self.mostBytes
    }

    private mutating func note(_ attributes: Data?) {
        bytes += Self.bytesOfEntry + (attributes.map(Self.encodedLength) ?? 0)
    }

    /// As Base64.
    private static func encodedLength(_ data: Data) -> Int { data.count / 3 * 4 }
}

extension Entry {
    /// Whether the container must get its content before a commit can name it.
    var needsUpload: Bool { kind == .document && pending.contains(.content) }

    /// The whole entry as the container is to know it; nil for a document without its content.
    fileprivate func replica(
        id: EntryID, parent: EntryID, version: DocumentVersion?, _ device: DeviceID
    ) -> ReplicaEntry? {
        let content: ReplicaContent
        switch kind {
        case .folder: content = .folder
        case .symbolicLink: content = .symbolicLink(target: Data(target ?? []))
        case .document:
            guard let version else { return nil }
            content = .document(versions: VersionHistory(first: version))
        case .scratch: return nil
        }
        let description = EntryDescription(
            parent: parent, filename: filename, displayName: name?.displayName,
            pathExtension: name?.pathExtension, naming: name == nil ? nil : naming,
            hasGeneratedFilename: hasGeneratedFilename, position: position, mode: mode, modified: modified,
            attributes: attributes.map { Data($0) })
        return ReplicaEntry(id: id, description: description, content: content, created: created, creator: device)
    }

    fileprivate func description(of changes: PendingChanges, parent: EntryID) -> DescriptionChange {
        var description = DescriptionChange()
        if changes.contains(.place) {
            description.place = .init(parent: parent, filename: filename, hasGeneratedFilename: hasGeneratedFilename)
        }
        if changes.contains(.name), let name {
            description.name = .init(displayName: name.displayName, pathExtension: name.pathExtension, naming: naming)
        }
        if changes.contains(.position) { description.position = position }
        if changes.contains(.mode) { description.mode = mode }
        if changes.contains(.modified) { description.modified = modified }
        if changes.contains(.attributes) { description.attributes = .init(json: attributes.map { Data($0) }) }
        return description
    }
}
