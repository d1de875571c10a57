import ArgumentParser
import Glibc

struct DownloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download", abstract: "Bring the contents of cloud documents to this device.",
        discussion: """
            A document of the cloud that was never opened here is a placeholder without content. This fetches its content, or the newest \
            version of it, and returns when it is here. Of a folder, everything in it is fetched.

            Example: docfs download cloud/Holiday cloud/Tickets.pdf
            """)

    @Argument(
        help: "Documents and folders. (default: the current folder, or the nearest mount)", completion: .documents)
    var paths: [String] = []

    func run() throws {
        try CommandFailure.reported {
            let paths = try MountedTree.pathsOrNearest(paths)
            for path in paths { _ = try MountedTree(holding: path) }
            try ContentDownload(try paths.flatMap { try CloudDocument.all(at: $0) }).run()
        }
    }
}
