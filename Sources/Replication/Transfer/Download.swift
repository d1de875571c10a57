import Documents
import Glibc
import LinuxFiles
import ObjectStore
import Synchronization
import SystemPackage

/// Fetches one content into a file. A reader waits only for the bytes that it needs, and these are fetched first. When all bytes are here,
/// the content is verified against its SHA-256. A reader may see bytes before that, wherever they stand, but never all: the chunk that comes
/// last can be read when the content is verified.
public final class Download: Sendable {
    private struct State {
        var map: ChunkMap
        /// The bytes that have come of chunks that are on their way.
        var arriving: [Int: Int64] = [:]
        var failure: TransferError?
        var isVerified = false

        /// Whether these bytes may be read.
        func isReadable(_ range: Range<Int64>) -> Bool {
            let existing = range.clamped(to: 0..<map.size)
            return existing.isEmpty || map.has(existing) && (isVerified || !map.isCompleted(by: existing))
        }

        /// Ends the wait for these bytes; nil as long as they are on their way.
        func answer(_ range: Range<Int64>) -> Result<Void, TransferError>? {
            if isReadable(range) { return .success(()) }
            return failure.map { .failure($0) }
        }
    }

    private let store: any ObjectStore
    private let key: ObjectKey
    private let version: DocumentVersion
    private let file: FileDescriptor
    private let parallelism: Int
    /// Called when `percent` has changed.
    private let moved: @Sendable () -> Void
    private let lastPercent = Atomic<Int>(0)
    private let state: AwaitedState<State, Range<Int64>, Result<Void, TransferError>>

    /// - Parameters:
    ///   - file: open for reading and writing until the last call to this object has returned.
    ///   - moved: called when `percent` has changed.
    public init(
        store: any ObjectStore, key: ObjectKey, version: DocumentVersion, into file: FileDescriptor,
        chunkSize: Int64 = 1 << 20, parallelism: Int = 4, moved: @escaping @Sendable () -> Void = {}
    ) {
        self.moved = moved
        self.store = store
        self.key = key
        self.version = version
        self.file = file
        self.parallelism = parallelism
        state = AwaitedState(
            State(map: ChunkMap(size: version.size, chunkSize: chunkSize)), cancelled: .failure(.cancelled),
            answer: { range, state in state.answer(range) })
    }

    /// Bytes that are here and bytes in all. It goes back to 0 if the content turns out to be damaged.
    public var progress: (received: Int64, total: Int64) {
        state.withState { ($0.map.received + $0.arriving.values.reduce(0, +), version.size) }
    }

    /// Of `progress`, 0 to 100.
    public var percent: Int {
        let (received, total) = progress
        return total <= 0 ? 100 : Int(min(100, received * 100 / total))
    }

    private func tellProgress() {
        let percent = percent
        if lastPercent.exchange(percent, ordering: .relaxed) != percent { moved() }
    }

    /// Fetches the missing chunks and verifies the content. May be called again after a failure, but not while a call is running. Chunks that
    /// arrived are kept, unless the content turned out to be damaged.
    public func run() async throws(TransferError) {
        state.withState { $0.failure = nil }
        do throws(TransferError) {
            try await fetchAll()
            try await verify()
        } catch {
            state.update { $0.failure = error }
            throw error
        }
    }

    /// Whether these bytes are here and may be read, as far as they exist.
    public func has(_ range: Range<Int64>) -> Bool { state.withState { $0.isReadable(range) } }

    /// Waits until the first byte is here, which shows that the store answers.
    public func waitForStart() async throws(TransferError) {
        try await wait(for: 0..<min(1, version.size))
    }

    /// Waits until these bytes are here and may be read.
    ///
    /// - Throws: `cancelled` if the calling task is cancelled, or why the download failed.
    public func wait(for range: Range<Int64>) async throws(TransferError) {
        try await state.wait(for: range, beforeWaiting: { $0.map.want(range) }).get()
    }

    // MARK: Fetching

    private func fetchAll() async throws(TransferError) {
        let (file, size) = (file, version.size)
        try await onBlockingThread { () throws(TransferError) in
            if ftruncate(file.rawValue, off_t(size)) != 0 { throw .file(Errno(rawValue: errno)) }
        }
        let failure = await withTaskGroup(of: Result<Void, TransferError>.self) { group -> TransferError? in
            for _ in 0..<parallelism {
                group.addTask {
                    do throws(TransferError) { return .success(try await self.fetchChunks()) } catch {
                        return .failure(error)
                    }
                }
            }
            var first: TransferError?
            for await case .failure(let failure) in group where first == nil {
                first = failure
                // Otherwise the other tasks would fetch all remaining chunks before the failure is reported.
                group.cancelAll()
            }
            return first
        }
        if let failure { throw failure }
    }

    private func fetchChunks() async throws(TransferError) {
        while let (chunk, range) = nextChunk() {
            do throws(TransferError) {
                if Task.isCancelled { throw .cancelled }
                try await fetch(range, chunk)
            } catch {
                state.withState { state in
                    state.map.failed(chunk)
                    state.arriving[chunk] = nil
                }
                throw error
            }
            state.update { state in
                state.map.arrived(chunk)
                state.arriving[chunk] = nil
            }
        }
    }

    private func nextChunk() -> (Int, Range<Int64>)? {
        state.withState { state in state.map.next().map { ($0, state.map.range(of: $0)) } }
    }

    private func fetch(_ range: Range<Int64>, _ chunk: Int) async throws(TransferError) {
        let bytes: [UInt8]
        do throws(ObjectStoreError) {
            bytes = try await store.get(key, range: range) { [self] count in
                state.withState { $0.arriving[chunk, default: 0] += count }
                tellProgress()
            }
        } catch { throw .store(error) }
        guard bytes.count == range.count else { throw .damaged }
        let file = file
        try await onBlockingThread { () throws(TransferError) in
            do throws(Errno) { try file.write(bytes, at: range.lowerBound) } catch { throw .file(error) }
        }
    }

    private func verify() async throws(TransferError) {
        let (file, version) = (file, version)
        let (digest, _) = try await onBlockingThread { () throws(TransferError) in
            try Digest.sha256(of: file, length: version.size)
        }
        guard digest == version.sha256 else {
            state.withState { $0.map = ChunkMap(size: version.size, chunkSize: $0.map.chunkSize) }
            throw .damaged
        }
        state.update { $0.isVerified = true }
    }
}
