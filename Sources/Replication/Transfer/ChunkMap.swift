/// Which chunks of a content are here, which are being fetched, and which somebody waits for.
/// A pure value: `Download` asks it what to fetch next.
public struct ChunkMap: Sendable, Equatable {
    private enum Chunk: UInt8 { case missing, underWay, here }

    public let size: Int64
    public let chunkSize: Int64
    private var chunks: [Chunk]
    /// First come, first fetched.
    private var wanted: [Range<Int>] = []
    /// A map of more chunks would take too much memory, whatever size the container claims.
    private static let mostChunks: Int64 = 1 << 22
    /// No chunk before this one is missing.
    private var frontier = 0
    public private(set) var received: Int64 = 0

    /// - Parameters:
    ///   - size: bytes, not negative.
    ///   - chunkSize: bytes, above 0; contents of terabytes get larger chunks.
    public init(size: Int64, chunkSize: Int64) {
        self.size = size
        self.chunkSize = max(chunkSize, size / Self.mostChunks)
        let (whole, rest) = size.quotientAndRemainder(dividingBy: self.chunkSize)
        chunks = Array(repeating: .missing, count: Int(whole) + (rest > 0 ? 1 : 0))
    }

    public var isComplete: Bool { received == size }

    /// The bytes of a chunk; the last one may be shorter.
    public func range(of chunk: Int) -> Range<Int64> {
        let start = Int64(chunk) * chunkSize
        return start..<min(size, start + chunkSize)
    }

    /// Whether all bytes of `range` that exist are here.
    public func has(_ range: Range<Int64>) -> Bool { chunksMeeting(range).allSatisfy { chunks[$0] == .here } }

    /// Bytes before the last chunk.
    public var startOfLastChunk: Int64 { chunks.isEmpty ? 0 : range(of: chunks.count - 1).lowerBound }

    /// What somebody waits for is fetched before anything else.
    public mutating func want(_ range: Range<Int64>) {
        let asked = chunksMeeting(range)
        if asked.contains(where: { chunks[$0] == .missing }), !wanted.contains(asked) { wanted.append(asked) }
    }

    /// Chooses the next chunk to fetch and marks it under way; nil when none is missing.
    public mutating func next() -> Int? {
        while let range = wanted.first {
            if let chunk = range.first(where: { chunks[$0] == .missing }) {
                wanted[0] = chunk..<range.upperBound
                return start(chunk)
            }
            wanted.removeFirst()
        }
        while frontier < chunks.count, chunks[frontier] != .missing { frontier += 1 }
        return frontier < chunks.count ? start(frontier) : nil
    }

    public mutating func arrived(_ chunk: Int) {
        guard chunks[chunk] != .here else { return }
        chunks[chunk] = .here
        let range = range(of: chunk)
        received += range.upperBound - range.lowerBound
    }

    /// The fetch failed: the chunk may be fetched again.
    public mutating func failed(_ chunk: Int) {
        guard chunks[chunk] == .underWay else { return }
        chunks[chunk] = .missing
        frontier = min(frontier, chunk)
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
