import Catalog
import Documents
import Replication

/// What is known when a commit is made: rows, and contents that are uploaded.
struct CommitFacts {
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

    /// The entries to send, as far as their contents are uploaded.
    var pending: [InodeNumber: Entry] = [:]
    /// The bundles of which a part is not ready. All changes of a bundle go into one commit.
    var blockedBundles: Set<Int64> = []
    var withdrawals: [Withdrawal] = []
    var resolutions: [EntryID: Resolution] = [:]
    var uploaded: [InodeNumber: Uploaded] = [:]
    /// The folders of the pending entries, and those above these.
    var folders = ParentFolders()
    /// Of the documents that inherit versions, those that the container knows.
    var heirs: Set<EntryID> = []
    /// The versions that the container has of deleted documents that are back here with the content that they had.
    var kept: [EntryID: VersionHistory] = [:]
    /// The deleted documents that are back here.
    var revived: Set<EntryID> = []
    /// Who has the filename or the display name that an entry gets, in the container, and is to give it up.
    var rivals: [InodeNumber: Set<EntryID>] = [:]
    /// Who has the display name that a document gets, where all of these give it up for certain.
    var namesakes: [InodeNumber: Set<EntryID>] = [:]
    /// For each deleted folder, the entries that the container still has in it and this device has moved elsewhere or deleted.
    var emptied: [EntryID: [EntryID]] = [:]

    /// Whether nothing of it must be uploaded first.
    func isReady(_ entry: Entry) -> Bool { !entry.needsUpload || uploaded[entry.inode]?.goes(with: entry) == true }
}

extension Entry {
    /// Whether its content must be uploaded before a commit can name it.
    var needsUpload: Bool { kind == .document && pending.contains(.content) }

    /// Whether a commit has still to create, move or name it.
    var isToBeNamed: Bool { !pending.isDisjoint(with: [.creation, .name, .place]) }
}

/// The folders that pending entries lie in, and the folders above these.
struct ParentFolders {
    private(set) var ids: [InodeNumber: EntryID] = [.cloud: .cloudRoot]
    /// How deep each folder lies. A folder is created before the entries in it.
    private(set) var depths: [InodeNumber: Int] = [.cloud: 0]
    /// The folders that the container does not know yet.
    private(set) var unknown: [InodeNumber: Entry] = [:]

    /// Adds the folders that the entries lie in. Those that the container does not know become pending, too.
    mutating func add(foldersOf pending: inout [InodeNumber: Entry], _ rows: Rows) throws {
        for entry in pending.values { try add(entry.parent, rows) }
        // Its time may have been added meanwhile.
        for (inode, folder) in unknown { pending[inode, default: folder].pending.insert(.creation) }
    }

    private mutating func add(_ folder: InodeNumber, _ rows: Rows) throws {
        // Without recursion: folders may lie in each other thousands of levels deep.
        var above: [Entry] = []
        var inode = folder
        while ids[inode] == nil, let entry = try rows.entry(inode), entry.id != nil {
            above.append(entry)
            inode = entry.parent
        }
        // Outer ones first, whose depth comes into that of the inner ones.
        for entry in above.reversed() { add(entry) }
    }

    /// Adds a folder after the one that it lies in.
    mutating func add(_ folder: Entry) {
        ids[folder.inode] = folder.id
        depths[folder.inode] = (depths[folder.parent] ?? 0) + 1
        guard !folder.pending.isDisjoint(with: [.creation, .revival]) else { return }
        var missing = folder
        missing.pending.insert(.creation)
        unknown[folder.inode] = missing
    }
}
