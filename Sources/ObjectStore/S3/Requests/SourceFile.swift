import Glibc
import LinuxFiles
import SystemPackage

/// A file that stays open as long as a request may read it, whatever becomes of the caller's descriptor:
/// a request that is given up may still have a read under way.
final class SourceFile: Sendable {
    private let descriptor: FileDescriptor

    init(_ file: FileDescriptor) throws(Errno) {
        descriptor = FileDescriptor(rawValue: fcntl(file.rawValue, F_DUPFD_CLOEXEC, 3))
        if descriptor.rawValue < 0 { throw Errno(rawValue: errno) }
    }

    deinit { close(descriptor.rawValue) }

    /// Blocks. Shorter than asked for only at the file's end.
    func read(at offset: Int64, count: Int) throws(Errno) -> [UInt8] { try descriptor.bytes(at: offset, count: count) }
}
