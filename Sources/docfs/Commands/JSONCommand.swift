import ArgumentParser

/// A page of the help: `docfs help json`.
struct JSONCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "json", abstract: "Explain what --json prints.",
        discussion: """
            Numbers are numbers, flags are arrays, times are ISO 8601 in UTC, sizes are bytes. A key means the same wherever it stands; what does \
            not apply is left out. docfs ls, query, trash, versions, mounts and undo --list print an array of objects; watch, query --watch, \
            undo and redo print an object a line.

            \(JSONKey.page)
            """)

    func run() throws { throw CleanExit.helpRequest(self) }
}
