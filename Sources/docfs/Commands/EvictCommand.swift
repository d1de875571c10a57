import ArgumentParser
import Glibc

struct EvictCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict", abstract: "Free the room that contents of cloud documents take here.",
        discussion: """
            The documents stay in the cloud, with all their versions, and become placeholders here: opening one downloads it again. \
            Nothing is dropped that is open, kept, or not safely in the cloud. Of a folder, everything that can go is dropped, and what \
            stays is named.

            Example: docfs evict cloud/Holiday
            """)

    @Argument(
        help: "Documents and folders. (default: the current folder, or the nearest mount)", completion: .documents)
    var paths: [String] = []

    func run() throws {
        try CommandFailure.reported {
            var stays = false
            for path in try MountedTree.pathsOrNearest(paths) {
                _ = try MountedTree(holding: path)
                for document in try CloudDocument.all(at: path) {
                    guard let reason = document.evict() else { continue }
                    CommandFailure.print(error: document.refusal(toLeaveBecause: reason))
                    stays = true
                }
            }
            if stays { throw ExitCode.failure }
        }
    }
}
