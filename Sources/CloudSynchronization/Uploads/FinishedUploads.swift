import Backing
import Catalog
import Documents
import Replication
import Synchronization

/// The contents that are in the object store and that no commit names yet, by the inode of their document. The catalog has them as well.
final class FinishedUploads: Sendable {
    private let store: DocumentStore
    private let wake: Wake
    private let contents = Mutex<[InodeNumber: CommitFacts.Uploaded]>([:])
    private let isLoaded = Mutex(false)

    /// - Parameter wake: signalled when a document is to be uploaded again.
    init(_ store: DocumentStore, _ wake: Wake) {
        self.store = store
        self.wake = wake
    }

    /// Reads them from the catalog, once. Contents that an earlier life of the process uploaded need not be uploaded again, however long the
    /// rest of their bundle takes.
    func load() throws {
        if isLoaded.withLock({ $0 }) { return }
        let known = try store.write { transaction in
            try transaction.abandonUploadsUnderWay()
            return try transaction.uploads(.finished)
        }
        for upload in known {
            let content = CommitFacts.Uploaded(
                document: upload.document, revision: upload.revision, version: try UploadedContent.version(of: upload))
            contents.withLock { $0[upload.inode] = content }
        }
        isLoaded.withLock { $0 = true }
    }

    var count: Int { contents.withLock(\.count) }

    /// Whether a content of a document waits for a commit. Before that, another one would be sent with the wrong base.
    /// One that a commit whose answer was lost has named does not count: the document has it as its base by now.
    func has(_ entry: Entry) -> Bool {
        contents.withLock { contents in
            guard let content = contents[entry.inode] else { return false }
            return content.goes(with: entry) && content.version.base == entry.contentVersion
        }
    }

    /// Adds a content. An earlier one of the same document is not needed any more.
    ///
    /// - Parameter isOvertaken: whether the document has changed since.
    func add(
        _ version: DocumentVersion, of entry: Entry, _ id: EntryID, _ transaction: Transaction,
        isOvertaken: Bool = false
    ) throws {
        var entry = entry
        if isOvertaken { entry.revision = CommitFacts.Uploaded.overtaken }
        try transaction.store(UploadedContent(version, of: entry, id, .finished))
        let content = CommitFacts.Uploaded(document: id, revision: entry.revision, version: version)
        let former = contents.withLock { contents in
            defer { contents[entry.inode] = content }
            return contents[entry.inode]?.version.id
        }
        if let former, former != version.id { try transaction.abandonUpload(former) }
    }

    /// The contents whose documents still have the base that they were uploaded with. A commit that was being sent, perhaps since an
    /// earlier life of the process, may have changed the base: then the document is uploaded again.
    func current(_ transaction: Transaction) throws -> [InodeNumber: CommitFacts.Uploaded] {
        let all = contents.withLock { $0 }
        var current: [InodeNumber: CommitFacts.Uploaded] = [:]
        for (inode, content) in all {
            // A save by renaming gives the document another file. A copy of the one before counts nevertheless.
            let renamed = try content.isOvertaken ? transaction.entry(content.document) : nil
            if let entry = try renamed ?? transaction.entry(inode), entry.contentVersion == content.version.base,
                entry.inode == inode || all[entry.inode] == nil && current[entry.inode] == nil
            {
                current[entry.inode] = content
            } else {
                try transaction.abandonUpload(content.version.id)
                wake.signal()
            }
        }
        // None is added meanwhile, because `add` needs the catalog as well.
        contents.withLock { $0 = current }
        return current
    }

    /// Forgets the contents that a commit names now.
    func forget(committedBy outgoing: OutgoingCommit) {
        let versions = Set(outgoing.carried.sent.compactMap(\.version))
        contents.withLock { contents in
            contents = contents.filter { !versions.contains($0.value.version.id) }
        }
    }

    func forgetAll() { contents.withLock { $0 = [:] } }
}
