import ArgumentParser
import Glibc

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List documents with their display names and states.",
        discussion: """
            Documents are listed in the order of their folder. On a terminal, the names that can be typed (in quotes where a shell needs them) stand in columns, each after a mark: \
            ● green (all is well), ▲ yellow (in conflict), ✖ red (the last save or upload failed). What is in the cloud only is dim. Words follow the name of a \
            document that is not just here: in the cloud only, kept, uploading 34 %, conflict. Where two \
            documents, or a document and a folder, have one name, each document has its filename beside it. --long has one document a line, with size, time, state and filename; where \
            they do not fit, filenames are left out. `docfs help states` explains the words.

            Elsewhere than on a terminal each folder and document is one line: indicator, state, transfer, filename, display name.

            Example: docfs ls --long ~/docs/Documents/cloud
            """)

    @Argument(
        help: "Folders or documents in a docfs mount. (default: the current folder, or the nearest mount)",
        completion: .documents)
    var paths: [String] = []

    @Flag(name: .shortAndLong, help: "One document a line, with size, time, state and both names.")
    var long = false

    @Flag(help: "Print JSON: an array of documents.")
    var json = false

    @Option(help: "Colour the output: auto, always or never.")
    var color = ColorChoice.auto

    func run() throws {
        try CommandFailure.reported {
            let paths = try MountedTree.pathsOrNearest(paths)
            let listings = try paths.compactMap(listing)
            if json {
                try Output.json(listings.flatMap(\.documents).map { DocumentRecord($0) })
            } else {
                try write(listings, isOne: paths.count == 1)
            }
            if listings.count < paths.count { throw ExitCode.failure }
        }
    }

    private var facts: TerminalFacts { .of(STDOUT_FILENO, color: color) }

    private func write(_ listings: [Listing], isOne: Bool) throws {
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
        let detail: ListedDocument.Detail = long || json ? .all : facts.isTerminal ? .name : .line
        do { return try Listing(path, detail) } catch let failure as CommandFailure {
            CommandFailure.print(error: failure.message)
            return nil
        }
    }
}
