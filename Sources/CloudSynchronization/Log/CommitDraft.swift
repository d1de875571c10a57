import Catalog
import Documents
import FoundationEssentials
import Replication

/// Decides which pending changes go into the next commit, and in which order: a pure function of rows and of the contents that are
/// uploaded already.
struct CommitDraft {
    /// A content that is in the object store, and the revision of the entry when it was read.
    struct Uploaded: Sendable {
        /// Of a content that was copied before it was sent, and whose document has changed since. It is sent nevertheless: a document that is
        /// saved again and again would never be.
        static let overtaken: Int64 = -1

        var document: EntryID
        var revision: Int64
        var version: DocumentVersion

        var isOvertaken: Bool { revision == Self.overtaken }

        func goes(with entry: Entry) -> Bool { isOvertaken || revision == entry.revision }
    }

    private(set) var changes: [Change] = []
    private(set) var sent: [OutgoingCommit.Sent] = []
    private(set) var withdrawn: [EntryID] = []
    private(set) var resolved: [EntryID: Resolution]
    private let kept: [EntryID: VersionHistory]
    /// Choices among the versions of documents that must be created anew first.
    private let laterChoices: [EntryID: Resolution]
    /// Bytes of the changes, approximately.
    private var bytes = 0

    private let mostBytes: Int

    /// - Parameters:
    ///   - pending: the entries to send, as far as their contents are uploaded.
    ///   - blockedBundles: the bundles of which a part is not ready. All changes of a bundle go into one commit.
    ///   - parents: the id of each pending entry's folder, by inode of the folder.
    ///   - depths: how deep each folder lies. A folder is created before the entries in it.
    ///   - unknownFolders: the folders that the container does not know yet.
    ///   - heirs: of the documents that inherit versions, those that the container knows.
    ///   - kept: the versions that the container has of deleted documents that are back here with the content that they had.
    ///   - revived: the deleted documents that are back here.
    ///   - known: of the entries whose creation is pending, those that the container has: they may free a name there.
    ///   - emptied: for each deleted folder, the entries that the container still has in it and this device has moved elsewhere or
    ///     deleted.
    ///   - mostBytes: as `CommitLimit.bytes`.
    init(
        pending: [Entry], blockedBundles: Set<Int64>, withdrawals: [Withdrawal],
        resolutions: [EntryID: Resolution] = [:], uploaded: [InodeNumber: Uploaded], parents: [InodeNumber: EntryID],
        depths: [InodeNumber: Int], unknownFolders: Set<InodeNumber> = [], heirs: Set<EntryID> = [],
        kept: [EntryID: VersionHistory] = [:], revived: Set<EntryID> = [], known: Set<EntryID> = [],
        emptied: [EntryID: [EntryID]] = [:],
        device: DeviceID, mostBytes: Int
    ) {
        self.mostBytes = mostBytes
        self.kept = kept
        // First, because a later edit was made to the version that was chosen. A version that the document is still to inherit can be chosen
        // when it has inherited it.
        let inheriting = Set(withdrawals.compactMap(\.heir))
        let possible = resolutions.filter { !inheriting.contains($0.key) }
        laterChoices = possible.filter { revived.contains($0.key) }
        resolved = possible.filter { !revived.contains($0.key) }
        for (id, resolution) in resolved.sorted(by: { $0.key < $1.key }) { append(.resolve(id, resolution)) }
        let isReady: (Entry) -> Bool = { entry in
            !entry.needsUpload || uploaded[entry.inode]?.goes(with: entry) == true
        }
        let waitsForChoice: (Entry) -> Bool = { entry in
            guard let id = entry.id, entry.bundle == nil, !entry.pending.contains(.creation) else { return false }
            return inheriting.contains(id) && resolutions[id] != nil
        }
        // What a folder needs comes after it. New documents come last: renames free the names that they are to get.
        let order: (Entry) -> (Int, Int, InodeNumber) = { entry in
            let isKnown = entry.id.map(known.contains) ?? false
            let isNew = entry.kind != .folder && entry.pending.contains(.creation) && !isKnown
            return (isNew ? 1 : 0, depths[entry.parent] ?? 0, entry.inode)
        }
        let outerFirst = pending.sorted { order($0) < order($1) }
        let blockedBundles = Self.withDependents(blockedBundles, outerFirst, unknownFolders)
        let isFree: (Int64?) -> Bool = { bundle in bundle.map { !blockedBundles.contains($0) } ?? true }
        let leaving = withdrawals.filter { isFree($0.bundle) }
        var unknownFolders = unknownFolders
        for entry in outerFirst where isFree(entry.bundle) && !unknownFolders.contains(entry.parent) {
            if bytes >= mostBytes, entry.bundle == nil { continue }
            unknownFolders.remove(entry.inode)
            guard let parent = parents[entry.parent] else { continue }
            var content = isReady(entry) ? uploaded[entry.inode]?.version : nil
            if waitsForChoice(entry) { content = nil }
            // During the upload, the save before it may have been committed. That one is its base now.
            content?.base = entry.contentVersion
            add(
                entry, parent: parent, content: content, isOvertaken: uploaded[entry.inode]?.isOvertaken == true, device
            )
        }
        // A document that inherits versions must be in the container. Otherwise the versions would belong to no document.
        var included = Set(sent.map(\.id))
        let isHeirKnown = { [included] (heir: EntryID) in heirs.contains(heir) || included.contains(heir) }
        let ready = leaving.filter { $0.heir.map(isHeirKnown) ?? true }
        for withdrawal in ready {
            if let heir = withdrawal.heir {
                append(.bequeath(withdrawal.id, to: heir, versions: withdrawal.bequest))
            }
        }
        // Deepest first: at this point of the commit, entries that were moved out of a folder are out, and the folder is empty. The
        // deletion of a folder that is not empty waits until this device can send what became of the entries in it: other devices would
        // keep such a folder, and its deletion is sent only once. A document whose versions another one gets is deleted in the same commit: its
        // bequest would go again and again.
        for withdrawal in ready.sorted(by: { $0.depth > $1.depth }) where bytes < mostBytes || withdrawal.heir != nil {
            if let inner = emptied[withdrawal.id], !included.isSuperset(of: inner) { continue }
            append(.delete(withdrawal.id, seen: withdrawal.seen))
            withdrawn.append(withdrawal.id)
            included.insert(withdrawal.id)
        }
    }

