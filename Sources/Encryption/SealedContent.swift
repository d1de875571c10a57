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
        var bytes: [UInt8] = []
        if range.lowerBound < SealedLayout.headerLength {
            let header = range.clamped(to: 0..<SealedLayout.headerLength)
            bytes += seal.header[Int(header.lowerBound)..<Int(header.upperBound)]
        }
        for chunk in layout.sealedChunks(of: range) {
            let place = layout.place(of: chunk)
            // A file that became shorter ends here: what is sent must not look whole.
            guard let sealed = try sealed(chunk) else { break }
            let wanted = range.clamped(to: place)
            bytes += sealed[Int(wanted.lowerBound - place.lowerBound)..<Int(wanted.upperBound - place.lowerBound)]
        }
        return bytes
    }

    private func sealed(_ chunk: Int64) throws(Errno) -> [UInt8]? {
        let wanted = seal.layout.content(of: chunk).clamped(to: 0..<seal.layout.length)
        let plain = try content.read(at: wanted.lowerBound, count: wanted.count)
        guard plain.count == wanted.count else { return nil }
        let sealed = seal.seal(plain, chunk: chunk)
        let tag = Array(sealed.suffix(Int(SealedLayout.tagLength)))
        let first = tags.withLock { tags in
            let first = tags[chunk] ?? tag
            tags[chunk] = first
            return first
        }
        if first != tag { throw .ioError }
        return sealed
    }
}

/// Bytes in memory as a content.
struct BytesInMemory: ObjectContent {
    let bytes: [UInt8]

    func read(at offset: Int64, count: Int) -> [UInt8] { Array(bytes.dropFirst(Int(offset)).prefix(count)) }

    var descriptor: FileDescriptor? { nil }
}
