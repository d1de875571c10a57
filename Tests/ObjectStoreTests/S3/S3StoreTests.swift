import Foundation
import SystemPackage
import Testing

@testable import ObjectStore
import TestSupport

/// Behaviour that only S3 has, on a real server.
@Suite(.timeLimit(.minutes(15)))
struct S3StoreTests {
    @Test func `containers in one bucket do not see each other`() async throws {
        let server = try await S3Server.seaweed()
        let one = server.store(), other = server.store()
        #expect(try await one.putIfAbsent(.path("log/1"), [1]) == .created)
        #expect(try await other.putIfAbsent(.path("log/1"), [2]) == .created)
        #expect(try await one.get(.path("log/1"), limit: 1) == [1])
        #expect(try await other.list(.path("log"), after: nil, limit: 9) == [.path("log/1")])
    }

    @Test func `a container may have no prefix, or a strange one`() async throws {
        let server = try await S3Server.seaweed()
        let id = UUID().uuidString
        let whole = S3Store(server.settings(prefix: []))
        let strange = S3Store(server.settings(prefix: [id, "a b+%#ü\n"]))
        let key = ObjectKey.path("log/1")
        #expect(try await strange.putIfAbsent(key, [1]) == .created)
        #expect(try await strange.list(.path("log"), after: nil, limit: 9) == [key])
        #expect(try await whole.list(.path(id), after: nil, limit: 9) == [.path(id + "/a b+%#ü\n/log/1")])
    }

