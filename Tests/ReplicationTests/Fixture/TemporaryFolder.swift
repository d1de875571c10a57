import Foundation
import SystemPackage

/// Runs `body` with the path of a new folder, and removes the folder with all in it.
func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "docfs-replication-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
}

/// Runs `body` with a file open for reading and writing that holds `content`.
func withFile(_ content: [UInt8] = [], _ body: (FileDescriptor) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        let file = try FileDescriptor.open(
            FilePath(folder + "/content"), .readWrite, options: [.create, .exclusiveCreate],
            permissions: [.ownerReadWrite])
        defer { try? file.close() }
        try file.writeAll(toAbsoluteOffset: 0, content)
        try await body(file)
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

/// Bytes whose period is a prime, so that no chunk can stand in another's place.
func pattern(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    let block = (0..<65_521).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return bytes
}
