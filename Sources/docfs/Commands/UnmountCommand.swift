import ArgumentParser

struct UnmountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmount", abstract: "Unmount your documents.",
        discussion: """
            Returns when the mount has ended. Changes that are not sent yet are sent after the next mount.

            Example: docfs wait ~/docs; docfs unmount ~/docs
            """)

    @Argument(
        help: "The mountpoint, or any path below it. (default: the mount of the current folder, or the only one)",
        completion: .directory)
    var path: String?

    func run() throws {
        try CommandFailure.reported {
            try MountEnding.end(try MountedTree(holdingOrNearest: path), evenInUse: true)
        }
    }
}
