import Catalog
import Documents
import FoundationEssentials
import Replication

/// Decides which pending changes go into the next commit, and in which order: a pure function of rows and of the contents that are
/// uploaded already.
struct CommitDraft {
    private(set) var changes: [Change] = []
    private(set) var sent: [OutgoingCommit.Sent] = []
    private(set) var withdrawn: [EntryID] = []
    private(set) var resolved: [EntryID: Resolution]
    /// The entries that are created, moved, or get another filename, in the order of the changes, and the folder that each lies in then.
    private(set) var placements: [(id: EntryID, folder: EntryID)] = []
    /// The entries that are created, moved or get another name.
    private(set) var named: Set<EntryID> = []
    private let kept: [EntryID: VersionHistory]
    /// Choices among the versions of documents that must be created anew first.
    private let laterChoices: [EntryID: Resolution]
    /// Bytes of the changes, approximately.
    private var bytes = 0

    private let mostBytes: Int

    /// - Parameters:
    ///   - waiting: the entries that are not created, moved or named now, and neither is what needs them. What is saved goes.
    ///   - mostBytes: as `CommitLimit.bytes`.
    init(_ facts: CommitFacts, without waiting: Set<InodeNumber> = [], device: DeviceID, mostBytes: Int) {
        self.mostBytes = mostBytes
        kept = facts.kept
        // First, because a later edit was made to the version that was chosen. A version that the document is still to inherit can be chosen
        // when it has inherited it.
        let inheriting = Set(facts.withdrawals.compactMap(\.heir))
        let possible = facts.resolutions.filter { !inheriting.contains($0.key) }
        laterChoices = possible.filter { facts.revived.contains($0.key) }
        resolved = possible.filter { !facts.revived.contains($0.key) }
        for (id, resolution) in resolved.sorted(by: { $0.key < $1.key }) { append(.resolve(id, resolution)) }
        let outerFirst = Self.inOrder(facts)
        let waitingBundles = Self.waitingBundles(facts, outerFirst, waiting)
        let isFree: (Int64?) -> Bool = { bundle in bundle.map { !waitingBundles.contains($0) } ?? true }
        var unknownFolders = Set(facts.folders.unknown.keys)
        for entry in outerFirst where isFree(entry.bundle) && (bytes < mostBytes || entry.bundle != nil) {
            let waits = waiting.contains(entry.inode) || unknownFolders.contains(entry.parent)
            if waits && entry.pending.contains(.creation) { continue }
            unknownFolders.remove(entry.inode)
            guard let parent = facts.folders.ids[entry.parent] else { continue }
            add(entry, parent: parent, Self.content(of: entry, facts, inheriting), waits: waits, facts, device)
        }
        addDeletions(facts.withdrawals.filter { isFree($0.bundle) }, facts)
        nameAgain(outerFirst, facts)
    }

    /// What a folder needs comes after it.
    private static func inOrder(_ facts: CommitFacts) -> [Entry] {
        let order: (Entry) -> (Int, InodeNumber) = { (facts.folders.depths[$0.parent] ?? 0, $0.inode) }
        return facts.pending.values.sorted { order($0) < order($1) }
    }

    /// - Parameter inheriting: the documents that inherit versions in this commit.
    /// - Returns: the content that can go; nil if there is none.
    private static func content(
        of entry: Entry, _ facts: CommitFacts, _ inheriting: Set<EntryID>
    ) -> DocumentVersion? {
        guard facts.isReady(entry), let id = entry.id, var content = facts.uploaded[entry.inode]?.version else {
            return nil
        }
        let waitsForChoice =
            entry.bundle == nil && !entry.pending.contains(.creation) && inheriting.contains(id)
            && facts.resolutions[id] != nil
        if waitsForChoice { return nil }
        // During the upload, the save before it may have been committed. That one is its base now.
        content.base = entry.contentVersion
        return content
    }

