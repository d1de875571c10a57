import Glibc
import LinuxFiles
import SystemPackage

/// A file that stays open as long as a request may read it, whatever becomes of the caller's descriptor:
/// a request that is given up may still have a read under way.
public final class SourceFile: ObjectContent {
    private let file: FileDescriptor

    /// - Parameter file: open for reading. It may be closed afterwards.
    public init(_ file: FileDescriptor) throws(Errno) {
        self.file = FileDescriptor(rawValue: fcntl(file.rawValue, F_DUPFD_CLOEXEC, 3))
        if self.file.rawValue < 0 { throw Errno(rawValue: errno) }
    }

    deinit { close(file.rawValue) }

    public func read(at offset: Int64, count: Int) throws(Errno) -> [UInt8] { try file.bytes(at: offset, count: count) }

    public var descriptor: FileDescriptor? { file }
}
