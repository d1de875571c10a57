import ArgumentParser
import Glibc
import SystemPackage

struct PreferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prefer", abstract: "Choose where documents live: on this machine or in the cloud.",
        discussion: """
            New documents that are made in Documents itself go to the preferred location, and everything that is at the other one moves \
            over. Returns when that is done: with `local`, when the contents are here, too; with `cloud`, they are sent afterwards (`docfs wait`). \
            What cannot move stays where it is, and is named; the same command tries it again.

            Example: docfs prefer cloud
            """)

    @Argument(help: "local or cloud.")
    var location: PreferredContainer

    @Argument(help: "The mountpoint, or any path below it. (default: the nearest mount)")
    var path: String?

    func run() throws {
        try CommandFailure.reported {
            let mount = try MountedTree(holdingOrNearest: path)
            let cloud = mount.documents + "/cloud/"
            let coming = location == .local ? try CloudDocument.all(at: cloud).filter { !$0.isCurrent } : []
            try mount.prefer(location)
            let stayed = try waitUntilMoved(mount)
            for line in stayed { CommandFailure.print(error: line) }
            let moved = coming.map { CloudDocument(path: mount.documents + "/local/" + $0.path.dropFirst(cloud.count)) }
            try ContentDownload(ofMoved: moved.filter { access($0.path, F_OK) == 0 }).run()
            if !stayed.isEmpty { throw ExitCode.failure }
        }
    }

    /// - Returns: what stayed, with the reasons.
    private func waitUntilMoved(_ mount: MountedTree) throws -> [String] {
        let state = try OpenStateFile(ofFolder: mount.documents)
        var display = ProgressDisplay("moving to \(location.rawValue)")
        defer { display.clear() }
        while true {
            let lines = StateText(try state.text()).pairs
            guard let moving = lines.first(where: { $0.key == "preferred.moving" }) else {
                return lines.filter { $0.key == "preferred.stayed" }.map(\.value)
            }
            let numbers = moving.value.split(separator: " ").compactMap { Int64($0) }
            if numbers.count == 2 { display.show(Progress(done: numbers[0], total: numbers[1], unit: .documents)) }
            _ = try Polling.wait(
                for: [.init(descriptor: state.descriptor, events: POLLPRI)], until: display.nextDraw)
        }
    }
}

extension MountedTree {
    /// Has all documents move to the preferred location. Returns when that has begun.
    func prefer(_ location: PreferredContainer) throws {
        let path = documents + "/.location"
        if attributeText("user.document.id", of: path) != nil {
            throw CommandFailure("a document is called .location; rename it first: \(path)")
        }
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw CommandFailure("cannot open \(path): \(Errno(rawValue: errno))") }
        defer { close(file) }
        let word = Array((location.rawValue + "\n").utf8)
        guard Glibc.write(file, word, word.count) == word.count else {
            throw CommandFailure("cannot write \(path): \(Errno(rawValue: errno))")
        }
    }
}

enum PreferredContainer: String, ExpressibleByArgument, CaseIterable {
    case local, cloud
}
