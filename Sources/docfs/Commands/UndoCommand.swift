import ArgumentParser
import CLinux
import Documents
import Filesystem
import FoundationEssentials
import Glibc

struct UndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo what was done last.",
        discussion: """
            Brings back what was deleted, and takes back what was created, renamed, moved or reordered, \
            a choice among versions in conflict, and a change of the preferred location. One command over many documents is \
            undone as one action, also after the mount was ended and begun again. With a number, so many actions are undone, one after another, until one cannot be undone.

            Examples:
              rm *.txt && docfs undo
              docfs undo --list
              docfs undo 3
            """)

    @OptionGroup var options: ActionOptions

    func run() throws { try options.run(.undo, done: "Undid", object: "undone") }
}

struct RedoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo", abstract: "Do again what was undone last.",
        discussion: """
            Whatever else is done after an undo clears the list of actions that can be done again. With a number, so many are done again, one after \
            another.

            Example: docfs undo && docfs redo
            """)

    @OptionGroup var options: ActionOptions

    func run() throws { try options.run(.redo, done: "Redid", object: "done again") }
}

struct ActionOptions: ParsableArguments {
    @Argument(
        help: "How many actions, as --list numbers them, and any path in the mount. (default: 1, and the nearest mount)"
    )
    var words: [String] = []

    @Flag(
        help:
            "List the actions with time and place, and change nothing. On a terminal the next one comes last, nearest to the prompt; elsewhere it comes first, and a line is a name."
    )
    var list = false

    @Flag(help: "Print JSON: an object a line for each action, with its name; with --list an array of actions.")
    var json = false

    func run(_ direction: ActionDirection, done: String, object: String) throws {
        try CommandFailure.reported {
            let (count, path) = try split()
            let mount = try MountedTree(holdingOrNearest: path)
            if list { return try show(mount.actions(direction), object: object) }
            for _ in 0..<count {
                let name = try mount.perform(direction)
                if json {
                    try Output.jsonLine([direction == .undo ? "undone" : "redone": name])
                } else {
                    try Output.line("\(done): \(name.printable)")
                }
            }
        }
    }

    private func split() throws -> (count: Int, path: String?) {
        var rest = words[...]
        var count = 1
        if let first = rest.first, let number = Int(first) {
            count = number
            rest.removeFirst()
        }
        guard rest.count <= 1, count > 0 else {
            CommandFailure.print(error: "one number and one path, please; see `docfs undo --help`")
            throw ExitCode.validationFailure
        }
        return (count, rest.first)
    }

    private func show(_ actions: [ListedAction], object: String) throws {
        if json { return try Output.json(actions) }
        let facts = TerminalFacts.of(STDOUT_FILENO)
        guard facts.isTerminal else { return try Output.write(actions.map { $0.name.printable + "\n" }.joined()) }
        if actions.isEmpty { return try Output.line("There is nothing that can be \(object).") }
        // The next one stands out.
        var table = TextTable(
            actions.enumerated().reversed().map { index, action in
                [
                    StyledText("\(index + 1)", .faint), StyledText(HumanText.localTime(iso8601: action.time), .faint),
                    StyledText(action.name, index == 0 ? .bold : nil),
                    // The name needs the room more than the place.
                    StyledText(action.place ?? "", .faint).cut(toColumns: max(10, facts.width / 4)),
                ]
            })
        table.rightAligned = [0]
        table.hasColor = facts.hasColor
        table.fit(facts.width, cutting: 2)
        try Output.write(table.text)
    }
}

extension MountedTree {
    /// The actions of a list, the next one first.
    func actions(_ direction: ActionDirection) throws -> [ListedAction] {
        try records(ReservedReport(direction), describedAs: "the list of actions")
    }

    /// The records of a report.
    func records<Record: Decodable>(_ report: ReservedReport, describedAs subject: String) throws -> [Record] {
        let path = Array((documents + "/").utf8) + report.name
        return try OpenStateFile(at: path, describedAs: subject).text().split(separator: "\n").map {
            try JSONDecoder().decode(Record.self, from: Data($0.utf8))
        }
    }

    /// - Returns: the name of the action that was undone or done again.
    func perform(_ direction: ActionDirection) throws -> String {
        let failed =
            setxattr(mountpoint, MountAttribute.undo.rawValue, direction.rawValue, direction.rawValue.utf8.count, 0)
            != 0
        let error = String(cString: strerror(errno))
        let words = outcomeOfUndo.split(separator: " ", maxSplits: 1).map(String.init)
        if failed {
            let reason = words.first == "refused" ? words.last ?? error : error
            throw CommandFailure("cannot \(direction.rawValue): \(reason)")
        }
        return words.first == "done" ? words.last ?? "" : ""
    }
}
