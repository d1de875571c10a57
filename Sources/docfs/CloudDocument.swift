import CLinux
import Documents
import Glibc
import SystemPackage

/// A document of the cloud, and what a command can ask about its content through the mount (Semantics, "What stays here").
struct CloudDocument {
    let path: String

    static let keep = "user.document.keep"
    private static let downloading = "user.document.downloading"
    private static let stayReason = "user.document.stays-because"

    /// A document by its path, or all documents of the cloud in a folder at any depth.
    ///
    /// - Throws: for a path that leads nowhere.
    static func all(at path: String) throws -> [CloudDocument] {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw CommandFailure.notFound(path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return [CloudDocument(path: path)] }
        var found: [CloudDocument] = []
        for entry in try FolderContent.entries(of: path) {
            let inner = path.hasSuffix("/") ? path + entry.name : path + "/" + entry.name
            if entry.isFolder {
                found += try all(at: inner)
            } else if !entry.isLink, attributeText(downloading, of: inner) != nil {
                // Scratch files, versions and local documents do not have the attribute.
                found.append(CloudDocument(path: inner))
            }
        }
        return found
    }

    /// The path as a person knows it: with the display name, whichever name the listing has.
    var shownPath: String {
        guard let displayName = attributeText("user.displayName", of: path), !displayName.contains("/") else {
            return path
        }
        let name = DocumentName(
            storedDisplayName: displayName, pathExtension: attributeText("user.document.extension", of: path) ?? "")
        return (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + name.full
    }

    /// Bytes of its content; 0 if it has gone.
    var size: Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Bytes of its transfer that have come; nil without a transfer.
    var transferredBytes: Int64? { attributeText("user.document.transferred", of: path).flatMap { Int64($0) } }

    /// Whether its newest content is here.
    var isCurrent: Bool { attributeText(Self.downloading, of: path) == "current" }

    var isPlaceholder: Bool { attributeText(Self.downloading, of: path) == "notDownloaded" }

    /// - Returns: why it stays here; nil if it is a placeholder now.
    func evict() -> String? {
        guard let error = set("notDownloaded") else { return nil }
        return attributeText(Self.stayReason, of: path)
            ?? (error == .invalidArgument ? "it is always here" : "\(error)")
    }

    /// Keeps it, or a folder, always on this device.
    ///
    /// - Throws: `CommandFailure` with the name that the person gave it.
    func beKept() throws {
        let value = Array("always".utf8)
        if setxattr(path, Self.keep, value, value.count, 0) == 0 { return }
        // To find out the name sets it again.
        let error = errno
        throw CommandFailure("\(shownPath.printable) cannot be kept: \(Self.explanation(ofKeeping: error))")
    }

    /// Ends it. Nothing happens to what is not kept.
    ///
    /// - Throws: `CommandFailure`, also for what is kept because of a folder above it.
    func beReleased() throws {
        if removexattr(path, Self.keep) == 0 { return }
        let error = errno
        guard error == ENODATA else {
            throw CommandFailure("\(shownPath.printable) cannot be released: \(Self.explanation(ofKeeping: error))")
        }
        guard attributeText(Self.keep, of: path) != nil else { return }
        throw CommandFailure(
            "\(shownPath.printable) is kept because a folder above it is; `docfs keep --off` with that folder ends it")
    }

    private static func explanation(ofKeeping error: Int32) -> String {
        error == EINVAL ? "only documents and folders are, and local ones are always here" : "\(Errno(rawValue: error))"
    }

    /// Starts a download.
    ///
    /// - Returns: nil if the content is here or arriving now.
    func requestContent() -> Errno? { set("current") }

    /// Why its content cannot be fetched, in one line with its name.
    func refusal(of error: Errno) -> String {
        let reason =
            switch error {
            case .noRouteToHost: "the cloud cannot be reached"
            case .noSpace, .resourceBusy: "--cache-limit leaves no room, since nothing else that is here may go"
            case .noSuchFileOrDirectory, .staleNFSFileHandle: "it is gone"
            case .invalidArgument: "it is no document"
            default: "\(error)"
            }
        return "\(shownPath.printable) cannot be fetched: \(reason)"
    }

    /// Why it stays here, in one line with its name.
    func refusal(toLeaveBecause reason: String) -> String { "\(shownPath.printable) stays here: \(reason)" }

    private func set(_ word: String) -> Errno? {
        let value = Array(word.utf8)
        return setxattr(path, Self.downloading, value, value.count, 0) == 0 ? nil : Errno(rawValue: errno)
    }
}
