import Backing
import Catalog
import Documents
import SystemPackage

/// The virtual `.state` files.
final class States: Transacting {
    let transactions: Transactions
    let device: Device
    let openFiles: OpenFiles
    let transfers: Transfers
    let cloud: any ContentSource
    let notices: ChangeNotices
    let namespace: Namespace
    let contents: Contents
    let fileAttributes: Attributes
    let order: FolderOrder
    private let checkup: CloudCheckup

    init(
        _ transactions: Transactions, device: Device, openFiles: OpenFiles, transfers: Transfers,
        cloud: any ContentSource, notices: ChangeNotices, namespace: Namespace, contents: Contents,
        fileAttributes: Attributes,
        order: FolderOrder, checkup: CloudCheckup
    ) {
        self.transactions = transactions
        self.device = device
        self.openFiles = openFiles
        self.transfers = transfers
        self.cloud = cloud
        self.notices = notices
        self.namespace = namespace
        self.contents = contents
        self.fileAttributes = fileAttributes
        self.order = order
        self.checkup = checkup
    }

    /// The text of the state file of a document, a folder or the tree.
    ///
    /// - Parameter waitsForCloses: whether a close(2) that has returned must show in the text.
    /// - Throws: ESTALE for an entry that is gone.
    func stateText(of inode: InodeNumber, waitsForCloses: Bool) throws(Refusal) -> String {
        if waitsForCloses { try waitForCloses(beforeStateOf: inode) }
        cloud.changesAreOfInterest()
        transactions.tryToRecordUnseenWrites()
        return try inspect { try stateText(of: inode, $0) }
    }

    /// Waits a moment for files that are open to be closed, so that a state that is read right after a close(2) says `closed`: the kernel
    /// sends `release` after close(2) has returned.
    ///
    /// - Parameter inode: of the document or folder that the state describes.
    func waitForCloses(beforeStateOf inode: InodeNumber) throws(Refusal) {
        if !openFiles.isClosed(inode) {
            openFiles.waitForClose(of: inode)
        } else if openFiles.areAnyOpen, try inspect({ try $0.entry(inode)?.kind }) == .folder {
            openFiles.waitForClose(of: nil)
        }
    }

    private func stateText(of inode: InodeNumber, _ rows: Rows) throws -> String {
        guard let entry = try rows.entry(inode) else { throw Refusal.staleInode }
        if inode == .documents { return try treeState(rows).text }
        guard entry.kind == .folder else { return try documentState(of: entry, rows).text }
        let documents = try order.children(of: entry, rows).filter { $0.kind == .document }
        return FolderState.text(try documents.map { try documentState(of: $0, rows) })
    }

    func stateAttributes(of node: Node, _ rows: Rows) throws -> FileAttributes {
        guard case .state(let inode) = node else { throw Refusal.staleInode }
        return .virtualFile(size: try stateText(of: inode, rows).utf8.count, at: notices.stateTime)
    }

    /// Of `.undo` and `.redo`: virtual files that can be written to.
    func actionListAttributes(_ direction: ActionDirection, _ rows: Rows) throws -> FileAttributes {
        let text = ActionList.text(try rows.actions(direction).map(\.name))
        var attributes = FileAttributes.virtualFile(size: text.utf8.count, at: notices.stateTime)
        attributes.mode = 0o644
        return attributes
    }

    func documentState(of entry: Entry, _ rows: Rows) throws -> DocumentState {
        let attributes = try fileAttributes.attributes(of: entry, rows)
        let transfer = transfers.status(of: entry.inode)
        var flags: Set<StateFlag> = []
        if !openFiles.isOpen(entry.inode) { flags.insert(.closed) }
        if entry.conflicts > 0 { flags.insert(.inConflict) }
        // The failure of a download is told by `error` alone.
        if entry.error != nil, entry.pending.contains(.content) { flags.insert(.savingError) }
        if transfer.isDownloading || (entry.location == .local && !entry.isHere) { flags.insert(.editingDisabled) }
        if transfer.percent != nil { flags.insert(.progressAvailable) }
        var state = DocumentState(
            flags: flags, displayName: entry.name?.displayName ?? "", filename: entry.filename,
            id: entry.id ?? .cloudRoot, location: entry.location ?? .local, size: attributes.size,
            modified: attributes.modified, progress: transfer.percent, conflicts: entry.conflicts,
            error: entry.error)
        if entry.location == .cloud {
            state.downloading = Self.downloadState(of: entry, transfer)
            state.uploading = Self.uploadState(of: entry, transfer)
        }
        return state
    }

    /// Bytes of its transfer that have come or were sent; nil without a transfer.
    func transferredBytes(of entry: Entry) -> Int64? { transfers.status(of: entry.inode).bytes }

    private static func downloadState(of entry: Entry, _ transfer: Transfers.Status) -> DownloadState {
        if transfer.isDownloading { return .downloading }
        if !entry.isHere { return .notDownloaded }
        return entry.isOutdated ? .outdated : .current
    }

    private static func uploadState(of entry: Entry, _ transfer: Transfers.Status) -> UploadState {
        if transfer.isUploading { return .uploading }
        return entry.pending.isEmpty ? .uploaded : .waiting
    }

    private func treeState(_ rows: Rows) throws -> TreeState {
        let local = try rows.documentCount(in: .local)
        let inCloud = try rows.documentCount(in: .cloud)
        let trash = try rows.trashSize()
        var state = TreeState(
            preferred: namespace.preferredLocation, localDocuments: local.documents, cloudDocuments: inCloud.documents,
            connection: cloud.connection.description, pending: try rows.pendingCount(),
            conflicts: inCloud.conflicts, undo: try rows.actions(.undo, limit: 1).first?.name.text,
            redo: try rows.actions(.redo, limit: 1).first?.name.text, trashedDocuments: trash.documents,
            trashedBytes: trash.bytes, device: device.name)
        state.pendingBytes = try rows.pendingBytes().map { max(0, $0 - transfers.sentBytes) }
        state.connectionError = cloud.connection.reason
        state.cloudURL = cloud.address?.url
        state.isCloudBesideStore = cloud.address?.isBesideStore ?? false
        state.isCloudEncrypted = cloud.address?.isEncrypted ?? false
        state.cloudBytesHere = try rows.bytesOfCloudHere()
        state.findings = checkup.findings
        state.storeError = transactions.diskError
        state.preferredMove = try preferredMove(rows)
        return state
    }
}
