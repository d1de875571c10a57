import Crypto
import Glibc
import ObjectStore
import SystemPackage

/// SHA-256 of files, in pieces of a fixed size. Blocks: call it through `onBlockingThread`.
enum Digest {
    private static let pieceLength = 1 << 20

    /// The digest of the first `length` bytes in lower-case hexadecimal, and how many there were.
    static func sha256(of file: FileDescriptor, length: Int64) throws(TransferError) -> (digest: String, length: Int64)
    {
        var hash = SHA256()
        var offset: Int64 = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, min(pieceLength, Int(length))), alignment: 16)
        defer { buffer.deallocate() }
        while offset < length {
            let wanted = min(pieceLength, Int(length - offset))
            let count = pread(file.rawValue, buffer.baseAddress, wanted, off_t(offset))
            if count < 0 {
                if errno == EINTR { continue }
                throw .file(Errno(rawValue: errno))
            }
            if count == 0 { break }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
        return (hexadecimal(hash.finalize()), offset)
    }

    static func sha256(of bytes: [UInt8]) -> String { hexadecimal(SHA256.hash(data: bytes)) }

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

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension DocumentVersion {
    /// Whether a file holds just this version. Reads it all, and blocks.
    public func isContent(of file: FileDescriptor) throws(TransferError) -> Bool {
        guard try Digest.length(of: file) == size else { return false }
        return try Digest.sha256(of: file, length: size).digest == sha256
    }
}
