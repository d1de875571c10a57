import ArgumentParser

struct KeepCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep", abstract: "Keep the contents of cloud documents always on this device.",
        discussion: """
            Contents that are not here are fetched. A kept folder fetches all that ever comes into it, and the newer versions of what is \
            in it. Other devices do not hear of it.

            Example: docfs keep cloud/Work
            """)

    @Argument(
        help: "Documents and folders. (default: the current folder, or all that is in the cloud)",
        completion: .documents)
    var paths: [String] = []

    @Flag(help: "End it: the contents stay until they give way to others.")
    var off = false

    func run() throws {
        try CommandFailure.reported {
            let paths = try paths.isEmpty ? [Self.defaultPath()] : paths
            for path in paths {
                _ = try MountedTree(holding: path)
                let document = CloudDocument(path: path)
                if off { try document.beReleased() } else { try document.beKept() }
            }
            if off { return }
            let documents = try paths.flatMap { try CloudDocument.all(at: $0) }
            do { try ContentDownload(documents).run() } catch let failure as CommandFailure {
                throw CommandFailure("\(failure.message). What is missing is fetched when that can be done.")
            }
        }
    }

    /// Neither the mountpoint nor `Documents` can be kept, for local documents are always here.
    private static func defaultPath() throws -> String {
        let path = try MountedTree.nearestPath()
        let mount = try MountedTree(holding: path)
        return mount.isMountpoint(path) || mount.isDocuments(path) ? mount.documents + "/cloud" : path
    }
}
