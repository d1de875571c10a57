import Glibc

/// The beginning of a folder with very many entries: reading the state of all of it takes a while.
struct FirstLook {
    /// Entries. So many are read one by one, in a moment.
    static let count = 200

    /// The paths of the folders among them.
    let folders: [String]
    /// Of the documents among them.
    let lines: [FolderStateLine]

    /// - Returns: nil for a folder of fewer entries, which is read as a whole.
    init?(_ path: String) throws {
        let entries = try FolderContent.entries(of: path, first: Self.count)
        guard entries.count == Self.count else { return nil }
        folders = entries.filter { $0.isFolder && !$0.name.hasSuffix(".conflicts") }.map { path + "/" + $0.name }
        // What has no state is no document, or has gone meanwhile.
        lines = entries.filter { !$0.isFolder && !$0.isLink }.compactMap { entry in
            (try? readState(ofDocument: path + "/" + entry.name)).map { FolderStateLine(StateText($0)) }
        }
    }
}
