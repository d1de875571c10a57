import ArgumentParser
import Glibc

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Find documents by name, size, time, state and attributes, and follow them.",
        discussion: """
            Prints the path of each document that the predicate is true of. A predicate compares fields with values: = != < <= > >=, like (a \
            pattern with * ? [abc]), contains (a part of a text), has (a word of a list). Comparisons are joined by and, or, not and parentheses. \
            Capital and small letters differ.

            Fields: name (the filename), displayName, extension, size (500, 10k, 2M, 1G), modified, created (2026-11-01, "2026-11-01 14:30", today, \
            yesterday, -7d, -12h, -30m), state, indicator, location, downloading, uploading, conflicts, and attributes such as user.tags. A flag of \
            the state is a predicate by itself, and so is an attribute: it is there.

            With --watch, the documents found at first are lines `found PATH`. Then each change is a line: `added`, `changed` or `removed`, \
            and the path. It goes on until it is interrupted (Ctrl-C; the shell then reports 130).

            Examples:
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

    @Argument(help: "What must be true of a document.")
    var predicate: String

    @Argument(
        help: "A folder or document in a docfs mount. (default: the mount of the current folder, or the only one)",
        completion: .documents)
    var path: String?

    @Flag(help: "Go on, and print what comes, changes and goes.")
    var watch = false

    @Flag(help: "Print JSON: an array of documents; with --watch, an object a line.")
    var json = false

    func run() throws {
        try CommandFailure.reported {
            let predicate: QueryPredicate
            do throws(QueryError) {
                predicate = try QueryParser.parse(self.predicate, clock: .system)
            } catch {
                CommandFailure.print(error: "\(error)")
                throw ExitCode.validationFailure
            }
            let mount = try path.map { try MountedTree(holding: $0) } ?? MountedTree.nearest()
            let follower = try DocumentFollower([path ?? mount.mountpoint])
            var query = LiveQuery(predicate, cloud: mount.documents + "/cloud")
            let found = try query.gather(follower.present)
            if watch { try follow(&query, follower, found) } else { try show(found) }
        }
    }

    private func show(_ found: [FoundDocument]) throws {
        if json { return try Output.json(found.map { ListedDocument($0.line, path: $0.path) }) }
        if TerminalFacts.of(STDOUT_FILENO).isTerminal {
            return try Output.write(
                TextTable(found.map { [StyledText($0.path), StyledText($0.line.displayName)] }).text)
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
        } else {
            try Output.line("\(event.event.rawValue) \(event.path.printable)")
        }
    }
}

/// Which documents a predicate is true of, while they change.
struct LiveQuery {
    struct Event {
        enum Kind: String { case found, added, changed, removed }
        let event: Kind
        let path: String
        let line: FolderStateLine?

        struct Record: Encodable {
            let event: String
            let path: String
            let document: ListedDocument?
        }

        var record: Record {
            Record(
                event: event.rawValue, path: path,
                document: event == .removed ? nil : line.map { ListedDocument($0, path: path) })
        }
    }

    private let predicate: QueryPredicate
    /// The path of `Documents/cloud`; it tells the location.
    private let cloud: String
    private var paths: Set<String> = []
    /// By folder.
    private var locations: [String: String] = [:]

    init(_ predicate: QueryPredicate, cloud: String) {
        self.predicate = predicate
        self.cloud = cloud
    }

    mutating func gather(_ present: [(path: String, line: FolderStateLine)]) throws -> [FoundDocument] {
        var found: [FoundDocument] = []
        for (path, line) in present {
            let document = document(path, line)
            if try predicate.matches(document) { found.append(document) }
        }
        paths = Set(found.map(\.path))
        return found
    }

    /// - Returns: nil for a change that is none to those who asked.
    mutating func event(of change: DocumentChange) throws -> Event? {
        let wasFound = paths.contains(change.path)
        var isFound = false
        if let line = change.new { isFound = try predicate.matches(document(change.path, line)) }
        if isFound { paths.insert(change.path) } else { paths.remove(change.path) }
        let kind: Event.Kind? =
            switch (wasFound, isFound) {
            case (false, true): .added
            case (true, true): .changed
            case (true, false): .removed
            case (false, false): nil
            }
        return kind.map { Event(event: $0, path: change.path, line: change.new ?? change.old) }
    }

    private mutating func document(_ path: String, _ line: FolderStateLine) -> FoundDocument {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let location = locations[folder] ?? location(of: folder)
        locations[folder] = location
        return FoundDocument(path: path, line: line, location: location)
    }

    /// The folder may have been named by a relative path, or through a link. One that is gone is where its path says.
    private func location(of folder: String) -> String {
        let place = (try? MountedTree.resolved(folder)) ?? folder
        return (place + "/").hasPrefix(cloud + "/") ? "cloud" : "local"
    }
}
