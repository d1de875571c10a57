import ArgumentParser
import Glibc

struct ResolveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Resolve a document's conflict.",
        discussion: """
            Two devices have changed the document, and neither had seen the other's change. `--keep current` keeps the document as it is; \
            `--keep VERSION` makes a conflict version current; both discard the rest. `--keep all` makes each conflict version a document of its own, \
            named after the device and the time, and prints their paths. Without --keep, the versions are shown on the terminal and you are asked.

            Example: docfs resolve --keep all Plan.txt
            """)

    @Argument(help: "A document in conflict.", completion: .documents)
    var document: String

    @Option(
        help: "current, all, or a conflict version: its name, the beginning of its name, or its number.",
        completion: .choices)
    var keep: String?

    @Flag(help: "Print JSON: the paths of new documents, as an array.")
    var json = false

    func run() throws {
        try CommandFailure.reported {
            let versions = try DocumentVersions(of: document)
            if versions.conflicts.isEmpty {
                return json ? try Output.json([String]()) : try Output.line("\(document.printable) is not in conflict.")
            }
            guard keep != nil || isatty(STDIN_FILENO) == 1 else {
                CommandFailure.print(
                    error: "without a terminal, say which version to keep: --keep current, all, or VERSION")
                throw ExitCode.validationFailure
            }
            try carryOut(try keep ?? ask(versions), versions)
        }
    }

    private func carryOut(_ choice: String, _ versions: DocumentVersions) throws {
        let resolving = Resolving(versions)
        var copies: [String] = []
        switch choice {
        case "current": try resolving.keepCurrent()
        case "all": copies = try resolving.keepAll()
        default:
            try resolving.keep(try DocumentVersions.choose(choice, from: versions.conflicts, of: versions.path))
        }
        if json { try Output.json(copies) } else { try Output.write(copies.map { $0.printable + "\n" }.joined()) }
    }

    private func ask(_ versions: DocumentVersions) throws -> String {
        try Output.write(
            ConflictOverview(versions, on: try DeviceNames(of: versions.path)).text(TerminalFacts.of(STDOUT_FILENO)))
        while true {
            try Output.write(
                "Keep the current one (c), all as documents of their own (a), or a number? d and a number compares. ")
            guard let answer = readLine()?.split(separator: " ").map(String.init) else {
                throw CommandFailure("nothing was chosen; the conflict remains")
            }
            switch answer.first {
            case "c": return "current"
            case "a": return "all"
            case "d" where answer.count == 2:
                guard let number = Int(answer[1]), versions.conflicts.indices.contains(number - 1) else { continue }
                try DifferenceProgram.run(versions.path, versions.conflicts[number - 1].path)
            case let number?:
                if let number = Int(number), versions.conflicts.indices.contains(number - 1) { return String(number) }
            case nil: continue
            }
        }
    }
}
