import SystemPackage

/// What a page asks of the mount. All of it blocks.
package protocol BrowsedMount: Sendable {
    /// What the rows show beside their names.
    func details(of rows: [TableRow]) -> [RowDetails]

    /// Opens a folder in the table, or closes it.
    func toggle(_ row: TableRow)

    /// Begins the edit mode of the table, or ends it. Rows of the edit mode come and go with it.
    func setEditing(_ isEditing: Bool)

    /// Shows only the documents of which a text of words or a predicate is true; all of them again for an empty one.
    ///
    /// - Throws: `BrowseRefusal` for a text that is no predicate. What is shown stays.
    func setFilter(_ text: String) throws(BrowseRefusal)

    /// - Throws: `BrowseRefusal`.
    func perform(_ action: BrowseAction) throws(BrowseRefusal)

    /// What a person is told of a document beside its row.
    ///
    /// - Throws: `BrowseRefusal`.
    func facts(of row: TableRow) throws(BrowseRefusal) -> DocumentFacts

    /// What was done, and what was deleted.
    ///
    /// - Throws: `BrowseRefusal`.
    func history() throws(BrowseRefusal) -> History

    /// Begins a document that comes from a page.
    ///
    /// - Parameter folder: the id of a section's or a folder's row.
    /// - Throws: `BrowseRefusal`, of a name that is taken too.
    func receive(_ name: IncomingName, into folder: String) throws(BrowseRefusal) -> any IncomingDocument

    /// Opens the content of a document, or of another version of it, for reading.
    ///
    /// - Throws: `BrowseRefusal`.
    func open(_ row: TableRow, _ version: VersionReference?) throws(BrowseRefusal) -> OpenContent

    /// Documents, and folders with all that is in them, to be saved together.
    ///
    /// - Throws: `BrowseRefusal`.
    func archive(of rows: [TableRow]) throws(BrowseRefusal) -> ArchivedDocuments
}

/// A document's content. Reading what is not here waits for it.
package struct OpenContent: Sendable {
    /// The one who reads it closes it.
    package let file: FileDescriptor
    /// Bytes.
    package let size: Int64
    /// The name under which a browser saves it.
    package let name: String

    package init(file: FileDescriptor, size: Int64, name: String) {
        self.file = file
        self.size = size
        self.name = name
    }
}

/// What is done with the documents of a page. Several documents at once are one action in undo.
package enum BrowseAction: Sendable {
    /// So many, one after another, until one cannot be.
    case undo(ActionCount)
    case redo(ActionCount)
    case restoreFromTrash(key: String)
    case emptyTrash
    /// Whether documents live in the cloud, or on this computer. All of them move.
    case prefer(cloud: Bool)
    /// In the desktop's own program.
    case open(TableRow)
    case download([TableRow])
    case freeUp([TableRow])
    case keep([TableRow], Bool)
    case rename(TableRow, String)
    /// Ends the conflict of a document.
    case resolve(TableRow, ConflictChoice, seen: SeenContents)
    /// A document gets the content of another version; what it is becomes a version.
    case restore(TableRow, VersionReference)
    case delete([TableRow])
    /// To a section or folder: a move, or a migration.
    case move([TableRow], into: TableRow)
    /// To a place in the order beside a document.
    case place([TableRow], beside: TableRow, DropTarget.Side)
    /// A new document in a section or folder, under a name with or without an extension.
    case create(in: TableRow, String)
}

/// How many actions are undone or done again, and which one is the last of them. It may have another place meanwhile; then none is.
package struct ActionCount: Sendable {
    package let count: Int
    /// Nil for the next one, whatever it is.
    package let last: (name: String, time: String)?
}

/// The contents that a person chose among. There may be others meanwhile; then nothing is done.
package struct SeenContents: Sendable, Decodable, Equatable {
    /// The names of the conflict versions.
    package let conflicts: Set<String>
    /// Of the current content, in bytes.
    package let size: Int64
    /// Of the current content, in seconds since 1970.
    package let modified: Int

    package init(conflicts: Set<String>, size: Int64, modified: Int) {
        self.conflicts = conflicts
        self.size = size
        self.modified = modified
    }
}

/// What stays of a document in conflict: the current version, or a conflict version by its name, and the others are discarded; or all, as
/// documents of their own.
package enum ConflictChoice: Sendable, Equatable {
    case current
    case version(String)
    case all
}

/// Why something could not be done, in one line for a person.
package struct BrowseRefusal: Error, CustomStringConvertible {
    package let reason: String
    /// Whether a person may be asked for another name.
    package let isNameTaken: Bool

    package var description: String { reason }

    package init(_ reason: String, isNameTaken: Bool = false) {
        self.reason = reason
        self.isNameTaken = isNameTaken
    }
}

/// What a row shows beside its name.
package struct RowDetails: Sendable, Encodable, Equatable {
    /// The name without the extension, as it is. That of the row is for one line: what controls a terminal has a backslash there.
    package var name: String?
    package var kind: String?
    /// Bytes.
    package var size: Int64?
    /// Seconds since 1970.
    package var modified: Int?
    package var indicator: String?
    /// What a person is told of its state, by the names that `texts.js` has in two languages.
    package var words: [String] = []
    package var isHere: Bool?
    /// Percent of the transfer under way.
    package var progress: Int?
    package var kept: Bool?
    package var filename: String?
    /// How the page can show its content; nil for what is no document.
    package var preview: Preview.Kind?

    package init() {}
}
