/// Which chunks of a content are here, which are being fetched, and which somebody waits for. A pure value: `Download` asks it which chunk
/// to fetch next.
public struct ChunkMap: Sendable, Equatable {
    private enum Chunk: UInt8 { case missing, underWay, here }

    /// Bytes of the whole content.
    public let size: Int64
    /// Bytes of each chunk but the last.
    public let chunkSize: Int64
    private var chunks: [Chunk]
    /// The chunks that somebody waits for, in the order in which they are to be fetched.
    private var wanted: [Range<Int>] = []
    /// Limits the memory for a map, whatever size the container gives for a content.
    private static let mostChunks: Int64 = 1 << 22
    /// No chunk before this one is missing.
    private var firstPossiblyMissing = 0
    /// The chunk that came last.
    private var lastArrived: Int?
    /// Bytes that are here.
    public private(set) var received: Int64 = 0

    /// - Parameters:
    ///   - size: bytes, not negative.
    ///   - chunkSize: bytes, above 0. Contents of terabytes get larger chunks.
    public init(size: Int64, chunkSize: Int64) {
        self.size = size
        self.chunkSize = max(chunkSize, size / Self.mostChunks)
        let (whole, rest) = size.quotientAndRemainder(dividingBy: self.chunkSize)
        chunks = Array(repeating: .missing, count: Int(whole) + (rest > 0 ? 1 : 0))
    }

    /// Whether all bytes are here. They need not be verified.
    public var isComplete: Bool { received == size }

    /// The bytes of a chunk; the last one may be shorter.
    public func range(of chunk: Int) -> Range<Int64> {
        let start = Int64(chunk) * chunkSize
        return start..<min(size, start + chunkSize)
    }

    /// Whether all bytes of `range` are here, as far as they exist.
    public func has(_ range: Range<Int64>) -> Bool { chunksMeeting(range).allSatisfy { chunks[$0] == .here } }

    /// Whether all bytes are here, and some of `range` came last.
    public func isCompleted(by range: Range<Int64>) -> Bool {
        isComplete && lastArrived.map(chunksMeeting(range).contains) == true
    }

    /// Somebody waits for these bytes: they are fetched before others.
    public mutating func want(_ range: Range<Int64>) {
        let asked = chunksMeeting(range)
        if asked.contains(where: { chunks[$0] == .missing }), !wanted.contains(asked) { wanted.append(asked) }
    }

    /// Chooses the next chunk to fetch and marks it as being fetched; nil if none is missing.
    public mutating func next() -> Int? {
        while let range = wanted.first {
            if let chunk = range.first(where: { chunks[$0] == .missing }) {
                wanted[0] = chunk..<range.upperBound
                return start(chunk)
            }
            wanted.removeFirst()
        }
        while firstPossiblyMissing < chunks.count, chunks[firstPossiblyMissing] != .missing {
            firstPossiblyMissing += 1
        }
        return firstPossiblyMissing < chunks.count ? start(firstPossiblyMissing) : nil
    }

    /// The chunk is in the file. Does nothing if it was already.
    public mutating func arrived(_ chunk: Int) {
        guard chunks[chunk] != .here else { return }
        chunks[chunk] = .here
        lastArrived = chunk
        let range = range(of: chunk)
        received += range.upperBound - range.lowerBound
    }

    /// The chunk could not be fetched, and may be fetched again.
    public mutating func failed(_ chunk: Int) {
        guard chunks[chunk] == .underWay else { return }
        chunks[chunk] = .missing
        firstPossiblyMissing = min(firstPossiblyMissing, chunk)
    }

    private mutating func start(_ chunk: Int) -> Int {
        chunks[chunk] = .underWay
        return chunk
    }

    private func chunksMeeting(_ range: Range<Int64>) -> Range<Int> {
        let clamped = range.clamped(to: 0..<size)
        guard !clamped.isEmpty else { return 0..<0 }
        return Int(clamped.lowerBound / chunkSize)..<Int((clamped.upperBound - 1) / chunkSize) + 1
    }
}
