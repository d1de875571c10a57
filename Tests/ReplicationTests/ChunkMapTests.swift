import Replication
import Testing
import TestSupport

struct ChunkMapTests {
    /// The chunks that are still to be fetched, in order.
    private func rest(_ map: inout ChunkMap) -> [Int] {
        var chunks: [Int] = []
        while let chunk = map.next() { chunks.append(chunk) }
        return chunks
    }

    @Test(
        arguments: [
            (0, 10, []), (1, 10, [0..<1]), (10, 10, [0..<10]), (11, 10, [0..<10, 10..<11]),
            (25, 10, [0..<10, 10..<20, 20..<25]), (3, 1, [0..<1, 1..<2, 2..<3]),
        ] as [(Int64, Int64, [Range<Int64>])])
    func `chunks cover a content, and the last may be shorter`(size: Int64, chunkSize: Int64, ranges: [Range<Int64>]) {
        var map = ChunkMap(size: size, chunkSize: chunkSize)
        let chunks = rest(&map)
        #expect(chunks.map { map.range(of: $0) } == ranges)
        #expect(map.isComplete == ranges.isEmpty)
        for chunk in chunks { map.arrived(chunk) }
        #expect(map.isComplete)
        #expect(map.received == size)
    }

    @Test func `chunks are fetched in order, each once`() {
        var map = ChunkMap(size: 35, chunkSize: 10)
        #expect(rest(&map) == [0, 1, 2, 3])
        #expect(map.next() == nil)
    }

    @Test func `chunks that somebody waits for are fetched first, then the rest in order`() {
        var map = ChunkMap(size: 60, chunkSize: 10)
        #expect(map.next() == 0)
        map.want(35..<42)
        map.want(12..<13)
        #expect(rest(&map) == [3, 4, 1, 2, 5])
    }

    @Test func `a chunk that is here or being fetched is not fetched again because somebody waits for it`() {
        var map = ChunkMap(size: 40, chunkSize: 10)
        #expect(map.next() == 0)
        #expect(map.next() == 1)
        map.arrived(0)
        map.want(0..<40)
        map.want(0..<40)
        #expect(rest(&map) == [2, 3])
    }

    @Test func `a chunk whose fetch failed may be fetched again`() {
        var map = ChunkMap(size: 40, chunkSize: 10)
        #expect(rest(&map) == [0, 1, 2, 3])
        map.arrived(3)
        map.failed(1)
        map.failed(2)
        #expect(rest(&map) == [1, 2])
        map.failed(3)
        #expect(map.has(30..<40))
        #expect(map.next() == nil)
    }

    @Test func `a range is here when all its bytes that exist are`() {
        var map = ChunkMap(size: 35, chunkSize: 10)
        _ = rest(&map)
        #expect(!map.has(0..<1))
        map.arrived(1)
        #expect(map.has(10..<20))
        #expect(map.has(12..<13))
        #expect(!map.has(9..<11))
        #expect(!map.has(19..<21))
        map.arrived(3)
        #expect(map.has(30..<1000))
        #expect(map.has(35..<36))
        #expect(map.has(Int64.max - 1..<Int64.max))
        #expect(map.has(5..<5))
        #expect(!map.has(0..<Int64.max))
    }

    @Test func `received bytes are counted once`() {
        var map = ChunkMap(size: 25, chunkSize: 10)
        _ = rest(&map)
        map.arrived(2)
        map.arrived(2)
        #expect(map.received == 5)
        map.arrived(0)
        #expect(map.received == 15)
        #expect(!map.isComplete)
        map.arrived(1)
        #expect(map.received == 25)
        #expect(map.isComplete)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `whatever is waited for and fails, every chunk arrives in the end`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var map = ChunkMap(size: 95, chunkSize: 10)
        var underWay: [Int] = []
        var fetches = 0
        while !map.isComplete, fetches < 1000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let start = Int64.random(in: 0..<120, using: &random)
                map.want(start..<start + .random(in: 0..<40, using: &random))
            case 1:
                if let chunk = map.next() {
                    #expect(!underWay.contains(chunk))
                    underWay.append(chunk)
                    fetches += 1
                }
            default:
                guard let index = underWay.indices.randomElement(using: &random) else { continue }
                let chunk = underWay.remove(at: index)
                if Bool.random(using: &random) { map.arrived(chunk) } else { map.failed(chunk) }
            }
        }
        #expect(map.isComplete)
        #expect(map.has(0..<95))
    }
}
