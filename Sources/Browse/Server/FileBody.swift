import FlyingSocks
import Foundation
import LinuxFiles
import SystemPackage

/// A part of a file as the body of an answer. Each piece is read on a thread that may wait: what is not here is fetched.
struct FileBody: AsyncBufferedSequence {
    typealias Element = UInt8

    /// Closes the file when nobody reads any more.
    fileprivate final class OpenFile: Sendable {
        let file: FileDescriptor

        init(_ file: FileDescriptor) { self.file = file }

        deinit {
            // The file was open for reading: nothing can be lost.
            try? file.close()
        }
    }

    private static let pieceLength: Int64 = 1 << 18

    private let source: OpenFile
    private let range: Range<Int64>

    init(_ file: FileDescriptor, range: Range<Int64>) {
        source = OpenFile(file)
        self.range = range
    }

    func makeAsyncIterator() -> Iterator { Iterator(source: source, offset: range.lowerBound, end: range.upperBound) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        fileprivate let source: OpenFile
        fileprivate var offset: Int64
        fileprivate let end: Int64

        mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            guard offset < end else { return nil }
            let (source, start) = (source, offset)
            let length = Int(Swift.min(FileBody.pieceLength, end - start, Int64(Swift.max(1, count))))
            let bytes = try await onBlockingThread { () throws(Errno) in
                try source.file.bytes(at: start, count: length)
            }
            // The length was announced: a shorter file ends the connection, so that nobody takes it for whole.
            guard !bytes.isEmpty else { throw Errno.ioError }
            offset += Int64(bytes.count)
            return bytes
        }
    }
}
