import Glibc
import Synchronization
import SystemPackage

/// An open file, closed at the latest with its last reference.
///
/// Opened close-on-exec: another test's docfs must not inherit it and hold the document open.
public final class OpenFile: Sendable {
    public let descriptor: FileDescriptor
    private let closed = Mutex(false)

    public init(
        _ path: FilePath, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions,
        _ permissions: FilePermissions
    ) throws {
        descriptor = try FileDescriptor.open(
            path, mode, options: options.union(.closeOnExec), permissions: permissions)
    }

    deinit { try? close() }

    public func close() throws {
        let wasClosed = closed.withLock { closed in
            defer { closed = true }
            return closed
        }
        if !wasClosed { try descriptor.close() }
    }

    /// Returns what C answered, or throws the errno behind -1.
    @discardableResult
    public func call<Value: SignedInteger>(_ function: (CInt) -> Value) throws(Errno) -> Value {
        let value = function(descriptor.rawValue)
        guard value != -1 else { throw Errno(rawValue: errno) }
        return value
    }

    // MARK: Content

    public func readAll() throws -> [UInt8] {
        var content: [UInt8] = []
        while true {
            let piece = try read(count: 1 << 17, at: Int64(content.count))
            if piece.isEmpty { return content }
            content += piece
        }
    }

    public func text() throws -> String { String(decoding: try readAll(), as: UTF8.self) }

    public func read(count: Int, at offset: Int64) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = try descriptor.read(
                fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    public func write(_ bytes: [UInt8]) throws { try descriptor.writeAll(bytes) }

    public func write(_ text: String) throws { try write(Array(text.utf8)) }

    public func write(_ bytes: [UInt8], at offset: Int64) throws {
        try descriptor.writeAll(toAbsoluteOffset: offset, bytes)
    }

    public func truncate(to size: Int64) throws { try descriptor.resize(to: size) }

    public func allocate(_ mode: AllocationMode = [], offset: Int, length: Int) throws(Errno) {
        try call { glibcFallocate($0, mode.rawValue, offset, length) }
    }

    /// Where the next data or the next hole begins.
    public func seek(_ kind: SparseSeek, from offset: Int) throws(Errno) -> Int {
        try call { lseek($0, offset, kind.rawValue) }
    }

    public func synchronize() throws(Errno) { try call { fsync($0) } }
}
