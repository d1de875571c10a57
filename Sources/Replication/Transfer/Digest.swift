import Glibc
import Hashing
import LinuxFiles
import ObjectStore
import SystemPackage

/// SHA-256 of files, in pieces of a fixed size. Blocks: call it through `onBlockingThread`.
enum Digest {
    private static let pieceLength = 1 << 20

    /// The digest of the first `length` bytes in lower-case hexadecimal, and how many there were.
    static func sha256(of file: FileDescriptor, length: Int64) throws(TransferError) -> (digest: String, length: Int64)
    {
        var hash = RunningHash(.sha256)
        var offset: Int64 = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, min(pieceLength, Int(length))), alignment: 16)
        defer { buffer.deallocate() }
        while offset < length {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(pieceLength, Int(length - offset))])
            let count: Int
            do throws(Errno) { count = try file.fill(piece, at: offset) } catch { throw .file(error) }
            if count == 0 { break }
            hash.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            offset += Int64(count)
        }
        return (hexadecimal(hash.finish()), offset)
    }

    static func sha256(of bytes: [UInt8]) -> String { hexadecimal(HashAlgorithm.sha256.digest(of: bytes)) }

    /// Whether a text is such a digest.
    static func isHexadecimal(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// Bytes in a file now.
    static func length(of file: FileDescriptor) throws(TransferError) -> Int64 {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { throw .file(Errno(rawValue: errno)) }
        return Int64(status.st_size)
    }
}

extension DocumentVersion {
    /// Whether a file holds just this version. Reads it all, and blocks.
    public func isContent(of file: FileDescriptor) throws(TransferError) -> Bool {
        guard try Digest.length(of: file) == size else { return false }
        return try Digest.sha256(of: file, length: size).digest == sha256
    }
}
