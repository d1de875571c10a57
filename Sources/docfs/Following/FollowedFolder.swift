/// A folder whose documents are followed: its state file, which is polled, and its reports of inotify.
final class FollowedFolder {
    let path: String
    let state: OpenStateFile
    /// The number that reports about it have.
    let watch: Int32
    /// As they were read last.
    var lines: [FolderStateLine] = []
    /// Filenames of documents of which inotify has told.
    var touched: Set<String> = []

    /// Watches before it looks, so that nothing comes between.
    init(_ path: String, _ notifications: FolderNotifications) throws {
        self.path = path
        watch = try notifications.watch(path)
        state = try OpenStateFile(ofFolder: path)
        lines = try readLines()
    }

    func readLines() throws -> [FolderStateLine] { FolderStateLine.lines(try state.text()) }
}
