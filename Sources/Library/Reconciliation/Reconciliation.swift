import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import Synchronization
import SystemPackage

/// Reconciles rows with files, for the whole store or for some folders. A file is matched with a row by these rules, in this order:
///
/// 1. A file belongs to the row of its type at its path. Exceptions are a folder that rule 3 recognises as another one, and an exchange of
///    two files that was not committed (`resolveSubstitutes`).
/// 2. A generated filename is unique and kept for life: a file at another path belongs to the document with that filename, unless there
///    is a file at the document's own path.
/// 3. Inode number and birth time together recognise a folder, or a file with a given name, that was moved. In a copy of the store they
///    mean nothing; there a folder is recognised by the documents in it.
/// 4. Any other file becomes a new document. No file is removed because it has no row. Folders and links of the cloud that hold no file
///    are an exception: a crash while the log was applied may have left them, and the log makes them again if they are wanted.
///
/// Where a row and its file have different paths, the `Occasion` decides which of them is believed (`Crashes`).
struct Reconciliation {
    /// Why rows and files may disagree.
    enum Occasion: Equatable {
        /// The process or the power ended. A file that was being moved goes back to the path of its row.
        case uncleanEnd
        /// The store was copied or restored from a backup.
        case copy
        /// A person changed the store's plain files while no mount used it.
        case edits
        /// A write failed after it had changed files. The rows are believed.
        case failedWrite

        var knowsInodes: Bool { self != .copy }
    }

    /// A file without a row of its type at its path.
    struct Stray {
        let folder: InodeNumber
        let name: String
        let found: IdentifiedStatus

        var isFolder: Bool { found.type == S_IFDIR }
    }

    let comparison: StoreComparison
    let transaction: Transaction
    let occasion: Occasion
    /// Whether the catalog was made anew. Then an empty folder is no remainder of a log that was being applied.
    let isCatalogNew: Bool
    /// Whether folders inside the compared folders are compared as well.
    let isRecursive: Bool
    /// Folders still to be compared.
    var unvisited: [InodeNumber] = []
    var visited: Set<InodeNumber> = []
    /// Folders that could not be read. They may lie in a folder that is not matched with its row yet.
    var unreadable: [InodeNumber] = []
    var strays: [Stray] = []
    var missing = MissingRows()
    var substitutes: [Substitute] = []
    /// Missing folders whose descendants are in `missing` as well.
    var expanded: Set<InodeNumber> = []

    init(
        _ comparison: StoreComparison, _ transaction: Transaction, _ occasion: Occasion, isCatalogNew: Bool = false,
        isRecursive: Bool = true
    ) {
        self.comparison = comparison
        self.transaction = transaction
        self.occasion = occasion
        self.isCatalogNew = isCatalogNew
        self.isRecursive = isRecursive
    }

    mutating func run(_ folders: [InodeNumber]) throws {
        unvisited = folders
        try compareFolders()
        try assignFolders()
        // They can be read now if they lie in a folder that has been matched since.
        unvisited = unreadable
        unreadable = []
        try compareFolders()
        try assignFolders()
        if !unreadable.isEmpty { comparison.mustReconcile.store(true, ordering: .relaxed) }
        // A file can only be moved back to a folder that exists.
        if occasion != .edits { try remakeMissingFolders() }
        if occasion == .uncleanEnd { try takeBackFromTrash() }
        try resolveSubstitutes()
        try assignFiles()
        try resolveMissing()
    }
}

extension Entry {
    /// Whether the store should hold a file, folder or link for the entry.
    var hasFile: Bool { kind == .folder || kind == .symbolicLink || isHere }
}
