import CLinux
import Documents
import Glibc
import SystemPackage

/// The calls of which some file systems have no proper answer, so that a test can answer like those.
struct FileSystemCalls: Sendable {
    /// linkat(2): nil when the second name is made.
    let link: @Sendable (_ existing: FolderName, _ new: FolderName) -> Errno?
    /// When an open file was changed, by the clock of its file system: that of the server on a share.
    let modified: @Sendable (_ file: OpenDescriptor) -> Result<Timestamp, Errno>

    static let system = FileSystemCalls(
        link: { existing, new in
            linkat(existing.folder.number, existing.name, new.folder.number, new.name, 0) == 0
                ? nil : Errno(rawValue: errno)
        },
        modified: { file in
            do throws(Errno) {
                let time = try file.status().st_mtim
                return .success(Timestamp(seconds: time.tv_sec, nanoseconds: time.tv_nsec))
            } catch { return .failure(error) }
        })
}

extension Errno {
    /// Whether link(2) says so of a file system that has no second names for a file. The file is our own and new, so
    /// EPERM is about nothing else, and EMLINK not about too many links.
    var tellsOfNoHardLinks: Bool {
        [.notPermitted, .notSupported, .noFunction, .tooManyLinks].contains(self)
    }
}
