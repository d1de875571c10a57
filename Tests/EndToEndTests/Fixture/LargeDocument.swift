import Glibc
import MountSupport
import SystemPackage

/// Content large enough that its transfer takes a while, of which each part can be told from all others.
struct LargeContent: Sendable {
    static let pieceSize = 1 << 20

    let pieces: Int

    var size: Int64 { Int64(pieces * Self.pieceSize) }

    func piece(_ index: Int) -> [UInt8] {
        var piece = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: Self.pieceSize)
        piece.replaceSubrange(0..<4, with: withUnsafeBytes(of: UInt32(index), Array.init))
        return piece
    }

    func write(to path: FilePath) throws {
        let file = try path.open(.writeOnly, [.create, .truncate])
        for index in 0..<pieces { _ = try file.descriptor.writeAll(piece(index)) }
        try file.close()
    }

    func matches(_ path: FilePath) throws -> Bool {
        let file = try path.open(.readOnly)
        for index in 0..<pieces {
            let expected = piece(index)
            var read: [UInt8] = []
            while read.count < expected.count {
                let offset = Int64(index * Self.pieceSize + read.count)
                let part = try file.read(count: expected.count - read.count, at: offset)
                if part.isEmpty { return false }
                read += part
            }
            if memcmp(read, expected, expected.count) != 0 { return false }
        }
        return try file.read(count: 1, at: size).isEmpty
    }
}

extension [UInt8] {
    /// Whether all bytes are the same one; quick also in a debug build.
    var isUniform: Bool {
        count < 2
            || withUnsafeBytes { memcmp($0.baseAddress!, $0.baseAddress! + 1, count - 1) == 0 }
    }
}
