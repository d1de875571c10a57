import ArgumentParser
import Glibc

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List documents with their display names and states.",
        discussion: """
            Documents are listed in the order of their folder. On a terminal, their display names stand in columns, each after a mark: \
            ● green (all is well), ▲ yellow (in conflict), ✖ red (the last save or upload failed). Elsewhere each folder and document is one \
            line: indicator, state, transfer, filename, display name. --long adds size and time; on a terminal it says of \
            the state only what is not as usual, and leaves out filenames where they do not fit.

            Example: docfs ls --long ~/docs/Documents/cloud
            """)

    @Argument(
        help: "Folders or documents in a docfs mount. (default: the current folder, or the nearest mount)",
        completion: .documents)
    var paths: [String] = []

    @Flag(name: .shortAndLong, help: "Show state, transfer, size, time and both names.")
    var long = false

    @Flag(help: "Print JSON: an array of documents.")
    var json = false

    @Option(help: "Colour the output: auto, always or never.")
    var color = ColorChoice.auto

    func run() throws {
        try CommandFailure.reported {
            let paths = try paths.isEmpty ? [MountedTree.nearestPath()] : paths
            let listings = try paths.compactMap(listing)
            if json {
                try Output.json(listings.flatMap(\.documents))
            } else {
                try write(listings, isOne: paths.count == 1)
            }
            if listings.count < paths.count { throw ExitCode.failure }
        }
    }

    private func write(_ listings: [Listing], isOne: Bool) throws {
        let facts = TerminalFacts.of(STDOUT_FILENO, color: color)
        let texts = try listings.map { listing in
            let text =
                long
                ? try listing.long(facts) : facts.isTerminal ? try listing.columns(facts) : try listing.table(facts)
            let title = StyledText("\(listing.path):", .bold).rendered(hasColor: facts.hasColor) + "\n"
            return (isOne || !listing.isFolder ? "" : title) + text
        }
        let hasTitles = !isOne && listings.contains(where: \.isFolder)
        try Output.write(texts.joined(separator: hasTitles ? "\n" : ""))
    }

    /// - Returns: nil for a path that cannot be listed, which is told. The others are listed, as ls(1) does.
    private func listing(_ path: String) throws -> Listing? {
        do { return try Listing(path, isDetailed: long || json) } catch let failure as CommandFailure {
            CommandFailure.print(error: failure.message)
            return nil
        }
    }
}

/// The content of one path: a folder's documents and folders, or one document.
struct Listing {
    let path: String
    let isFolder: Bool
    let documents: [ListedDocument]

    /// - Parameter isDetailed: whether sizes and times are wanted.
    init(_ path: String, isDetailed: Bool) throws {
        self.path = path
        let mount = try MountedTree(holding: path)
        isFolder = try Self.isFolder(path)
        guard isFolder else {
            let line = FolderStateLine(StateText(try readState(ofDocument: path)))
            documents = [ListedDocument(line, path: path, isDetailed: isDetailed)]
            return
        }
        // The mountpoint has no state: nothing but `Documents` is in it.
        if mount.isMountpoint(path) {
            documents = []
            return
        }
        let base = path.hasSuffix("/") ? path : path + "/"
        documents = try FolderStateLine.read(path).map {
            ListedDocument($0, path: base + $0.filename, isDetailed: isDetailed)
        }
    }

    /// Names of the folders in this folder.
    private func folders() throws -> [String] { isFolder ? try FolderContent.folders(in: path) : [] }

    static func isFolder(_ path: String) throws -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw CommandFailure.notFound(path)
        }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    /// One folder or document a line, for scripts. Only the name of a folder ends with a slash.
    func table(_ facts: TerminalFacts) throws -> String {
        let folderRows: [[StyledText]] = try folders().map {
            ["-", "folder", "-", StyledText($0 + "/"), StyledText($0)]
        }
        var table = TextTable(folderRows + documents.map(\.tableRow))
        table.hasColor = facts.hasColor
        return table.text
    }

    func columns(_ facts: TerminalFacts) throws -> String {
        let cells = try folders().map { [StyledText("  "), StyledText($0 + "/", .bold)] } + documents.map(\.columnCell)
        return TextColumns(cells).text(width: facts.width, hasColor: facts.hasColor)
    }

    func long(_ facts: TerminalFacts) throws -> String {
        facts.isTerminal ? try terminalTable(facts) : try wholeTable(facts)
    }

    private func terminalTable(_ facts: TerminalFacts) throws -> String {
        let folderRows: [[StyledText]] = try folders().map { ["", "-", "-", "folder", StyledText($0 + "/", .bold)] }
        var table = TextTable(folderRows + documents.map(\.terminalRow))
        table.rightAligned = [1]
        table.hasColor = facts.hasColor
        // The name is the fifth column, the filename the sixth.
        table.fit(facts.width, dropping: 5, cutting: 4)
        return table.text
    }

    private func wholeTable(_ facts: TerminalFacts) throws -> String {
        let folderRows: [[StyledText]] = try folders().map {
            ["", "folder", "-", "-", "-", StyledText($0 + "/", .bold)]
        }
        var table = TextTable(folderRows + documents.map(\.longRow))
        table.rightAligned = [3]
        table.hasColor = facts.hasColor
        return table.text
    }
}
