import ArgumentParser

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print changes of states as they happen.",
        discussion: """
            One line for each change: path, old and new state, transfer, progress in percent, display name. A folder is watched with all folders \
            in it. Goes on until it is interrupted (Ctrl-C; the shell then reports 130), or until the mount ends (1).

            Example: docfs watch ~/docs/Documents/cloud
            """)

    @Argument(
        help: "Documents and folders in docfs mounts. (default: the current folder, or the nearest mount)",
        completion: .documents)
    var paths: [String] = []

    @Flag(help: "Print JSON: an object a line.")
    var json = false

    func run() throws {
        try CommandFailure.reported {
            let follower = try DocumentFollower(MountedTree.pathsOrNearest(paths))
            try MountHasEnded.toldInStream(json: json) {
                while true {
                    // A save that leaves the state as it was is no change of it.
                    for change in try follower.next() where change.old != change.new || change.progress != nil {
                        if json { try Output.jsonLine(change.record) } else { try Output.line(change.text) }
                    }
                }
            }
        }
    }
}
