import Catalog
import Documents

/// Where an entry lies in the store, as text for a person.
enum StorePath {
    private static let mostFolders = 4096

    static func text(of entry: Entry, _ rows: Rows) throws -> String {
        var (names, current) = ([entry.filename], entry)
        // Rows may be damaged: a folder may lie in itself.
        while current.parent > .documents, names.count < mostFolders, let parent = try rows.entry(current.parent) {
            names.append(parent.filename)
            current = parent
        }
        return names.reversed().joined(separator: "/")
    }

    /// The location that an entry is moved to if its place means nothing.
    static func home(of entry: Entry) -> Location { entry.location ?? .local }
}
