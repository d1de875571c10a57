/// Where the pieces of an encrypted object stand:
///
///     salt (32) | length (8 + 16) | chunk | chunk | ... | last chunk
///
/// A chunk is 65,536 bytes of the padded content and a tag of 16; the last one is shorter. There is always one. The length is that of the content
/// without its padding, sealed as the piece before the chunks. Pieces are numbered from 0, and the nonce of each says its number and whether it
/// is the last (STREAM, Hoang et al. 2015, as age has it): none can be moved, repeated or cut off. The number of pieces follows from the length.
struct SealedLayout: Equatable {
    static let saltLength: Int64 = 32
    static let chunkLength: Int64 = 65_536
    static let tagLength: Int64 = 16
    /// Bytes before the first chunk.
    static let headerLength = saltLength + 8 + tagLength

    /// Bytes of the content.
    let length: Int64

    init(length: Int64) { self.length = length }

    /// The most bytes that a content can have. A larger one is claimed by nobody honest.
    static let longestContent = Int64(1) << 50

    var paddedLength: Int64 { Padding.padded(length) }

    var chunkCount: Int64 { max(1, (paddedLength + Self.chunkLength - 1) / Self.chunkLength) }

    /// Bytes of the whole object.
    var sealedLength: Int64 { Self.headerLength + paddedLength + chunkCount * Self.tagLength }

    /// The bytes of the padded content in a chunk.
    func content(of chunk: Int64) -> Range<Int64> {
        chunk * Self.chunkLength..<min((chunk + 1) * Self.chunkLength, max(paddedLength, 0))
    }

    /// The bytes of the object in which a chunk stands.
    func bytes(of chunk: Int64) -> Range<Int64> {
        let start = Self.headerLength + chunk * (Self.chunkLength + Self.tagLength)
        return start..<start + Int64(content(of: chunk).count) + Self.tagLength
    }

    /// The chunks that hold some bytes of the content.
    func chunks(of range: Range<Int64>) -> Range<Int64> {
        let known = range.clamped(to: 0..<max(length, 0))
        guard !known.isEmpty else { return 0..<0 }
        return known.lowerBound / Self.chunkLength..<(known.upperBound - 1) / Self.chunkLength + 1
    }

    /// The chunks of which something stands in some bytes of the object.
    func sealedChunks(of range: Range<Int64>) -> Range<Int64> {
        let sealedChunk = Self.chunkLength + Self.tagLength
        let known = range.clamped(to: Self.headerLength..<sealedLength)
        guard !known.isEmpty else { return 0..<0 }
        return (known.lowerBound - Self.headerLength) / sealedChunk..<(known.upperBound - 1 - Self.headerLength)
            / sealedChunk + 1
    }

    /// The nonce of a piece: 11 bytes of its number, and 1 for the last one.
    static func nonce(ofPiece number: Int64, isLast: Bool) -> [UInt8] {
        [0, 0, 0] + UInt64(number).bytes + [isLast ? 1 : 0]
    }
}
