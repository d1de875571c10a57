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

    /// Opens the content of a document for reading.
    ///
    /// - Throws: `BrowseRefusal`.
    func open(_ row: TableRow) throws(BrowseRefusal) -> OpenContent
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
    case undo, redo
    case download([TableRow])
    case freeUp([TableRow])
    case keep([TableRow], Bool)
    case rename(TableRow, String)
    case delete([TableRow])
    /// To a section or folder: a move, or a migration.
    case move([TableRow], into: TableRow)
    /// To a place in the order beside a document.
    case place([TableRow], beside: TableRow, DropTarget.Side)
    /// A new document in a section or folder, under a name with or without an extension.
    case create(in: TableRow, String)
}

/// Why something could not be done, in one line for a person.
package struct BrowseRefusal: Error, CustomStringConvertible {
    package let reason: String

    package var description: String { reason }

    package init(_ reason: String) { self.reason = reason }
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

    package init() {}
}
