import Archives
import FlyingSocks
import LinuxFiles
import Synchronization
import SystemPackage

/// Documents as a zip archive, as the body of an answer. It is made while it is sent, piece by piece, on a thread that may wait: what is not
/// here is fetched. Of all that is in it, one piece of one document is in memory.
struct ArchiveBody: AsyncBufferedSequence {
    typealias Element = UInt8

    private let source: Source

    init(_ documents: ArchivedDocuments) { source = Source(documents.items) }

    func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        fileprivate let source: Source

        mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

        /// A failure ends the connection, so that nobody takes the archive for whole.
        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            try await onBlockingThread { [source] in try source.next() }
        }
    }

    fileprivate final class Source: Sendable {
        private static let pieceLength: Int64 = 1 << 18

        private struct State: ~Copyable {
            var archive = ZipArchive()
            var next = 0
            /// The document of which pieces are read.
            var content: OpenContent?
            var offset: Int64 = 0
            var hasEnded = false

            deinit {
                // It was open for reading: nothing can be lost.
                try? content?.file.close()
            }
        }

        private let items: [ArchivedDocuments.Item]
        private let state = Mutex(State())

        init(_ items: [ArchivedDocuments.Item]) { self.items = items }

        /// - Returns: the bytes that follow; nil at the end.
        func next() throws -> [UInt8]? {
            try state.withLock { state in
                var bytes: [UInt8] = []
                while bytes.isEmpty, !state.hasEnded { bytes = try nextPiece(&state) }
                return bytes.isEmpty ? nil : bytes
            }
        }

        private func nextPiece(_ state: inout State) throws -> [UInt8] {
            if let content = state.content { return try readPiece(of: content, &state) }
            guard state.next < items.count else {
                state.hasEnded = true
                return state.archive.end()
            }
            defer { state.next += 1 }
            switch items[state.next] {
            case .folder(let entry): return state.archive.begin(entry)
            case .document(let entry, let open):
                let content = try open()
                state.content = content
                state.offset = 0
                // It may have been saved since it was listed.
                return state.archive.begin(entry.sized(content.size))
            }
        }

        private func readPiece(of content: OpenContent, _ state: inout State) throws -> [UInt8] {
            let rest = content.size - state.offset
            if rest == 0 {
                state.content = nil
                try content.file.close()
                return state.archive.endEntry()
            }
            let piece = try content.file.bytes(at: state.offset, count: Int(Swift.min(rest, Self.pieceLength)))
            // It has become shorter.
            if piece.isEmpty { throw Errno.ioError }
            state.offset += Int64(piece.count)
            return piece.withUnsafeBytes { state.archive.add($0) }
        }
    }
}
