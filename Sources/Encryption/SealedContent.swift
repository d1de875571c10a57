import ObjectStore
import Synchronization
import SystemPackage

/// A content as its keeper sees it, sealed while it is read: nothing of it is kept in memory or on disk, but for the tags of its chunks.
///
/// It may be read several times, for its digest and when sending is tried again. A chunk that is another one by then is not sealed: two
/// plaintexts under one nonce would tell of each other.
final class SealedContent: ObjectContent {
    private let content: any ObjectContent
    private let seal: ObjectSeal
    /// Of the chunks that were sealed, by their numbers.
    private let tags = Mutex<[Int64: [UInt8]]>([:])

    init(_ content: any ObjectContent, seal: ObjectSeal) {
        self.content = content
        self.seal = seal
    }

    var descriptor: FileDescriptor? { nil }

    func read(at offset: Int64, count: Int) throws(Errno) -> [UInt8] {
        let layout = seal.layout
        let range = (offset..<offset + Int64(count)).clamped(to: 0..<layout.sealedLength)
        var bytes = [UInt8](repeating: 0, count: range.count)
        let header = range.clamped(to: 0..<SealedLayout.headerLength)
        bytes.replaceSubrange(0..<header.count, with: seal.header[Int(header.lowerBound)..<Int(header.upperBound)])
        for chunk in layout.sealedChunks(of: range) {
            let whole = layout.bytes(of: chunk)
            let wanted = range.clamped(to: whole)
            let start = Int(wanted.lowerBound - range.lowerBound)
            let isWhole: Bool
            if wanted == whole {
                isWhole = try seal(chunk, into: &bytes, at: start)
            } else {
                var sealed = [UInt8](repeating: 0, count: whole.count)
                isWhole = try seal(chunk, into: &sealed, at: 0)
                let part = Int(wanted.lowerBound - whole.lowerBound)..<Int(wanted.upperBound - whole.lowerBound)
                bytes.replaceSubrange(start..<start + wanted.count, with: sealed[part])
            }
            // A file that became shorter ends here: what is sent must not look whole.
            if !isWhole { return Array(bytes.prefix(start)) }
        }
        return bytes
    }

    /// - Returns: false for a chunk that the content does not have any more.
    private func seal(_ chunk: Int64, into result: inout [UInt8], at start: Int) throws(Errno) -> Bool {
        let wanted = seal.layout.content(of: chunk).clamped(to: 0..<seal.layout.length)
        let plain = try content.read(at: wanted.lowerBound, count: wanted.count)
        guard plain.count == wanted.count else { return false }
        seal.seal(plain, chunk: chunk, into: &result, at: start)
        let end = start + seal.layout.bytes(of: chunk).count
        let tag = Array(result[end - Int(SealedLayout.tagLength)..<end])
        let first = tags.withLock { tags in
            let first = tags[chunk] ?? tag
            tags[chunk] = first
            return first
        }
        if first != tag { throw .ioError }
        return true
    }
}

/// Bytes in memory as a content.
struct BytesInMemory: ObjectContent {
    let bytes: [UInt8]

    func read(at offset: Int64, count: Int) -> [UInt8] { Array(bytes.dropFirst(Int(offset)).prefix(count)) }

    var descriptor: FileDescriptor? { nil }
}
