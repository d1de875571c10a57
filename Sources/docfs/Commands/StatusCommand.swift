import ArgumentParser
import Documents
import Foundation
import Glibc

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of a document, a folder or the whole mount.")

    @Argument(help: "A document, a folder, or the mountpoint.")
    var path: String = "."

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        try CommandFailure.reported {
            let mount = try MountedTree(holding: path)
            var status = stat()
            guard stat(path, &status) == 0 else {
                throw CommandFailure("\(path) cannot be found: \(String(cString: strerror(errno)))")
            }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                print(try render(readState(ofDocument: path)), terminator: "")
                return
            }
            if isTop(mount) {
                let state = try readState(ofFolder: mount.documents)
                print(try render(state + "data path: \(mount.dataPath ?? "unknown")\n"), terminator: "")
            } else {
                var list = ListCommand()
                list.folder = path
                list.json = json
                try list.run()
            }
        }
    }

    private func isTop(_ mount: MountedTree) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        let absolute = String(cString: real)
        return absolute == mount.mountpoint || absolute == mount.documents
    }

    private func render(_ text: String) throws -> String {
        guard json else { return text }
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let colon = line.firstRange(of: ": ") else { continue }
            values[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(values), as: UTF8.self) + "\n"
    }
}
