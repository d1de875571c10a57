import ArgumentParser
import Glibc

struct VersionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "List, show, compare and restore versions of a document.",
        discussion: """
            Lists what the document was before (cloud documents, 30 days; the latest first) and the versions that are in conflict with it. A version V \
            is named by its name, the beginning of its name, or its number in the list.

            Examples:
              docfs versions Plan.txt
              docfs versions diff Plan.txt 1
              docfs versions restore Plan.txt "Laptop 2026-11-21 04.12.33.txt"
            """,
        subcommands: [
            ListVersions.self, ShowVersion.self, RestoreVersion.self, CompareVersions.self,
        ], defaultSubcommand: ListVersions.self)
}

struct ListVersions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the versions of a document.",
        discussion: "Columns: number, kind, size, time, name. Example: docfs versions Plan.txt")

    @Argument(help: "A document.", completion: .documents)
    var document: String

    @Flag(help: "Print JSON: an array of versions.")
    var json = false

    func run() throws {
        try CommandFailure.reported {
            let versions = try DocumentVersions(of: document)
            let all = versions.all
            if !json, versions.state["location"] == "local" {
                return CommandFailure.print(
                    error: "\(document.printable) is in local; only documents of the cloud have versions")
            }
            if json { return try Output.json(all) }
            let facts = TerminalFacts.of(STDOUT_FILENO)
            if all.isEmpty, facts.isTerminal {
                return try Output.line("There are no other versions of \(document.printable).")
            }
            var table = TextTable(all.enumerated().map { DocumentVersions.row($1, number: $0 + 1) })
            table.rightAligned = [0, 2]
            table.hasColor = facts.hasColor
            try Output.write(table.text)
        }
    }
}

struct ShowVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Write a version's content to standard output.",
        discussion: "Example: docfs versions show Plan.txt 1 | less")

    @Argument(help: "A document.", completion: .documents)
    var document: String

    @Argument(help: "A version of it: name, beginning of a name, or number.", completion: .versions)
    var version: String

    func run() throws {
        try CommandFailure.reported { try ContentCopy.show(try DocumentVersions(of: document).version(version).path) }
    }
}

struct RestoreVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Give a document the content of a version.",
        discussion: """
            In one step; what the document is now becomes a version, and `docfs undo` brings it back. A conflict version becomes the current one; \
            the others stay in conflict.

            Example: docfs versions restore Plan.txt 2
            """)

    @Argument(help: "A document.", completion: .documents)
    var document: String

    @Argument(help: "A version of it: name, beginning of a name, or number.", completion: .versions)
    var version: String

    func run() throws {
        try CommandFailure.reported {
            let versions = try DocumentVersions(of: document)
            let chosen = try versions.version(version)
            if chosen.kind == .version { try ContentDownload([CloudDocument(path: versions.path)]).run() }
            try versions.restore(chosen)
        }
    }
}

struct CompareVersions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare a version with the document, or with another version.",
        discussion: """
            Runs the program in $DIFF, or `diff -u`, and ends with 0 whether they differ or not.

            Example: DIFF=vimdiff docfs versions diff Plan.txt 1
            """)

    @Argument(help: "A document.", completion: .documents)
    var document: String

    @Argument(help: "A version of it: name, beginning of a name, or number.", completion: .versions)
    var version: String

    @Argument(help: "Another version. (default: the document as it is)", completion: .versions)
    var other: String?

    func run() throws {
        try CommandFailure.reported {
            let versions = try DocumentVersions(of: document)
            let old = try versions.version(version).path
            let new = try other.map { try versions.version($0).path } ?? versions.path
            try DifferenceProgram.run(old, new)
        }
    }
}
