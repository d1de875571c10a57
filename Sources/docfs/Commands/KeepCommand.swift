import ArgumentParser
import CLinux
import Glibc
import SystemPackage

struct KeepCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep", abstract: "Keep the contents of cloud documents always on this device.",
        discussion: """
            Contents that are not here are fetched. A kept folder fetches all that ever comes into it, and the newer versions of what is \
            in it. Other devices do not hear of it.

            Example: docfs keep cloud/Work
            """)

    @Argument(
        help: "Documents and folders. (default: the current folder, or all that is in the cloud)",
        completion: .documents)
    var paths: [String] = []

    @Flag(help: "End it: the contents stay until they give way to others.")
    var off = false

    func run() throws {
        try CommandFailure.reported {
            let paths = try paths.isEmpty ? [Self.defaultPath()] : paths
            for path in paths {
                _ = try MountedTree(holding: path)
                if off { try Self.release(path) } else { try Self.keep(path) }
            }
            if off { return }
            let documents = try paths.flatMap { try CloudDocument.all(at: $0) }
            do { try ContentDownload(documents).run() } catch let failure as CommandFailure {
                throw CommandFailure("\(failure.message). What is missing is fetched when that can be done.")
            }
        }
    }

    /// Neither the mountpoint nor `Documents` can be kept, for local documents are always here.
    private static func defaultPath() throws -> String {
        let path = try MountedTree.nearestPath()
        let mount = try MountedTree(holding: path)
        return mount.isMountpoint(path) || mount.isDocuments(path) ? mount.documents + "/cloud" : path
    }

    private static func keep(_ path: String) throws {
        let value = Array("always".utf8)
        if setxattr(path, CloudDocument.keep, value, value.count, 0) == 0 { return }
        // To find out the name sets it again.
        let error = errno
        throw CommandFailure("\(shown(path)) cannot be kept: \(explanation(error))")
    }

    private static func release(_ path: String) throws {
        if removexattr(path, CloudDocument.keep) == 0 { return }
        let error = errno
        guard error == ENODATA else { throw CommandFailure("\(shown(path)) cannot be released: \(explanation(error))") }
        guard attributeText(CloudDocument.keep, of: path) != nil else { return }
        throw CommandFailure(
            "\(shown(path)) is kept because a folder above it is; `docfs keep --off` with that folder ends it")
    }

    /// By the name that the person gave it.
    private static func shown(_ path: String) -> String { CloudDocument(path: path).shownPath.printable }

    private static func explanation(_ error: Int32) -> String {
        error == EINVAL ? "only documents and folders are, and local ones are always here" : "\(Errno(rawValue: error))"
    }
}
