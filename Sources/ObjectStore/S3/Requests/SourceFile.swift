import Glibc
import SystemPackage

/// A file that stays open as long as a request may read it, whatever becomes of the caller's descriptor:
/// a request that is given up may still have a read under way.
final class SourceFile: Sendable {
    private let descriptor: Int32

    init(_ file: FileDescriptor) throws(Errno) {
        descriptor = fcntl(file.rawValue, F_DUPFD_CLOEXEC, 3)
        if descriptor < 0 { throw Errno(rawValue: errno) }
    }

    deinit { close(descriptor) }

    /// Blocks. Shorter than asked for only at the file's end.
    func read(at offset: Int64, count: Int) throws(Errno) -> [UInt8] {
        var filled = 0
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while filled < count, failure == nil {
                let got = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset) + off_t(filled))
                if got > 0 { filled += got } else if got == 0 { break } else if errno != EINTR { failure = Errno(rawValue: errno) }
            }
            initialized = filled
        }
        if let failure { throw failure }
        return bytes
    }
}
