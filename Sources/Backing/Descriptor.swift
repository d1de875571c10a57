import CLinux
import CrashPoints
import Glibc
import LinuxFiles
import SystemPackage

/// An open file descriptor, closed when the last reference to it goes.
public final class Descriptor: Sendable {
    /// Valid as long as this object is referenced.
    public let number: Int32

    /// Takes ownership of `number`.
    package init(_ number: Int32) { self.number = number }

    deinit { _ = Glibc.close(number) }

    /// Turns a failed system call into its `Errno`, and tries again when it was interrupted.
    package static func check(_ call: () -> Int32) throws(Errno) -> Int32 {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw Errno(rawValue: errno) }
        }
    }

    /// open(2) with O_CLOEXEC; symbolic links are followed unless `flags` has O_NOFOLLOW.
    package static func open(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(Errno) -> Descriptor {
        Descriptor(try check { Glibc.open(path, flags | O_CLOEXEC, mode) })
    }

    /// Another descriptor for the same file, even after its last name is gone.
    package func reopened(_ flags: Int32) throws(Errno) -> Descriptor {
        try Descriptor.open("/proc/self/fd/\(number)", flags)
    }

    /// fstat(2).
    package func status() throws(Errno) -> stat {
        var status = stat()
        _ = try Descriptor.check { fstat(number, &status) }
        return status
    }

    /// As `status`, with the birth time, which tells the file from another one with the same inode number.
    package func identify() throws(Errno) -> IdentifiedStatus {
        try IdentifiedStatus("", in: number, flags: AT_EMPTY_PATH)
    }

    /// Makes content and metadata durable.
    package func synchronize(dataOnly: Bool) throws(Errno) {
        if !Protection.synchronization.isOn { return }
        _ = try Descriptor.check { dataOnly ? fdatasync(number) : fsync(number) }
    }

    /// Has the kernel begin to write the content to the disk, without waiting. It makes nothing durable and reports no errors; `synchronize`
    /// does.
    package func startWriting() { _ = sync_file_range(number, 0, 0, SYNC_FILE_RANGE_WRITE) }

    /// - Parameter size: bytes. A file that grows gets a hole.
    package func truncate(to size: Int64) throws(Errno) {
        CrashPoint.changeSize.pass()
        _ = try Descriptor.check { ftruncate(number, off_t(size)) }
    }

    /// Sets the time of modification, and the time of access to the same.
    package func setModified(_ time: timespec) throws(Errno) {
        CrashPoint.changeTimes.pass()
        _ = try Descriptor.check { futimens(number, [time, time]) }
    }

    /// Sets or replaces an attribute.
    ///
    /// - Throws: ENOTSUP where the file system has no attributes, ENOSPC, E2BIG, or another errno of fsetxattr(2).
    package func setExtendedAttribute(_ name: String, _ value: [UInt8]) throws(Errno) {
        CrashPoint.changeAttribute.pass()
        _ = try Descriptor.check { fsetxattr(number, name, value, value.count, 0) }
    }

    /// - Throws: ENODATA if there is no such attribute, or another errno of fremovexattr(2).
    package func removeExtendedAttribute(_ name: String) throws(Errno) {
        CrashPoint.changeAttribute.pass()
        _ = try Descriptor.check { fremovexattr(number, name) }
    }

    /// Copies the first bytes of another file. File systems that can share them do.
    ///
    /// - Returns: the number of bytes copied: fewer only if the other file has fewer.
    package func fill(from source: Descriptor, length: Int64) throws(Errno) -> Int64 {
        var copied: off_t = 0
        while copied < length {
            let count = copy_file_range(source.number, &copied, number, nil, Int(length - Int64(copied)), 0)
            if count == 0 { break }
            if count < 0, errno != EINTR { throw Errno(rawValue: errno) }
        }
        return Int64(copied)
    }

    /// The first bytes of the file, at most `limit`.
    package func readPrefix(_ limit: Int) throws(Errno) -> [UInt8] { try read(limit, at: 0) }

    /// Bytes from `offset` on: `limit` of them, fewer only where the file ends.
    package func read(_ limit: Int, at offset: Int64) throws(Errno) -> [UInt8] {
        try FileDescriptor(rawValue: number).bytes(at: offset, count: limit)
    }
}
