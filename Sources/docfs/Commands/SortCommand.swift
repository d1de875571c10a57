import ArgumentParser
import CLinux
import Documents
import Glibc

struct SortCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sort", abstract: "Choose how a folder is sorted.",
        discussion: """
            A folder is listed in the order that people gave it (manual), or sorted by name, by time of modification or creation (newest \
            first), or by size (largest first). While it is sorted it cannot be reordered; `manual` brings its own order back. How a \
            folder of the cloud is sorted holds on all devices, that of `local`, `cloud` and `Documents` themselves on this one. Without a \
            mode, the present one is printed.

            Example: docfs sort ~/docs/Documents/local modified
            """)

    @Argument(
        help:
            "A folder in a docfs mount (default: the current folder, or Documents of the nearest mount), and what to sort by.",
        completion: .documents)
    var words: [String] = []

    @Flag(help: "Print JSON: an object with the mode.")
    var json = false

    private struct Printed: Encodable {
        let sort: String
    }

    func run() throws {
        try CommandFailure.reported {
            let (folder, mode) = try chosen()
            _ = try MountedTree(holding: folder)
            guard let mode else {
                guard try Listing.isFolder(folder) else { throw Self.notFolder(folder) }
                let present = SortMode(ofFolder: folder).rawValue
                return json ? try Output.json(Printed(sort: present)) : try Output.line(present)
            }
            let value = Array(mode.rawValue.utf8)
            guard setxattr(folder, OrderAttribute.sort, value, value.count, 0) != 0 else { return }
            let error = errno
            if error == ENOTDIR { throw Self.notFolder(folder) }
            throw CommandFailure("\(folder) cannot be sorted: \(String(cString: strerror(error)))")
        }
    }

    /// The last word is the mode, unless only a folder is named.
    private func chosen() throws -> (folder: String, mode: SortMode?) {
        let last = words.last.flatMap(SortMode.init(rawValue:))
        switch words.count {
        case 0: return (try Self.defaultFolder(), nil)
        case 1 where last != nil && !MountedTree.hasFolder(words[0]): return (try Self.defaultFolder(), last)
        case 1: return (words[0], nil)
        case 2:
            guard let last else {
                CommandFailure.print(
                    error: "\(words[1]) is no way to sort; name one of "
                        + SortMode.allCases.map(\.rawValue).joined(separator: ", "))
                throw ExitCode.validationFailure
            }
            return (words[0], last)
        default:
            CommandFailure.print(error: "one folder at a time is sorted; name one, and a mode")
            throw ExitCode.validationFailure
        }
    }

    /// The mountpoint itself holds nothing that could be sorted.
    private static func defaultFolder() throws -> String {
        let path = try MountedTree.nearestPath()
        let mount = try MountedTree(holding: path)
        return mount.isMountpoint(path) ? mount.documents : path
    }

    private static func notFolder(_ path: String) -> CommandFailure {
        CommandFailure("\(path) is not a folder; name the folder that it lies in")
    }
}

extension SortMode: ExpressibleByArgument {}

extension SortMode {
    /// How a folder of a mount is sorted; `manual` where nobody says so.
    init(ofFolder path: String) {
        self = attributeText(OrderAttribute.sort, of: path).flatMap(SortMode.init(rawValue:)) ?? .manual
    }
}
