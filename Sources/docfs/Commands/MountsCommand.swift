import ArgumentParser

struct MountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mounts", abstract: "List the docfs mounts.",
        discussion: """
            One line for each: mountpoint, store, cloud, and since when. A mount that does not answer has only its mountpoint.

            Example: docfs mounts --json
            """)

    @Flag(help: "Print JSON: an array of mounts.")
    var json = false

    private struct Line: Encodable {
        let mountpoint: String
        let store: String?
        let cloud: String?
        /// ISO 8601 in UTC.
        let since: String?
    }

    func run() throws {
        try CommandFailure.reported {
            let lines = try MountedTree.all().map { mount in
                let state = (try? readState(ofFolder: mount.documents)).map(StateText.init)
                return Line(
                    mountpoint: mount.mountpoint, store: mount.store, cloud: state?["cloud.url"],
                    since: mount.began)
            }
            if json { return try Output.json(lines) }
            let rows = lines.map { line in
                [line.mountpoint, line.store, line.cloud, line.since].map { StyledText(($0 ?? "-").printable) }
            }
            try Output.write(TextTable(rows).text)
        }
    }
}
