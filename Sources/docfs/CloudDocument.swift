import CLinux
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
            throw CommandFailure("\(path) cannot be found: \(Errno(rawValue: errno))")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return [CloudDocument(path: path)] }
        guard let folder = opendir(path) else {
            throw CommandFailure("\(path) cannot be listed: \(Errno(rawValue: errno))")
        }
        defer { closedir(folder) }
        var found: [CloudDocument] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            let inner = path.hasSuffix("/") ? path + name : path + "/" + name
            switch Int32(entry.pointee.d_type) {
            case Int32(DT_DIR): found += try all(at: inner)
            // Scratch files, states, versions and local documents say nothing.
            case Int32(DT_REG) where attribute(downloading, of: inner) != nil: found.append(CloudDocument(path: inner))
            default: continue
            }
        }
        return found
    }

    static func attribute(_ name: String, of path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = getxattr(path, name, &bytes, bytes.count)
        return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    /// Bytes of its content; 0 if it has gone.
    var size: Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Whether its newest content is here.
    var isCurrent: Bool { Self.attribute(Self.downloading, of: path) == "current" }

    var isPlaceholder: Bool { Self.attribute(Self.downloading, of: path) == "notDownloaded" }

    /// - Returns: why it stays here; nil if it is a placeholder now.
    func evict() -> String? {
        guard let error = set("notDownloaded") else { return nil }
        return Self.attribute(Self.stayReason, of: path)
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
