import Glibc
import SystemPackage

extension FileDescriptor {
    /// Writes all bytes from `offset` on. Blocks.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(Errno) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                return Glibc.pwrite(rawValue, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
            }
            if count >= 0 { written += count } else if errno != EINTR { throw Errno(rawValue: errno) }
        }
    }
}
