import Documents
import Glibc

/// The content of one path: a folder's documents and folders, or one document.
struct Listing {
    let path: String
    let isFolder: Bool
    let documents: [ListedDocument]
    /// False for the mountpoint, which holds nothing but `Documents`.
    private let hasOrder: Bool

    init(_ path: String, _ detail: ListedDocument.Detail) throws {
        self.path = path
        let mount = try MountedTree(holding: path)
        isFolder = try Self.isFolder(path)
        hasOrder = isFolder && !mount.isMountpoint(path)
        guard isFolder else {
            let line = FolderStateLine(StateText(try readState(ofDocument: path)))
            documents = [ListedDocument(line, path: path, detail)]
            return
        }
        // The mountpoint has no state either.
        if !hasOrder {
            documents = []
            return
        }
        let base = path.hasSuffix("/") ? path : path + "/"
        documents = try FolderStateLine.read(path).map {
            ListedDocument($0, path: base + $0.filename, detail)
        }
    }

    /// `12 documents, 3 in the cloud only, 1 conflict`.
    var summary: String {
        let counts = Dictionary(documents.map { (Self.kind(of: $0), 1) }, uniquingKeysWith: +)
        let parts = counts.filter { $0.key != "here" }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return ([HumanText.count(documents.count, "document")] + parts).joined(separator: ", ")
    }

    /// The words without a percentage.
    private static func kind(of document: ListedDocument) -> String {
        DocumentWords(document.line, isKept: document.isKept).text
    }

    /// The folders and documents, in the order of the folder.
    private func rows() throws -> [Row] {
        let folders = isFolder ? try FolderContent.folders(in: path) : []
        return Self.ordered(
            folders, documents, by: hasOrder && !folders.isEmpty ? try FolderOrderFile(of: path).names() : [])
    }

    enum Row {
        case folder(String)
        case document(ListedDocument)

        /// How it stands in `.order`.
        fileprivate var orderName: String {
            switch self {
            case .folder(let name): OrderText.escape(name)
            case .document(let document): document.line.filename
            }
        }
    }

    /// - Parameters:
    ///   - documents: in their order.
    ///   - names: the lines of `.order`. The conflicts of a document follow it where filenames are listed; what has come since is last.
    static func ordered(_ folders: [String], _ documents: [ListedDocument], by names: [String]) -> [Row] {
        let rows = documents.map(Row.document) + folders.map(Row.folder)
        if folders.isEmpty { return rows }
        let places = Dictionary(names.enumerated().map { (ExactName($1), $0) }, uniquingKeysWith: min)
        func place(_ row: Row) -> Int {
            let name = row.orderName
            return places[ExactName(name)] ?? places[ExactName(name.withoutSuffix(".conflicts"))] ?? .max
        }
        let placed = rows.enumerated().map { (place: place($1), index: $0, row: $1) }
        return placed.sorted { ($0.place, $0.index) < ($1.place, $1.index) }.map(\.row)
    }

    static func isFolder(_ path: String) throws -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw CommandFailure.notFound(path)
        }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    /// One folder or document a line, for scripts. Only the name of a folder ends with a slash.
    func table(_ facts: TerminalFacts) throws -> String {
        var table = TextTable(
            try rows().map { row in
                switch row {
                case .folder(let name): ["-", "folder", "-", StyledText(name + "/"), StyledText(name)]
                case .document(let document): document.tableRow
                }
            })
        table.hasColor = facts.hasColor
        return table.text
    }

    func columns(_ facts: TerminalFacts) throws -> String {
        let whole = TextColumns(try cells(nameLimit: .max))
        let cut = TextColumns(try cells(nameLimit: usualNameWidth))
        // A few long names do not take the columns from all the others.
        let isCut = cut.rowCount(width: facts.width) * 4 <= whole.rowCount(width: facts.width) * 3
        return (isCut ? cut : whole).text(width: facts.width, hasColor: facts.hasColor)
    }

    private func cells(nameLimit: Int) throws -> [[StyledText]] {
        let rows = try rows()
        // A filename goes before a display name, and so does a folder.
        let names = rows.flatMap { row in
            switch row {
            case .folder(let name): [name]
            case .document(let document): [document.fullName, document.line.filename]
            }
        }
        let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
        return rows.map { row in
            switch row {
            case .folder(let name): return [StyledText("  "), StyledText(name.shellWord + "/", .bold)]
            case .document(let document):
                let others =
                    counts[document.fullName, default: 1] - (document.fullName == document.line.filename ? 2 : 1)
                return document.cell(isAmbiguous: others > 0, nameLimit: nameLimit)
            }
        }
    }

    private var usualNameWidth: Int { TextTable.usualWidth(of: documents.map { StyledText($0.fullName.shellWord) }) }

    func long(_ facts: TerminalFacts) throws -> String {
        facts.isTerminal ? try terminalTable(facts) : try wholeTable(facts)
    }

    private func terminalTable(_ facts: TerminalFacts) throws -> String {
        var table = TextTable(
            try rows().map { row in
                switch row {
                case .folder(let name): ["", "-", "-", "folder", StyledText(name.shellWord + "/", .bold)]
                case .document(let document): document.terminalRow
                }
            })
        table.rightAligned = [1]
        table.hasColor = facts.hasColor
        // The name is the fifth column, the filename the sixth.
        table.fit(facts.width, dropping: 5, cutting: 4)
        return table.text
    }

    private func wholeTable(_ facts: TerminalFacts) throws -> String {
        var table = TextTable(
            try rows().map { row in
                switch row {
                case .folder(let name): ["", "folder", "-", "-", "-", StyledText(name + "/", .bold)]
                case .document(let document): document.longRow
                }
            })
        table.rightAligned = [3]
        table.hasColor = facts.hasColor
        return table.text
    }
}

extension String {
    fileprivate func withoutSuffix(_ suffix: String) -> String {
        utf8.count > suffix.utf8.count && hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
