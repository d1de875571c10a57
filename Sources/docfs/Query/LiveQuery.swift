/// Which documents a predicate is true of, while they change.
struct LiveQuery {
    struct Event {
        let event: DocumentEvent.Kind
        let path: String
        let line: FolderStateLine?

        var record: DocumentEvent {
            DocumentEvent(
                event: event,
                document: line.map { DocumentRecord(ListedDocument($0, path: path, event == .removed ? .line : .all)) })
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
        let kind: DocumentEvent.Kind? =
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