    private mutating func addDeletions(_ withdrawals: [Withdrawal], _ facts: CommitFacts) {
        // A document that inherits versions must be in the container. Otherwise the versions would belong to no document.
        let included = Set(sent.map(\.id))
        let isHeirKnown = { (heir: EntryID) in facts.heirs.contains(heir) || included.contains(heir) }
        let ready = withdrawals.filter { $0.heir.map(isHeirKnown) ?? true }
        for withdrawal in ready {
            if let heir = withdrawal.heir {
                append(.bequeath(withdrawal.id, to: heir, versions: withdrawal.bequest))
            }
        }
        // Deepest first: at this point of the commit, entries that were moved out of a folder are out, and the folder is empty. The
        // deletion of a folder that is not empty waits until this device can send what became of the entries in it: other devices would
        // keep such a folder, and its deletion is sent only once. A document whose versions another one gets is deleted in the same commit: its
        // bequest would go again and again.
        var gone = named
        for withdrawal in ready.sorted(by: { $0.depth > $1.depth }) where bytes < mostBytes || withdrawal.heir != nil {
            if let inner = facts.emptied[withdrawal.id], !gone.isSuperset(of: inner) { continue }
            append(.delete(withdrawal.id, seen: withdrawal.seen))
            withdrawn.append(withdrawal.id)
            gone.insert(withdrawal.id)
        }
    }

    /// A document that is created while others have its display name gets another one (`apply`). Where all of these leave the name in this commit,
    /// some of them after the creation, it gets the name once more.
    private mutating func nameAgain(_ entries: [Entry], _ facts: CommitFacts) {
        let gone = named.union(withdrawn)
        for entry in entries where entry.pending.contains(.creation) {
            guard let id = entry.id, named.contains(id), let namesakes = facts.namesakes[entry.inode],
                namesakes.isSubset(of: gone)
            else { continue }
            append(.describe(id, entry.description(of: .name, parent: .cloudRoot)))
        }
    }

    var isEmpty: Bool { changes.isEmpty }

    private mutating func append(_ change: Change) {
        changes.append(change)
        bytes += change.approximateLength
    }

    /// The blocked bundles, those of which an entry waits, and all bundles that need a folder which does not go with these.
    private static func waitingBundles(
        _ facts: CommitFacts, _ outerFirst: [Entry], _ waiting: Set<InodeNumber>
    ) -> Set<Int64> {
        var blocked = facts.blockedBundles
        blocked.formUnion(outerFirst.filter { waiting.contains($0.inode) }.compactMap(\.bundle))
        while true {
            var missing = Set(facts.folders.unknown.keys)
            for entry in outerFirst where !missing.contains(entry.parent) && !waiting.contains(entry.inode) {
                if entry.bundle.map({ !blocked.contains($0) }) ?? true { missing.remove(entry.inode) }
            }
            let needing = Set(outerFirst.filter { missing.contains($0.parent) }.compactMap(\.bundle))
            if needing.isSubset(of: blocked) { return blocked }
            blocked.formUnion(needing)
        }
    }

    private mutating func add(
        _ entry: Entry, parent: EntryID, _ content: DocumentVersion?, waits: Bool, _ facts: CommitFacts,
        _ device: DeviceID
    ) {
        guard let id = entry.id else { return }
        // The document has a newer content, which remains to be sent.
        let isOvertaken = facts.uploaded[entry.inode]?.isOvertaken == true
        if entry.pending.contains(.creation) {
            let versions = content.map(VersionHistory.init(first:)) ?? kept[id]
            guard var replica = entry.replica(id: id, parent: parent, versions: versions, device) else { return }
            // As `apply` does with a save. The row may have the time of a version that the content hides, or of a save before it.
            if let content, !entry.pending.contains(.modified) { replica.description.modified = content.modified }
            let postpones = mustPostpone(replica.description.attributes)
            if postpones { replica.description.attributes = nil }
            append(.create(replica))
            placements.append((id, parent))
            named.insert(id)
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
        var carried = entry.pending.subtracting(waits ? [.content, .name, .place, .position] : .content)
        if carried.contains(.attributes), mustPostpone(entry.attributes.map { Data($0) }) {
            carried.remove(.attributes)
        }
        if let content, entry.pending.contains(.content) {
            append(.save(id, content))
            carried.insert(.content)
        }
        let description = entry.description(of: carried, parent: parent)
        if !description.isEmpty { append(.describe(id, description)) }
        if description.place != nil { placements.append((id, parent)) }
        if description.place != nil || description.name != nil { named.insert(id) }
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
