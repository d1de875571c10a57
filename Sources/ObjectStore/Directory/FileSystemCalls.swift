import CLinux
import Documents
import Glibc
import SystemPackage

/// The calls of which some file systems have no proper answer, so that a test can answer like those.
struct FileSystemCalls: Sendable {
    /// link(2): nil when the second name is made.
    let link: @Sendable (_ existing: String, _ new: String) -> Errno?
    /// When an open file was changed, by the clock of its file system: that of the server on a share.
    let modified: @Sendable (_ file: Int32) -> Result<Timestamp, Errno>

    static let system = FileSystemCalls(
        link: { existing, new in Glibc.link(existing, new) == 0 ? nil : Errno(rawValue: errno) },
        modified: { file in
            var status = stat()
            guard fstat(file, &status) == 0 else { return .failure(Errno(rawValue: errno)) }
            return .success(Timestamp(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec))
        })
}

extension Errno {
    /// Whether link(2) says so of a file system that has no second names for a file. The file is our own and new, so
    /// EPERM is about nothing else, and EMLINK not about too many links.
    var tellsOfNoHardLinks: Bool {
        [.notPermitted, .notSupported, .noFunction, .tooManyLinks].contains(self)
    }
}
