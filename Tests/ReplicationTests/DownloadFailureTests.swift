import Documents
import ObjectStore
import Replication
import SystemPackage
import Testing
import TestSupport

/// Downloads that fail, and go on.
@Suite(.timeLimit(.minutes(15)))
struct DownloadFailureTests {
    private let unreachable = ObjectStoreError.unreachable("no route to host")

    @Test func `a content that differs from the sent one is damaged, and is fetched again`() async throws {
        let sample = DownloadSample(35)
        var damaged = sample.content
        damaged[17] ^= 1
        let store = FakeStore(DownloadSample.key, damaged)
        try await withFile { file in
            let download = sample.download(from: store, into: file)
            await #expect(throws: TransferError.damaged) { try await download.run() }
            #expect(download.progress.received == 0)
            #expect(!download.has(0..<1))
            await #expect(throws: TransferError.damaged) { try await download.wait(for: 0..<1) }
            store.set(DownloadSample.key, sample.content)
            try await download.run()
            #expect(store.reads.count == 8)
            #expect(try file.bytes(36) == sample.content)
        }
    }

    @Test(arguments: [1, 10, 35])
    func `the last chunk of a damaged content cannot be read`(count: Int) async throws {
        let sample = DownloadSample(count)
        var damaged = sample.content
        damaged[count - 1] ^= 1
        let store = FakeStore(DownloadSample.key, damaged)
        store.hold()
        try await withFile { file in
            let download = sample.download(from: store, into: file)
            let ranges: [Range<Int64>] = [0..<Int64(count), Int64(count - 1)..<Int64(count), 0..<1000]
            let waiting = ranges.map { range in Task.immediate { try await download.wait(for: range) } }
            let running = Task { try await download.run() }
            await store.waitForReads(1)
            store.releaseAll()
            for waiting in waiting { await #expect(throws: TransferError.damaged) { try await waiting.value } }
            await #expect(throws: TransferError.damaged) { try await running.value }
            for range in ranges { #expect(!download.has(range)) }
        }
    }

    @Test(arguments: [0, 9, 30, 34])
    func `a content that is too short is damaged`(count: Int) async throws {
        let sample = DownloadSample(35)
        let store = FakeStore(DownloadSample.key, Array(sample.content.prefix(count)))
        try await withFile { file in
            let download = sample.download(from: store, into: file)
            await #expect(throws: TransferError.damaged) { try await download.run() }
        }
    }

    @Test func `a content that is longer than its version says is read to that length`() async throws {
        let sample = DownloadSample(35)
        let store = FakeStore(DownloadSample.key, sample.content + [1, 2, 3])
        try await withFile { file in
            try await sample.download(from: store, into: file).run()
            #expect(try file.bytes(100) == sample.content)
        }
    }

    @Test func `an empty content with another digest is damaged`() async throws {
        var version = DownloadSample(0).version
        version.sha256 = TestDevice.digest
        try await withFile { file in
            let download = Download(store: FakeStore(), key: DownloadSample.key, version: version, into: file)
            await #expect(throws: TransferError.damaged) { try await download.run() }
        }
    }

    @Test func `after a failure a download goes on with what is missing`() async throws {
        let sample = DownloadSample(40)
        let store = FakeStore(DownloadSample.key, sample.content)
        store.failRead(3)
        try await withFile { file in
            let download = sample.download(from: store, into: file)
            await #expect(throws: TransferError.store(unreachable)) { try await download.run() }
            #expect(download.progress.received == 20)
            #expect(download.has(0..<20))
            try await download.run()
            #expect(store.reads == [0..<10, 10..<20, 20..<30, 20..<30, 30..<40])
            #expect(try file.bytes(41) == sample.content)
        }
    }

    @Test(arguments: 1...10)
    func `whichever chunk fails, the next run completes the content`(failing: Int) async throws {
        let sample = DownloadSample(95)
        let store = FakeStore(DownloadSample.key, sample.content)
        store.failRead(failing)
        try await withFile { file in
            let download = sample.download(from: store, into: file, parallelism: 3)
            await #expect(throws: TransferError.store(unreachable)) { try await download.run() }
            try await download.run()
            #expect(store.reads.count == 11)
            #expect(try file.bytes(96) == sample.content)
        }
    }

    @Test func `a failure ends the waiting of all whose bytes are not here`() async throws {
        let sample = DownloadSample(40)
        let store = FakeStore(DownloadSample.key, sample.content)
        store.failRead(2)
        store.hold()
        try await withFile { file in
            let download = sample.download(from: store, into: file)
            let lucky = Task.immediate { try await download.wait(for: 0..<5) }
            let unlucky = [15..<16, 35..<36, 0..<40].map { range in
                Task.immediate { try await download.wait(for: range) }
            }
            let running = Task { try await download.run() }
            await store.waitForReads(1)
            store.releaseAll()
            try await lucky.value
            for waiting in unlucky {
                await #expect(throws: TransferError.store(unreachable)) { try await waiting.value }
            }
            await #expect(throws: TransferError.store(unreachable)) { try await running.value }
            // A download that has failed lets nobody wait until it is run again.
            await #expect(throws: TransferError.store(unreachable)) { try await download.wait(for: 30..<31) }
            try await download.wait(for: 0..<10)
            let again = Task { try await download.run() }
            try await again.value
            try await download.wait(for: 30..<31)
        }
    }

    @Test func `an object that is missing is reported`() async throws {
        try await withFile { file in
            let download = DownloadSample(10).download(from: FakeStore(), into: file)
            await #expect(throws: TransferError.store(.notFound(DownloadSample.key))) { try await download.run() }
        }
    }

    @Test func `a file that cannot be written is reported`() async throws {
        let sample = DownloadSample(10)
        try await withTemporaryFolder { folder in
            let path = FilePath(folder + "/file")
            try FileDescriptor.open(path, .writeOnly, options: .create, permissions: .ownerReadWrite).close()
            let file = try FileDescriptor.open(path, .readOnly)
            defer { try? file.close() }
            let download = sample.download(from: FakeStore(DownloadSample.key, sample.content), into: file)
            let error = await #expect(throws: TransferError.self) { try await download.run() }
            guard case .file = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `a download that is cancelled ends between two chunks, and can go on`() async throws {
        let sample = DownloadSample(40)
        let store = FakeStore(DownloadSample.key, sample.content)
        store.hold()
        try await withFile { file in
            let download = sample.download(from: store, into: file)
            let waiting = Task.immediate { try await download.wait(for: 0..<40) }
            let running = Task { try await download.run() }
            await store.waitForReads(1)
            running.cancel()
            store.releaseAll()
            await #expect(throws: TransferError.cancelled) { try await running.value }
            await #expect(throws: TransferError.cancelled) { try await waiting.value }
            #expect(store.reads == [0..<10])
            #expect(download.progress.received == 10)
            try await download.run()
            #expect(store.reads.count == 4)
            #expect(Set(store.reads) == [0..<10, 10..<20, 20..<30, 30..<40])
            #expect(try file.bytes(41) == sample.content)
        }
    }

    @Test func `an error is one line for a person`() {
        let errors: [TransferError] = [.store(unreachable), .damaged, .changed, .file(.ioError), .cancelled]
        #expect(Set(errors.map(\.description)).count == errors.count)
        #expect(errors.allSatisfy { !$0.description.isEmpty && !$0.description.contains("\n") })
    }
}
