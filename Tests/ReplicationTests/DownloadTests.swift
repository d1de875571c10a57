import Documents
import Hashing
import ObjectStore
import Replication
import Synchronization
import SystemPackage
import Testing
import TestSupport

/// A version of some content and its key, for the tests of downloading.
struct DownloadSample: Sendable {
    static let key = ObjectKey(["documents", "1"])!
    let content: [UInt8]
    let version: DocumentVersion

    init(_ count: Int) {
        content = pattern(count)
        var version = TestDevice.laptop.version(1, modified: 1)
        version.size = Int64(count)
        version.sha256 = sha256(content)
        self.version = version
    }

    func download(
        from store: any ObjectStore, into file: FileDescriptor, chunkSize: Int64 = 10, parallelism: Int = 1
    ) -> Download {
        Download(
            store: store, key: Self.key, version: version, into: file, chunkSize: chunkSize, parallelism: parallelism)
    }
}

func sha256(_ content: [UInt8]) -> String {
    hexadecimal(HashAlgorithm.sha256.digest(of: content))
}

/// Downloads that succeed, and the readers that wait for bytes.
@Suite(.timeLimit(.minutes(15)))
struct DownloadTests {
    @Test(arguments: [(0, 10), (1, 10), (10, 10), (95, 10), (1 << 20, 1 << 16)], [1, 4])
    func `a download fetches the whole content`(sizes: (count: Int, chunk: Int), parallelism: Int) async throws {
        let sample = DownloadSample(sizes.count)
        let store = FakeStore(DownloadSample.key, sample.content)
        try await withFile { file in
            let download = sample.download(
                from: store, into: file, chunkSize: Int64(sizes.chunk), parallelism: parallelism)
            #expect(download.progress == (0, Int64(sizes.count)))
            try await download.run()
            #expect(download.progress == (Int64(sizes.count), Int64(sizes.count)))
            #expect(download.has(0..<Int64(sizes.count)))
            #expect(try file.bytes(sizes.count + 1) == sample.content)
            #expect(Set(store.reads).count == store.reads.count)
            #expect(store.reads.reduce(0) { $0 + $1.count } == sizes.count)
        }
    }

    @Test func `bytes count as soon as they come, before their chunk is whole`() async throws {
        let sample = DownloadSample(100)
        let store = FakeStore(DownloadSample.key, sample.content)
        store.trickles = 25
        let percents = Mutex<[Int]>([])
        let current = Mutex<Download?>(nil)
        try await withFile { file in
            let download = Download(
                store: store, key: DownloadSample.key, version: sample.version, into: file, chunkSize: 50,
                parallelism: 1,
                moved: { percents.withLock { $0.append(current.withLock { $0?.percent ?? -1 }) } })
            current.withLock { $0 = download }
            try await download.run()
            #expect(percents.withLock { $0 } == [25, 50, 75, 100])
            #expect(download.progress == (100, 100))
        }
    }

    @Test func `a download replaces the file's former content`() async throws {
        let sample = DownloadSample(25)
        try await withFile(pattern(100).reversed()) { file in
            try await sample.download(from: FakeStore(DownloadSample.key, sample.content), into: file).run()
            #expect(try file.bytes(100) == sample.content)
        }
    }

    @Test func `a content that was uploaded to a folder comes back from it`() async throws {
        let content = pattern((3 << 20) + 17)
        let document = EntryID(numbered: 1)
        try await withTemporaryFolder { folder in
            let store = try DirectoryStore(root: folder, creates: true)
            try await withFile(content) { source in
                let version = try await Upload(store: store).send(
                    TestDevice.laptop.version(1, modified: 1), of: document, from: source, length: Int64(content.count)
                ) { _ in true }
                try await withFile { target in
                    let key = try version.key(of: document)
                    let download = Download(store: store, key: key, version: version, into: target)
                    try await download.run()
                    #expect(try target.bytes(content.count + 1) == content)
                }
            }
        }
    }

    @Test func `a reader gets its bytes first, and waits for no others`() async throws {
        let sample = DownloadSample(45)
        let store = FakeStore(DownloadSample.key, sample.content)
        store.hold()
        try await withFile { file in
            let download = sample.download(from: store, into: file)
            let waiting = Task.immediate { try await download.wait(for: 25..<27) }
            let running = Task { try await download.run() }
            await store.waitForReads(1)
            try #require(store.reads == [20..<30])
            store.releaseOne()
            try await waiting.value
            #expect(try file.bytes(at: 25, 2) == Array(sample.content[25..<27]))
            #expect(download.has(20..<30))
            #expect(!download.has(0..<1))
            store.releaseAll()
            try await running.value
            #expect(store.reads == [20..<30, 0..<10, 10..<20, 30..<40, 40..<45])
            #expect(try file.bytes(45) == sample.content)
        }
    }

