import Backing
import Catalog
import Documents
import Glibc
import Replica
import Replication
import SystemPackage

/// `F.conflicts/` and `F.versions/`: the other versions of a document as files, and the choice among them.
final class VersionFiles: Transacting {
    let transactions: Transactions
    let backing: BackingStore
    let openFiles: OpenFiles
    let transfers: Transfers
    let cloud: any ContentSource
    let namespace: Namespace
    let contents: Contents
    let fileAttributes: Attributes
    let arrivals: Arrivals
    let replicatedTree: ReplicatedTree
    let removal: Removal
    let actions: Actions
    let versionNodes = VersionNodes()

    struct NamedVersion {
        let name: String
        let version: DocumentVersion
    }

    init(
        _ transactions: Transactions, backing: BackingStore, openFiles: OpenFiles, transfers: Transfers,
        cloud: any ContentSource, namespace: Namespace, contents: Contents, fileAttributes: Attributes,
        arrivals: Arrivals, replicatedTree: ReplicatedTree, removal: Removal, actions: Actions
    ) {
        self.transactions = transactions
        self.backing = backing
        self.openFiles = openFiles
        self.transfers = transfers
        self.cloud = cloud
        self.namespace = namespace
        self.contents = contents
        self.fileAttributes = fileAttributes
        self.arrivals = arrivals
        self.replicatedTree = replicatedTree
        self.removal = removal
        self.actions = actions
    }

    /// Whether a document has such a folder. Local documents have neither.
    func hasFolder(_ folder: VersionFolder, _ entry: Entry, _ rows: Rows) throws -> Bool {
        guard entry.kind == .document, entry.isReplicated, let id = entry.id else { return false }
        switch folder {
        case .conflicts: return entry.conflicts > 0 || versionNodes.wasJustEmptied(id, now: surroundings.now())
        case .history: return true
        }
    }

    /// The document behind such a folder.
    ///
    /// - Throws: ESTALE when it is gone.
    func document(with folder: VersionFolder, _ inode: InodeNumber, _ rows: Rows) throws -> Entry {
        guard let entry = try rows.entry(inode), try hasFolder(folder, entry, rows) else {
            throw Refusal.staleInode
        }
        return entry
    }

    /// The versions in such a folder, the latest first.
    func versions(in folder: VersionFolder, of entry: Entry, _ rows: Rows) throws -> [NamedVersion] {
        let now = surroundings.now()
        guard let id = entry.id, let versions = try CatalogReplica(rows).visibleEntry(id, at: now)?.versions
        else { return [] }
        switch folder {
        case .conflicts: return named(versions.conflicts, entry)
        case .history: return named(try kept(versions.superseded.map(\.version), of: id, rows).reversed(), entry)
        }
    }

    /// The versions whose content the container still has, as far as this device knows. No device's clock decides that (`Retention`).
    private func kept(
        _ versions: [DocumentVersion], of id: EntryID, _ rows: Rows
    ) throws -> [DocumentVersion] {
        // A version that was replaced by a choice made here is a head still, until the choice is sent.
        let leaves = Set(try CatalogReplica(rows).entry(id)?.versions?.leaves.map(\.id) ?? [])
        return try versions.filter { try leaves.contains($0.id) || rows.isDeparted($0.id) }
    }

    private func named(_ versions: [DocumentVersion], _ entry: Entry) -> [NamedVersion] {
        var uses: [String: Int] = [:]
        return versions.map { version in
            func name(_ number: Int) -> String {
                VersionName.make(
                    device: version.deviceName, time: surroundings.localTime(version.modified), number: number,
                    pathExtension: entry.name?.pathExtension ?? "")
            }
            uses[name(1), default: 0] += 1
            return NamedVersion(name: name(uses[name(1)] ?? 1), version: version)
        }
    }

    func version(
        _ name: some Collection<UInt8>, in folder: VersionFolder, of entry: Entry, _ rows: Rows
    ) throws -> DocumentVersion {
        let found = try versions(in: folder, of: entry, rows).first { $0.name.utf8.elementsEqual(name) }
        guard let found else { throw Refusal.noSuchName }
        return found.version
    }

    func lookup(
        _ name: some Collection<UInt8>, in folder: VersionFolder, of inode: InodeNumber
    ) throws(Refusal) -> Resolved {
        try inspect { rows in
            let entry = try document(with: folder, inode, rows)
            let version = try version(name, in: folder, of: entry, rows)
            guard let id = entry.id else { throw Refusal.staleInode }
            return Resolved(
                node: .version(versionNodes.number(of: version.id, in: id)),
                attributes: .version(version, of: try fileAttributes.attributes(of: entry, rows)),
                isCacheable: false)
        }
    }

    func list(_ folder: VersionFolder, of inode: InodeNumber) throws(Refusal) -> [ListedName] {
        try inspect { rows in
            let entry = try document(with: folder, inode, rows)
            guard let id = entry.id else { return [] }
            return try versions(in: folder, of: entry, rows).map { found in
                ListedName(
                    name: found.name, node: .version(versionNodes.number(of: found.version.id, in: id)),
                    kind: .document, filename: nil, isCacheable: false)
            }
        }
    }

    func versionFolderAttributes(
        _ folder: VersionFolder, of inode: InodeNumber, _ rows: Rows
    ) throws -> FileAttributes {
        let entry = try document(with: folder, inode, rows)
        var attributes = try fileAttributes.attributes(of: entry, rows)
        attributes.type = .folder
        attributes.mode = folder.mode(ofDocumentWith: attributes.mode)
        attributes.links = 2
        attributes.size = 0
        attributes.blocks = 0
        return attributes
    }

    func versionAttributes(_ inode: InodeNumber, _ rows: Rows) throws -> FileAttributes {
        let (version, id) = try describedVersion(inode, rows)
        guard let entry = try rows.entry(id) else { throw Refusal.staleInode }
        return .version(version, of: try fileAttributes.attributes(of: entry, rows))
    }

    func describedVersion(
        _ inode: InodeNumber, _ rows: Rows
    ) throws -> (version: DocumentVersion, id: EntryID) {
        guard let node = versionNodes[inode],
            let versions = try CatalogReplica(rows).visibleEntry(node.document, at: surroundings.now())?.versions,
            let version = versions.all.first(where: { $0.id == node.version })
        else { throw Refusal.staleInode }
        return (version, node.document)
    }
}

extension FileAttributes {
    /// As private as the document: its owner and its mode without write permission (`Semantics`, "Versions").
    fileprivate static func version(_ version: DocumentVersion, of document: FileAttributes) -> FileAttributes {
        FileAttributes(
            type: .file, mode: document.mode & 0o444, size: version.size, blocks: 0, links: 1, owner: document.owner,
            group: document.group, accessed: version.modified, modified: version.modified, changed: version.modified)
    }
}

extension VersionFolder {
    /// Users who may read the document may look into its folders. Users who may write it, and always its owner, may choose among conflict
    /// versions.
    fileprivate func mode(ofDocumentWith mode: UInt16) -> UInt16 {
        let readable = mode & 0o444
        let looking = readable | readable >> 2
        switch self {
        case .conflicts: return 0o700 | looking | mode & 0o022
        case .history: return 0o500 | looking
        }
    }
}
