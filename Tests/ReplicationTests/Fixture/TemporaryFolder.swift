import Foundation
import SystemPackage
import TestSupport

/// Runs `body` with a file open for reading and writing that holds `content`.
@discardableResult
func withFile<Value>(
    _ content: [UInt8] = [], _ body: (FileDescriptor) async throws -> Value
) async throws -> Value {
    try await withTemporaryFolder { folder async throws -> Value in
        let file = try FileDescriptor.open(
            FilePath(folder + "/content"), .readWrite, options: [.create, .exclusiveCreate],
            permissions: [.ownerReadWrite])
        defer { try? file.close() }
        try file.writeAll(toAbsoluteOffset: 0, content)
        return try await body(file)
    }
}

extension FileDescriptor {
    /// Up to `count` bytes from `offset`.
    func bytes(at offset: Int64 = 0, _ count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = try read(fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }
}
