import CZlib

/// Bytes that arrive piece by piece, compressed (RFC 1951), with their checksum.
struct RunningDeflation: ~Copyable {
    /// Fast rather than small: most documents that are large are compressed already.
    private static let level: Int32 = 1
    private static let outputLength = 1 << 16

    /// zlib's state points back to it, so it stays where it is.
    private let stream: UnsafeMutablePointer<z_stream>
    private(set) var checksum: UInt32 = 0

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result = docfs_begin_deflating(stream, Self.level)
        precondition(result == Z_OK, "zlib has no memory")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// - Returns: what has become of all bytes so far, as far as it was not returned before.
    mutating func add(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        checksum = UInt32(crc32_z(UInt(checksum), bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
        return run(bytes, Z_NO_FLUSH)
    }

    mutating func finish() -> [UInt8] { run(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH) }

    private func run(_ bytes: UnsafeRawBufferPointer, _ flush: Int32) -> [UInt8] {
        // zlib reads from it only, whatever its declaration says.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        var output: [UInt8] = []
        var isFull = true
        while isFull {
            let piece = [UInt8](unsafeUninitializedCapacity: Self.outputLength) { buffer, count in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(buffer.count)
                let result = deflate(stream, flush)
                precondition(result != Z_STREAM_ERROR, "zlib refuses bytes")
                count = buffer.count - Int(stream.pointee.avail_out)
            }
            isFull = piece.count == Self.outputLength
            output += piece
        }
        return output
    }
}
