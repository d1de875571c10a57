import Backing
import Catalog
import Documents
import SystemPackage

/// Lookup: which node a name in a folder means.
extension Tree {
    /// - Parameter purpose: called only where the answer depends on it, since finding out is costly.
    /// - Throws: ENOENT, ENOTDIR, ESTALE, or the refusal of a name that is too long or not UTF-8.
    func lookup(
        _ name: some Collection<UInt8>, in parent: InodeNumber, purpose: () -> LookupPurpose
    ) throws(Refusal) -> Resolved {
        let text = try Self.text(name)
        if VirtualName(text) != nil { try finishCloses(beforeReading: text, in: parent) }
        return try inspect { rows in
            if let found = try namespace.resolve(text, in: parent, rows) {
                if found.isUntitledAlias, isFree(text, in: found.entry.parent, for: purpose()) {
                    throw Refusal.noSuchName
                }
                return Resolved(
                    node: .entry(found.entry.inode),
                    attributes: try fileAttributes.attributes(of: found.entry, rows),
                    isCacheable: namespace.isCacheable(found, as: text, in: parent))
            }
            guard let node = try virtualNode(text, in: parent, rows), isMeant(node, for: purpose()) else {
                // Another device may have just made it.
                cloud.changesAreOfInterest()
                throw text.utf8.count > EntryName.maximumLength
                    ? Refusal.name(.tooLong) : Refusal.noSuchName
            }
            return Resolved(node: node, attributes: try virtualAttributes(of: node, rows), isCacheable: false)
        }
    }

    /// Whether a file is made anew under `Untitled.EXT`, instead of the document that this means now: a fresh one, or one that was just called so.
    private func isFree(_ alias: String, in folder: InodeNumber, for purpose: LookupPurpose) -> Bool {
        switch purpose {
        case .existing: false
        case .exclusiveCreation: true
        case .creation: identities.recentlyRemoved.knows(alias, in: folder)
        }
    }

    /// A `.state` that is looked up must say `closed` of a document that was closed before.
    private func finishCloses(beforeReading name: String, in parent: InodeNumber) throws(Refusal) {
        guard openFiles.areAnyOpen, case .state(let inode) = try inspect({ try virtualNode(name, in: parent, $0) })
        else { return }
        try states.waitForCloses(beforeStateOf: inode)
    }

    /// A call that creates a name makes a document of it, so that virtual files stand in nobody's way. But `.order`, `.undo`
    /// and `.redo` are there to be written, and shells open what they write with O_CREAT. `.location` is always there.
    private func isMeant(_ node: Node, for purpose: LookupPurpose) -> Bool {
        switch node {
        case .location, .report: true
        case .order, .actions: purpose != .exclusiveCreation
        case .entry, .state, .versions, .version, .folderInTrash, .trashed, .trashInfo: purpose == .existing
        }
    }

    func virtualAttributes(of node: Node, _ rows: Rows) throws -> FileAttributes {
        switch node {
        case .state, .entry: try states.stateAttributes(of: node, rows)
        case .order(let folder): try order.orderAttributes(of: folder, rows)
        case .location: locationAttributes
        case .versions(let folder, let inode): try versionFiles.versionFolderAttributes(folder, of: inode, rows)
        case .version(let inode): try versionFiles.versionAttributes(inode, rows)
        case .actions(let direction): try states.actionListAttributes(direction, rows)
        // It is read without a look at its size, which would cost as much as reading it.
        case .report: .virtualFile(size: 0, at: notices.stateTime)
        case .folderInTrash, .trashed, .trashInfo: throw Refusal.staleInode
        }
    }

    private var locationAttributes: FileAttributes {
        let text = LocationText.text(namespace.preferredLocation)
        var attributes = FileAttributes.virtualFile(size: text.utf8.count, at: notices.stateTime)
        attributes.mode = 0o644
        return attributes
    }

    private static func text(_ name: some Collection<UInt8>) throws(Refusal) -> String {
        guard let text = String(validating: name, as: UTF8.self) else { throw .name(.notUTF8) }
        return text
    }

    private func virtualNode(
        _ name: String, in parent: InodeNumber, _ rows: Rows
    ) throws -> Node? {
        guard parent != .root else { return nil }
        switch VirtualName(name) {
        case nil: return nil
        case .folderState: return .state(of: parent)
        case .folderOrder: return .order(of: parent)
        case .actions(let direction): return parent == .documents ? .actions(direction) : nil
        case .location: return parent == .documents ? .location : nil
        case .documentState(let document):
            guard let found = try namespace.resolve(document, in: parent, rows), found.entry.kind == .document
            else { return nil }
            return .state(of: found.entry.inode)
        case .versions(let folder, let document):
            guard let found = try namespace.resolve(document, in: parent, rows),
                try versionFiles.hasFolder(folder, found.entry, rows)
            else { return nil }
            return .versions(folder, of: found.entry.inode)
        }
    }

    /// Finds the state of a document, or of the folder itself, by its reserved name (`ReservedStateName`).
    ///
    /// - Parameters:
    ///   - document: a name of the document; empty for the folder.
    ///   - purpose: as in `lookup`.
    /// - Throws: ENOENT where there is no such document, EILSEQ when the call would create the name.
    func lookupState(
        of document: some Collection<UInt8>, in parent: InodeNumber, purpose: () -> LookupPurpose
    ) throws(Refusal) -> Resolved {
        guard purpose() == .existing, parent != .root, let name = String(validating: document, as: UTF8.self) else {
            throw .name(.notUTF8)
        }
        let inode = try inspect { rows in
            if name.isEmpty { return parent }
            guard let found = try namespace.resolve(name, in: parent, rows), found.entry.kind == .document else {
                throw Refusal.noSuchName
            }
            return found.entry.inode
        }
        try states.waitForCloses(beforeStateOf: inode)
        let node = Node.state(of: inode)
        return try inspect { rows in
            Resolved(node: node, attributes: try states.stateAttributes(of: node, rows), isCacheable: false)
        }
    }
}