    @Test
    func
        `chunks can be read as they come, those of the end as well, and the one that comes last when the content is verified`()
        async throws
    {
        let sample = DownloadSample(25)
        let store = FakeStore(DownloadSample.key, sample.content)
        store.hold()
        try await withFile { file in
            let download = sample.download(from: store, into: file)
            let last = Task.immediate { try await download.wait(for: 24..<25) }
            let first = Task.immediate { try await download.wait(for: 0..<10) }
            let running = Task { try await download.run() }
            await store.waitForReads(1)
            #expect(store.reads == [20..<25])
            store.releaseOne()
            await store.waitForReads(2)
            try await last.value
            #expect(download.progress.received == 5)
            #expect(download.has(20..<25))
            #expect(download.has(24..<100))
            #expect(!download.has(0..<1))
            store.releaseOne()
            try await first.value
            #expect(download.has(0..<10))
            #expect(!download.has(0..<25))
            store.releaseAll()
            try await running.value
            #expect(download.has(0..<25))
            #expect(try file.bytes(26) == sample.content)
        }
    }

    @Test func `an empty range, and one beyond the end, can be read at once`() async throws {
        try await withFile { file in
            let download = DownloadSample(25).download(from: FakeStore(), into: file)
            for range in [25..<26, 25..<1000, 7..<7, 24..<24] as [Range<Int64>] {
                #expect(download.has(range), "\(range)")
                try await download.wait(for: range)
            }
            #expect(!download.has(24..<26))
        }
    }

    @Test func `a reader that begins to wait later is still served next`() async throws {
        let sample = DownloadSample(50)
        let store = FakeStore(DownloadSample.key, sample.content)
        store.hold()
        try await withFile { file in
            let download = sample.download(from: store, into: file)
            let running = Task { try await download.run() }
            await store.waitForReads(1)
            let waiting = Task.immediate { try await download.wait(for: 38..<41) }
            store.releaseAll()
            try await waiting.value
            try await running.value
            #expect(store.reads == [0..<10, 30..<40, 40..<50, 10..<20, 20..<30])
        }
    }

    @Test func `several chunks are fetched at a time`() async throws {
        let sample = DownloadSample(95)
        let store = FakeStore(DownloadSample.key, sample.content)
        store.hold()
        try await withFile { file in
            let download = sample.download(from: store, into: file, parallelism: 4)
            let running = Task { try await download.run() }
            await store.waitForReads(4)
            #expect(Set(store.reads) == [0..<10, 10..<20, 20..<30, 30..<40])
            store.releaseAll()
            try await running.value
            #expect(try file.bytes(95) == sample.content)
        }
    }

    @Test func `waiting for the start ends with the first chunk`() async throws {
        let sample = DownloadSample(30)
        let store = FakeStore(DownloadSample.key, sample.content)
        store.hold()
        try await withFile { file in
            let download = sample.download(from: store, into: file)
            let waiting = Task.immediate { try await download.waitForStart() }
            let running = Task { try await download.run() }
            await store.waitForReads(1)
            store.releaseOne()
            try await waiting.value
            #expect(download.progress.received == 10)
            store.releaseAll()
            try await running.value
        }
    }

    @Test func `bytes that are here, or do not exist, are not waited for`() async throws {
        let sample = DownloadSample(20)
        let store = FakeStore(DownloadSample.key, sample.content)
        try await withFile { file in
            let download = sample.download(from: store, into: file)
            try await download.wait(for: 20..<30)
            try await download.wait(for: 5..<5)
            #expect(store.reads.isEmpty)
            try await download.run()
            try await download.wait(for: 0..<1000)
            try await DownloadSample(0).download(from: store, into: file).waitForStart()
        }
    }

    @Test func `a reader whose task is cancelled stops waiting, and no other does`() async throws {
        let sample = DownloadSample(30)
        let store = FakeStore(DownloadSample.key, sample.content)
        store.hold()
        try await withFile { file in
            let download = sample.download(from: store, into: file)
            let cancelled = Task.immediate { try await download.wait(for: 0..<5) }
            let patient = Task.immediate { try await download.wait(for: 0..<5) }
            let running = Task { try await download.run() }
            await store.waitForReads(1)
            cancelled.cancel()
            await #expect(throws: TransferError.cancelled) { try await cancelled.value }
            store.releaseAll()
            try await patient.value
            try await running.value
            #expect(try file.bytes(30) == sample.content)
        }
    }

    @Test func `a task that was cancelled before does not begin to wait`() async throws {
        try await withFile { file in
            let download = DownloadSample(30).download(from: FakeStore(), into: file)
            let waiting = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await download.wait(for: 0..<5)
            }
            await #expect(throws: TransferError.cancelled) { try await waiting.value }
        }
    }
}