    @Test func `more keys than fit a page are listed`() async throws {
        let store = try await S3Server.seaweed().store()
        let keys = (0..<1100).map { ObjectKey.path("log/\(String(10_000 + $0))") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for start in 0..<16 {
                group.addTask {
                    for key in keys[start...].enumerated().filter({ $0.offset % 16 == 0 }) {
                        _ = try await store.putIfAbsent(key.element, [])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.list(.path("log"), after: nil, limit: 5000) == keys)
        #expect(try await store.list(.path("log"), after: keys[40], limit: 1050) == Array(keys[41..<1091]))
    }

    @Test func `a wrong secret is unauthorized, and not told`() async throws {
        let server = try await S3Server.seaweed()
        let wrong = S3Credentials(
            accessKeyID: S3Server.credentials.accessKeyID, secretAccessKey: "HIDDEN-SECRET",
            sessionToken: "HIDDEN-TOKEN")
        let store = S3Store(server.settings(prefix: ["x"], credentials: wrong))
        try await expectUnauthorized(store)
        let unknown = S3Credentials(accessKeyID: "nobody", secretAccessKey: "HIDDEN-SECRET")
        try await expectUnauthorized(S3Store(server.settings(prefix: ["x"], credentials: unknown)))
    }

    private func expectUnauthorized(_ store: S3Store) async throws {
        let operations: [() async throws -> Void] = [
            { _ = try await store.putIfAbsent(.path("a"), [1]) }, { _ = try await store.get(.path("a"), limit: 1) },
            { _ = try await store.get(.path("a"), range: 0..<0) }, { try await store.delete(.path("a")) },
            { _ = try await store.list(.path("a"), after: nil, limit: 1) },
        ]
        for operation in operations {
            let error = await #expect(throws: ObjectStoreError.self) { try await operation() }
            guard case .unauthorized = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(error?.description.contains("HIDDEN") == false)
        }
    }

    @Test func `a bucket that does not exist is named as the trouble`() async throws {
        let server = try await S3Server.seaweed()
        let settings = S3Settings(
            location: S3Location(bucket: "absent-bucket"), credentials: S3Server.credentials, region: "us-east-1",
            endpoint: server.endpoint)
        let error = await #expect(throws: ObjectStoreError.self) {
            try await S3Store(settings).get(.path("log/1"), limit: 1)
        }
        #expect(error == .unusable("the bucket does not exist"))
    }

    @Test func `a server that is not there is unreachable`() async throws {
        let port = try ServerProcess.freePorts(1)[0]
        let settings = S3Settings(
            location: S3Location(bucket: "documents"), credentials: S3Server.credentials, region: "us-east-1",
            endpoint: S3Endpoint(isSecure: false, host: "127.0.0.1", port: port))
        let error = await #expect(throws: ObjectStoreError.self) {
            try await S3Store(settings).get(.path("log/1"), limit: 1)
        }
        guard case .unreachable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    // MARK: In parts

    private let small = PartPlan(longestSinglePut: 1 << 20, shortestPart: 5 << 20)
    private let film = ObjectKey.path("documents/1/2/film.mkv")

    @Test func `a large document is sent in parts, and is one object`() async throws {
        let store = try await S3Server.seaweed().store(parts: small)
        let content = pattern((11 << 20) + 5)
        try await withFile(content) { file throws in
            let progress = Recorder<Int64>()
            let outcome = try await store.putIfAbsent(film, contentsOf: file, length: Int64(content.count)) {
                progress.add($0)
                return true
            }
            #expect(outcome == .created)
            #expect(progress.values.reduce(0, +) == Int64(content.count))
            #expect(try await store.get(film, limit: content.count) == content)
            #expect(try await unfinished(store).isEmpty)
        }
    }

    @Test func `nothing of a large document is sent where the object exists`() async throws {
        let store = try await S3Server.seaweed().store(parts: small)
        _ = try await store.putIfAbsent(film, [1])
        try await withFile(pattern(9 << 20)) { file throws in
            let progress = Recorder<Int64>()
            let outcome = try await store.putIfAbsent(film, contentsOf: file, length: 9 << 20) {
                progress.add($0)
                return true
            }
            #expect(outcome == .alreadyExists)
            #expect(progress.values.isEmpty)
            #expect(try await store.get(film, limit: 1) == [1])
        }
    }

    @Test func `the second to send parts of a document loses`() async throws {
        let store = try await S3Server.seaweed().store(parts: small)
        try await withFile(pattern(6 << 20)) { file throws in
            #expect(try await store.putIfAbsent(film, contentsOf: file, length: 6 << 20) { _ in true } == .created)
            #expect(
                try await store.putIfAbsent(film, contentsOf: file, length: 5 << 20) { _ in true } == .alreadyExists)
            #expect(try await store.get(film, limit: 6 << 20) == pattern(6 << 20))
        }
    }

    @Test(arguments: [1, 8])
    func `an abandoned upload in parts leaves nothing, not even parts`(pieces: Int) async throws {
        let store = try await S3Server.seaweed().store(parts: small)
        try await withFile(pattern(11 << 20)) { file throws in
            let progress = Recorder<Int64>()
            await #expect(throws: ObjectStoreError.failed(film, .canceled)) {
                try await store.putIfAbsent(film, contentsOf: file, length: 11 << 20) {
                    progress.add($0)
                    return progress.values.count < pieces
                }
            }
            await #expect(throws: ObjectStoreError.notFound(film)) { try await store.get(film, range: 0..<1) }
            #expect(try await unfinished(store).isEmpty)
        }
    }

    @Test func `a cancelled upload in parts leaves nothing either`() async throws {
        let store = try await S3Server.seaweed().store(parts: small)
        try await withFile(pattern(11 << 20)) { file throws in
            let (started, start) = AsyncStream<Void>.makeStream()
            let upload = Task {
                try await store.putIfAbsent(film, contentsOf: file, length: 11 << 20) { _ in
                    start.yield()
                    return true
                }
            }
            for await _ in started { break }
            upload.cancel()
            await #expect(throws: ObjectStoreError.failed(film, .canceled)) { try await upload.value }
            await #expect(throws: ObjectStoreError.notFound(film)) { try await store.get(film, range: 0..<1) }
            #expect(try await unfinished(store).isEmpty)
        }
    }

    /// The uploads of a container that nobody has completed or withdrawn.
    private func unfinished(_ store: S3Store) async throws -> [String] {
        let request = S3Request(.get, nil, query: [Field("uploads", ""), Field("prefix", store.name(film))])
        let document = try await store.client.perform(request) { response throws(S3Failure) in
            try await response.document()
        }
        try #require(document.name == "ListMultipartUploadsResult")
        return document.children(named: "Upload").compactMap { $0["Key"] }
    }
}
