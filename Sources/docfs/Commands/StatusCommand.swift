import ArgumentParser
import Glibc

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of documents, of a folder or of the whole mount.",
        discussion: """
            Of a document: its flags, names, place, size, transfer and conflicts. Of a folder: a line for each document. Of the mountpoint: \
            how many documents there are, where the cloud is, whether it can be reached, and what has still to be sent. On a terminal a \
            sentence comes first, and sizes and times are easy to read; elsewhere the lines are those of the state file. `docfs help states` \
            explains them.

            Example: docfs status ~/docs/Documents/cloud/Plan.txt
            """)

    @Argument(
        help: "Documents, folders, or the mountpoint. (default: the current folder, or the nearest mount)",
        completion: .documents)
    var paths: [String] = []

    @Flag(help: "Print JSON: an object, or an array for several paths.")
    var json = false

    @Option(help: "Colour the output: auto, always or never.")
    var color = ColorChoice.auto

    func run() throws {
        try CommandFailure.reported {
            let paths = try paths.isEmpty ? [MountedTree.nearestPath()] : paths
            let reports = try paths.map { try StatusReport($0) }
            if json {
                if reports.count == 1 { return try Output.json(reports[0]) }
                return try Output.json(reports)
            }
            let facts = TerminalFacts.of(STDOUT_FILENO, color: color)
            try Output.write(reports.map { try $0.text(facts) }.joined(separator: "\n"))
        }
    }
}
