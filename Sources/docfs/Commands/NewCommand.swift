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
            let filename = try make(in: folder)
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

    /// - Returns: the filename.
    private func make(in folder: String) throws -> String {
        let fullName = name.map(whole)
        do throws(Errno) {
            return try create(fullName ?? whole("Untitled"), in: folder, named: nil)
        } catch .fileExists where fullName != nil {
            // Another document bears this name. An untitled document is always a fresh one, and may then be given the name as well.
            do throws(Errno) { return try create(whole("Untitled"), in: folder, named: name) } catch {
                throw refused(error, folder)
            }
        } catch {
            throw refused(error, folder)
        }
    }

    private func refused(_ error: Errno, _ folder: String) -> CommandFailure {
        if error == .noData {
            return CommandFailure(
                "\(whole(name ?? "Untitled")) is a name of scratch files, which are no documents; choose another")
        }
        return CommandFailure("cannot make a document\(name.map { " named \($0)" } ?? "") in \(folder): \(error)")
    }

    private func whole(_ name: String) -> String { pathExtension.isEmpty ? name : "\(name).\(pathExtension)" }

    private func create(_ wholeName: String, in folder: String, named displayName: String?) throws(Errno) -> String {
        let path = folder + "/" + wholeName
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw Errno(rawValue: errno) }
        defer { close(file) }
        guard let filename = filename(of: file) else {
            unlink(path)
            throw .noData
        }
        if let displayName {
            let bytes = Array(displayName.utf8)
            guard fsetxattr(file, "user.displayName", bytes, bytes.count, 0) == 0 else {
                let error = Errno(rawValue: errno)
                unlink(folder + "/" + filename)
                throw error
            }
        }
        return filename
    }

    /// Nil for a scratch file, which keeps the name that it was given.
    private func filename(of file: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = fgetxattr(file, "user.document.filename", &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
