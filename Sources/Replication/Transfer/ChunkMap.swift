/// Which chunks of a content are here, which are being fetched, and which somebody waits for.
/// A pure value: `Download` asks it what to fetch next.
public struct ChunkMap: Sendable, Equatable {
    private enum Chunk: UInt8 { case missing, underWay, here }

    public let size: Int64
    public let chunkSize: Int64
    private var chunks: [Chunk]
    private var wanted: [Int] = []
    /// No chunk before this one is missing.
    private var frontier = 0
    public private(set) var received: Int64 = 0

    /// - Parameters: sizes in bytes; `chunkSize` above 0.
    public init(size: Int64, chunkSize: Int64) {
        self.size = size
        self.chunkSize = chunkSize
        chunks = Array(repeating: .missing, count: Int((size + chunkSize - 1) / chunkSize))
    }

    public var isComplete: Bool { received == size }

    /// The bytes of a chunk; the last one may be shorter.
    public func range(of chunk: Int) -> Range<Int64> {
        let start = Int64(chunk) * chunkSize
        return start..<min(size, start + chunkSize)
    }

    /// Whether all bytes of `range` that exist are here.
    public func has(_ range: Range<Int64>) -> Bool { chunksMeeting(range).allSatisfy { chunks[$0] == .here } }

    /// What somebody waits for is fetched before anything else.
    public mutating func want(_ range: Range<Int64>) {
        wanted.append(contentsOf: chunksMeeting(range).filter { chunks[$0] == .missing })
    }

    /// Chooses the next chunk to fetch and marks it under way; nil when none is missing.
    public mutating func next() -> Int? {
        while !wanted.isEmpty {
            let chunk = wanted.removeFirst()
            if chunks[chunk] == .missing { return start(chunk) }
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
        return Int(clamped.lowerBound / chunkSize)..<Int((clamped.upperBound + chunkSize - 1) / chunkSize)
    }
}
