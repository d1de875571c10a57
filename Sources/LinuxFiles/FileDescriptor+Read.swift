import Glibc
import SystemPackage

extension FileDescriptor {
    /// Fills a buffer with the bytes from `offset` on. Blocks.
    ///
    /// - Returns: the number of bytes read; less than the buffer's only at the end of the file.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = Glibc.pread(rawValue, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
            if count == 0 { break }
            if count > 0 { filled += count } else if errno != EINTR { throw Errno(rawValue: errno) }
        }
        return filled
    }

    /// Reads `count` bytes from `offset` on; fewer only at the end of the file. Blocks.
    package func bytes(at offset: Int64, count: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(Errno) { initialized = try fill(UnsafeMutableRawBufferPointer(buffer), at: offset) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
