import Backing
import Glibc
import Library
import Synchronization
import SystemPackage

/// A document that a `Library` in process has open.
final class LibraryDocument: OpenDocument {
    private let library: Library
    private let node: Node
    private let number: UInt64
    private let appends: Bool
    /// Where the next write goes; nil when the document is closed.
    private let offset = Mutex<Int64?>(0)

    init(_ library: Library, _ node: Node, _ number: UInt64, appends: Bool) {
        self.library = library
        self.node = node
        self.number = number
        self.appends = appends
    }

    deinit { close() }

    func read(_ count: Int, at offset: Int64) throws -> [UInt8] {
        try refusing {
            let descriptor = try library.handle(number).descriptor
            return try withExtendedLifetime(descriptor) {
                try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                    filled = try FileDescriptor(rawValue: descriptor.number).read(
                        fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer(buffer))
                }
            }
        }
    }

    func write(_ bytes: [UInt8]) throws {
        try offset.withLock { offset in
            guard let start = offset else { throw Errno.badFileDescriptor }
            try refusing {
                let handle = try library.handle(number)
                guard handle.canWrite else { throw Errno.badFileDescriptor }
                try library.willWrite(handle)
                let descriptor = try handle.writable()
                try withExtendedLifetime(descriptor) {
                    let file = FileDescriptor(rawValue: descriptor.number)
                    let end = appends ? Int64(try Self.status(file).st_size) : start
                    try file.writeAll(toAbsoluteOffset: end, bytes)
                    offset = end + Int64(bytes.count)
                }
            }
        }
    }

    private static func status(_ file: FileDescriptor) throws -> Glibc.stat {
        var status = Glibc.stat()
        guard fstat(file.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
        return status
    }

    func synchronize() throws { try refusing { try library.synchronize(library.handle(number), dataOnly: false) } }

    func status() throws -> DocumentStatus { try refusing { DocumentStatus(try library.attributes(of: node)) } }

    func close() {
        let isOpen = offset.withLock { offset in
            defer { offset = nil }
            return offset != nil
        }
        if isOpen { library.close(number) }
    }
}

/// A state file held open.
struct StateText: OpenDocument {
    private let text: [UInt8]
    private let attributes: DocumentStatus

    init(_ text: [UInt8], _ attributes: DocumentStatus) {
        self.text = text
        self.attributes = attributes
    }

    func read(_ count: Int, at offset: Int64) -> [UInt8] { Array(text.dropFirst(Int(offset)).prefix(count)) }

    func write(_ bytes: [UInt8]) throws { throw Errno.badFileDescriptor }

    func synchronize() {}

    func status() -> DocumentStatus { attributes }

    func close() {}
}
