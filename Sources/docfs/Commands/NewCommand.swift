import ArgumentParser
import CLinux
import Documents
import Glibc
import SystemPackage

struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a new, empty document and print its path.",
        discussion: """
            The document is always a fresh one, also where another bears the same name. Without --name, nobody has named it yet: it is called \
            after the first line of its text. It stands in the folder that PATH names. If PATH is the mount as a whole, or --in names \
            the other location, it stands in `local` or `cloud`: as --in says, else in the preferred location.

            Example: $EDITOR "$(docfs new --in cloud --name "Shopping list")"
            """)

    @Option(name: .customLong("in"), help: "Where: local or cloud. (default: the preferred location)")
    var location: Location?

    @Option(help: "The document's name, without an extension.")
    var name: String?

    @Option(name: .customLong("ext"), help: "The extension, without its dot; empty for none.")
    var pathExtension = "txt"

    @Argument(
        help: "A folder in a docfs mount. (default: the mount of the current folder, or the only one)",
        completion: .documents)
    var path: String?

    @Flag(help: "Print JSON: an object with path and filename.")
    var json = false

    enum Location: String, ExpressibleByArgument, CaseIterable { case local, cloud }

    func validate() throws {
        if let name, name.isEmpty || name.contains("/") {
            throw ValidationError("--name cannot be empty or contain '/'")
        }
        if pathExtension.count > DocumentName.longestExtension || pathExtension.contains(where: { " ./".contains($0) })
        {
            throw ValidationError("--ext must be 1 to 16 characters without a space, a dot or '/'")
        }
    }

    func run() throws {
        try CommandFailure.reported {
            let folder = try folder()
            let filename = try NewDocument(name: name, pathExtension: pathExtension).make(in: folder)
            struct Made: Encodable { let path: String, filename: String }
            let made = Made(path: folder + "/" + filename, filename: filename)
            if json { try Output.json(made) } else { try Output.line(made.path) }
        }
    }

    private func folder() throws -> String {
        let mount = try MountedTree(holdingOrNearest: path)
        if let path {
            guard try Listing.isFolder(path) else {
                throw CommandFailure("\(path) is not a folder; name the folder for the new document")
            }
            let folder = try MountedTree.resolved(path)
            let place = Location.allCases.first { (folder + "/").hasPrefix("\(mount.documents)/\($0)/") }
            if let place, location == nil || location == place { return folder }
        }
        return "\(mount.documents)/\(try location ?? preferredLocation(of: mount))"
    }

    private func preferredLocation(of mount: MountedTree) throws -> Location {
        let word = StateText(try readState(ofFolder: mount.documents))["preferred"] ?? ""
        return Location(rawValue: word) ?? .local
    }
}
