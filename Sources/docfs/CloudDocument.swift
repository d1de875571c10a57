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

    /// Whether its newest content is here.
    var isCurrent: Bool { attributeText(Self.downloading, of: path) == "current" }

    var isPlaceholder: Bool { attributeText(Self.downloading, of: path) == "notDownloaded" }

    /// - Returns: why it stays here; nil if it is a placeholder now.
    func evict() -> String? {
        guard let error = set("notDownloaded") else { return nil }
        return attributeText(Self.stayReason, of: path)
            ?? (error == .invalidArgument ? "it is always here" : "\(error)")
    }

    /// Starts a download.
    ///
    /// - Returns: nil if the content is here or arriving now.
    func requestContent() -> Errno? { set("current") }

    private func set(_ word: String) -> Errno? {
        let value = Array(word.utf8)
        return setxattr(path, Self.downloading, value, value.count, 0) == 0 ? nil : Errno(rawValue: errno)
    }
}
