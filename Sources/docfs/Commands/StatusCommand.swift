import ArgumentParser
import Foundation
import Glibc

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of documents, of a folder or of the whole mount.",
        discussion: """
            Of a document: its flags, names, place, size, transfer and conflicts. Of a folder: a line for each document. Of the mountpoint: \
            how many documents there are, the connection, and what has still to be sent. On a terminal, sizes and times are easy to read; \
            elsewhere the lines are those of the state file.

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

/// The output of `docfs status` for one path.
private enum StatusReport: Encodable {
    case state(StateText)
    case folder(Listing)

    init(_ path: String) throws {
        let mount = try MountedTree(holding: path)
        guard try Listing.isFolder(path) else {
            self = .state(StateText(try readState(ofDocument: path)))
            return
        }
        if Self.isTop(path, of: mount) {
            let state = try readState(ofFolder: mount.documents)
            self = .state(StateText(state + "data path: \(mount.dataPath ?? "unknown")\n"))
        } else {
            self = .folder(try Listing(path, isDetailed: true))
        }
    }

    private static func isTop(_ path: String, of mount: MountedTree) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        let absolute = String(cString: real)
        return absolute == mount.mountpoint || absolute == mount.documents
    }

    func text(_ facts: TerminalFacts) throws -> String {
        switch self {
        case .folder(let listing): return facts.isTerminal ? try listing.long(facts) : try listing.table(facts)
        case .state(let state):
            guard facts.isTerminal || facts.hasColor else {
                return state.pairs.map { "\($0.key): \($0.value)\n" }.joined()
            }
            var table = TextTable(state.pairs.map { [StyledText($0.key, .faint), Self.humanValue($0, in: state)] })
            table.hasColor = facts.hasColor
            return table.text
        }
    }

    private static func humanValue(_ pair: (key: String, value: String), in state: StateText) -> StyledText {
        switch pair.key {
        case "size": StyledText(Int64(pair.value).map(HumanText.size) ?? pair.value)
        case "modified": StyledText(time(pair.value))
        case "trash": StyledText(Self.trash(pair.value))
        case "progress": StyledText(pair.value + " %")
        case "state", "indicator": StyledText(pair.value, StyledText.Style(indicator: state["indicator"] ?? ""))
        case "error": StyledText(pair.value, .red)
        case "cloud.connection": StyledText(pair.value, pair.value == "online" ? .green : .yellow)
        case "conflicts", "cloud.conflicts": StyledText(pair.value, pair.value == "0" ? nil : .yellow)
        case "displayName": StyledText(pair.value, .bold)
        default: StyledText(pair.value)
        }
    }

    private static func time(_ text: String) -> String {
        guard let date = try? Date(text, strategy: .iso8601) else { return text }
        return HumanText.localTime(secondsSince1970: Int(date.timeIntervalSince1970))
    }

    /// `BYTES in N documents`, with a size for people.
    private static func trash(_ text: String) -> String {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let bytes = Int64(words[0]) else { return text }
        return "\(HumanText.size(bytes)) \(words[1] == "in 1 documents" ? "in 1 document" : words[1])"
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .state(let state): try state.values.encode(to: encoder)
        case .folder(let listing): try listing.documents.encode(to: encoder)
        }
    }
}
