import Hashing
import LinuxFiles
import struct SystemPackage.Errno

/// A part of a content as the body of a request, read piece by piece as the connection takes it: memory is
/// bounded by the pieces, not by the slice.
struct ContentSlice: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    /// So short that the progress that a piece is counted as is not far ahead of the connection.
    private static let pieceLength: Int64 = 256 << 10

    let content: any ObjectContent
    let range: Range<Int64>
    let key: ObjectKey
    let progress: UploadProgress

    var count: Int64 { range.upperBound - range.lowerBound }

    func makeAsyncIterator() -> Iterator { Iterator(slice: self, offset: range.lowerBound) }

    struct Iterator: AsyncIteratorProtocol {
        let slice: ContentSlice
        var offset: Int64

        /// A piece counts as gone when it is handed over: one whose transfer is abandoned is not.
        mutating func next() async throws -> [UInt8]? {
            guard offset < slice.range.upperBound else { return nil }
            let bytes = try await slice.piece(at: offset)
            offset += Int64(bytes.count)
            guard slice.progress.reach(offset, ofSliceAt: slice.range.lowerBound) else {
                throw ObjectStoreError.failed(slice.key, .canceled)
            }
            return bytes
        }
    }

    /// MD5 of the slice.
    func md5() async throws(ObjectStoreError) -> [UInt8] {
        var hash = RunningHash(.md5)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let bytes = try await piece(at: offset)
            bytes.withUnsafeBytes { hash.update($0) }
            offset += Int64(bytes.count)
        }
        return hash.finish()
    }

    /// All of a short slice, which then counts as gone.
    func bytes() async throws(ObjectStoreError) -> [UInt8] {
        let bytes = count == 0 ? [] : try await piece(at: range.lowerBound)
        guard progress.reach(range.upperBound, ofSliceAt: range.lowerBound) else { throw .failed(key, .canceled) }
        return bytes
    }

    private func piece(at offset: Int64) async throws(ObjectStoreError) -> [UInt8] {
        let count = Int(Swift.min(Self.pieceLength, range.upperBound - offset))
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try await onBlockingThread { [content] () throws(Errno) in
                try content.read(at: offset, count: count)
            }
        } catch { throw .failed(key, error) }
        guard bytes.count == count else { throw .corrupted(key, "the document became shorter while it was sent") }
        return bytes
    }
}