    var isEmpty: Bool { changes.isEmpty }

    private mutating func append(_ change: Change) {
        changes.append(change)
        bytes += change.approximateLength
    }

    /// The blocked bundles, and all bundles that need a folder which a blocked bundle creates.
    private static func withDependents(
        _ blockedBundles: Set<Int64>, _ outerFirst: [Entry], _ unknownFolders: Set<InodeNumber>
    ) -> Set<Int64> {
        var blocked = blockedBundles
        while true {
            var missing = unknownFolders
            for entry in outerFirst where !missing.contains(entry.parent) {
                if entry.bundle.map({ !blocked.contains($0) }) ?? true { missing.remove(entry.inode) }
            }
            let waiting = Set(outerFirst.filter { missing.contains($0.parent) }.compactMap(\.bundle))
            if waiting.isSubset(of: blocked) { return blocked }
            blocked.formUnion(waiting)
        }
    }

    /// - Parameter isOvertaken: whether the document has a newer content, which remains to be sent.
    private mutating func add(
        _ entry: Entry, parent: EntryID, content: DocumentVersion?, isOvertaken: Bool, _ device: DeviceID
    ) {
        guard let id = entry.id else { return }
        if entry.pending.contains(.creation) {
            let versions = content.map(VersionHistory.init(first:)) ?? kept[id]
            guard var replica = entry.replica(id: id, parent: parent, versions: versions, device) else { return }
            // As `apply` does with a save. The row may have the time of a version that the content hides, or of a save before it.
            if let content, !entry.pending.contains(.modified) { replica.description.modified = content.modified }
            let postpones = mustPostpone(replica.description.attributes)
            if postpones { replica.description.attributes = nil }
            append(.create(replica))
            if let choice = laterChoices[id] {
                append(.resolve(id, choice))
                resolved[id] = choice
            }
            sent.append(
                .init(
                    id: id, revision: entry.revision,
                    changes: entry.pending.subtracting(isOvertaken ? .content : []).rawValue, version: content?.id,
                    postponesAttributes: postpones))
            return
        }
        var carried = entry.pending.subtracting(.content)
        if carried.contains(.attributes), mustPostpone(entry.attributes.map { Data($0) }) {
            carried.remove(.attributes)
        }
        if let content, entry.pending.contains(.content) {
            append(.save(id, content))
            carried.insert(.content)
        }
        let description = entry.description(of: carried, parent: parent)
        if !description.isEmpty { append(.describe(id, description)) }
        guard !carried.isEmpty else { return }
        sent.append(
            .init(
                id: id, revision: entry.revision,
                changes: carried.subtracting(isOvertaken ? .content : []).rawValue,
                version: carried.contains(.content) ? content?.id : nil))
    }

    /// Whether extended attributes must wait for the next commit.
    private func mustPostpone(_ attributes: Data?) -> Bool {
        guard let attributes, attributes.count > Change.entryLength else { return false }
        return bytes > 0 && bytes + Change.encodedLength(attributes) > mostBytes
    }
}

extension Entry {
    /// Whether its content must be uploaded before a commit can name it.
    var needsUpload: Bool { kind == .document && pending.contains(.content) }

    /// The whole entry for the container; nil for a document whose content is not uploaded.
    fileprivate func replica(
        id: EntryID, parent: EntryID, versions: VersionHistory?, _ device: DeviceID
    ) -> ReplicaEntry? {
        let content: ReplicaContent
        switch kind {
        case .folder: content = .folder
        case .symbolicLink: content = .symbolicLink(target: Data(target ?? []))
        case .document:
            guard let versions else { return nil }
            content = .document(versions: versions)
        case .scratch: return nil
        }
        let description = EntryDescription(
            parent: parent, filename: filename, displayName: name?.displayName,
            pathExtension: name?.pathExtension, naming: name == nil ? nil : naming,
            hasGeneratedFilename: hasGeneratedFilename, position: .key(position), mode: mode, modified: modified,
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
        if changes.contains(.position) { description.position = .key(position) }
        if changes.contains(.mode) { description.mode = mode }
        if changes.contains(.modified) { description.modified = modified }
        if changes.contains(.attributes) { description.attributes = .init(json: attributes.map { Data($0) }) }
        return description
    }
}
