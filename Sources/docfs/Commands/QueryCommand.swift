import ArgumentParser
import Glibc

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Find documents by name, size, time, state and attributes, and follow them.",
        discussion: """
            Prints each document whose display name contains all the words (a word with a dot: display name and extension), or of which the \
            predicate is true: its path, and on a terminal its name before that. A predicate compares \
            fields with values: = != < <= > >=, like (a pattern with * ? [abc]), contains (a part of a text), has (a word of a list). Comparisons \
            are joined by and, or, not and parentheses. For words, like and contains, capital and small letters are the same.

            A folder of a docfs mount as the last word says where to look, and so does a path with a slash.

            Fields: name (the filename), displayName, extension, size (500, 10k, 2M, 1G), modified, created (2026-11-01, "2026-11-01 14:30", today, \
            yesterday, -7d, -12h, -30m), state, indicator, location, downloading, uploading, conflicts, and attributes such as user.tags. A flag of \
            the state is a predicate by itself, and so is an attribute: it is there.

            With --watch, the documents found at first are lines `found PATH`. Then each change is a line: `added`, `changed` or `removed`, \
            and the path; on a terminal the name comes before it. It goes on until it is interrupted (Ctrl-C; the shell then reports 130), or until the mount ends (1).

            Examples:
              docfs query invoice march
              docfs query Groceries.txt
              docfs query 'displayName like "Shopping*"' ~/docs
              docfs query 'displayName contains invoice and extension = pdf'
              docfs query 'size > 10M and downloading = current'
              docfs query 'modified > -7d'
              docfs query 'modified >= 2026-11-01 and modified < 2026-12-01'
              docfs query 'created = today'
              docfs query 'inConflict or savingError' --watch
              docfs query 'location = cloud and not uploading = uploaded'
              docfs query 'user.tags has urgent and (extension = txt or extension = md)'
              docfs query 'conflicts > 1 or indicator = red' --json
            """)

    @Argument(
        help:
            "Words, or what must be true of a document; then perhaps a folder in a docfs mount. (default: the nearest mount)",
        completion: .documents)
    var words: [String]

    @Flag(help: "Go on, and print what comes, changes and goes.")
    var watch = false

    @Flag(help: "Print JSON: an array of documents; with --watch, an object a line.")
    var json = false

    private var facts: TerminalFacts { .of(STDOUT_FILENO) }

    func run() throws {
        try CommandFailure.reported {
            let (text, path) = split()
            let predicate: QueryPredicate
            do throws(QueryError) {
                predicate = try QueryParser.parse(text, clock: .system)
            } catch {
                CommandFailure.print(error: "\(error)")
                throw ExitCode.validationFailure
            }
            let mount = try MountedTree(holdingOrNearest: path)
            let place = path ?? mount.mountpoint
            var query = LiveQuery(predicate, cloud: mount.documents + "/cloud")
            guard watch else { return try show(try query.gather(try DocumentTree.documents(below: place))) }
            let follower = try DocumentFollower([place])
            try MountHasEnded.toldInStream(json: json) {
                try follow(&query, follower, try query.gather(follower.present))
            }
        }
    }

    /// No display name has a slash.
    private func split() -> (text: String, path: String?) {
        if words.count > 1, let last = words.last, last.contains("/") || MountedTree.hasFolder(last) {
            return (words.dropLast().joined(separator: " "), last)
        }
        return (words.joined(separator: " "), nil)
    }

    private func show(_ found: [FoundDocument]) throws {
        if json { return try Output.json(found.map { DocumentRecord(ListedDocument($0.line, path: $0.path, .all)) }) }
        if facts.isTerminal {
            var table = TextTable(
                found.map {
                    [
                        StyledText(ListedDocument($0.line, path: $0.path, .name).fullName),
                        StyledText($0.path, .faint),
                    ]
                })
            table.hasColor = facts.hasColor
            return try Output.write(table.text)
        }
        try Output.write(found.map { $0.path.printable + "\n" }.joined())
    }

    private func follow(_ query: inout LiveQuery, _ follower: DocumentFollower, _ found: [FoundDocument]) throws {
        for document in found { try print(.init(event: .found, path: document.path, line: document.line)) }
        while true {
            for change in try follower.next() {
                if let event = try query.event(of: change) { try print(event) }
            }
        }
    }

    private func print(_ event: LiveQuery.Event) throws {
        if json {
            try Output.jsonLine(event.record)
        } else if facts.isTerminal, let line = event.line {
            let name = StyledText(ListedDocument(line, path: event.path, .name).fullName, .bold)
            let path = StyledText(event.path, .faint)
            try Output.line(
                "\(event.event.rawValue) "
                    + [name, path].map { $0.rendered(hasColor: facts.hasColor) }.joined(separator: "  "))
        } else {
            try Output.line("\(event.event.rawValue) \(event.path.printable)")
        }
    }
}
