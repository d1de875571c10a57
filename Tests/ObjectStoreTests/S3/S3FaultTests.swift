import Documents
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import ObjectStore

/// Networks and servers that fail, one fault at a time.
@Suite(.timeLimit(.minutes(15)))
struct S3FaultTests {
    private let key = ObjectKey.path("log/1")

    @Test(arguments: [
        ScriptedServer.Reply.answer(500), .error(500, "InternalError"), .error(503, "SlowDown"), .answer(429), .reset,
        .error(409, "ConditionalRequestConflict"), .error(400, "RequestTimeout"),
    ])
    func `a request that fails for the moment is tried again`(reply: ScriptedServer.Reply) async throws {
        try await ScriptedServer.run({ _, number in number < 2 ? reply : .stored }) { server async throws in
            let surroundings = TestSurroundings()
            #expect(try await server.store(surroundings).putIfAbsent(key, [1, 2]) == .created)
            #expect(server.requests.map(\.body) == [[1, 2], [1, 2], [1, 2]])
            #expect(
                server.requests.allSatisfy {
                    $0.method == "PUT" && $0.target == "/bucket/c/log/1" && $0["If-None-Match"] == "*"
                })
            #expect(surroundings.pauses.values == [.milliseconds(100), .milliseconds(200)])
        }
    }

    /// Temporary credentials run out, and are renewed in their file.
    @Test func `a request that is refused is made again with credentials that were renewed`() async throws {
        let fresh = S3Credentials(accessKeyID: "FRESH", secretAccessKey: "another secret", sessionToken: "token")
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { request, _ in
            guard request["Authorization"]?.contains("Credential=FRESH/") == true else {
                return .error(400, "ExpiredToken")
            }
            return request.method == "PUT" ? .stored : .answer(200, body: "text")
        }
        try await ScriptedServer.run(script) { server async throws in
            let renewals = Mutex(0)
            let store = server.store(renewal: {
                renewals.withLock { $0 += 1 }
                return fresh
            })
            #expect(try await store.putIfAbsent(key, [1, 2]) == .created)
            #expect(server.requests.count == 2)
            #expect(try await store.get(key, limit: 10) == Array("text".utf8))
            #expect(server.requests.count == 3)
            #expect(renewals.withLock { $0 } == 1)
        }
        // Where nothing was renewed, nothing is tried again.
        try await ScriptedServer.run(script) { server async throws in
            let store = server.store(renewal: { nil })
            await #expect(throws: ObjectStoreError.unauthorized("ExpiredToken")) {
                try await store.putIfAbsent(key, [1, 2])
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a server may ask for a longer pause`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { _, number in
            number == 0 ? .error(503, "SlowDown", headers: [("Retry-After", "7")]) : .answer(204)
        }
        try await ScriptedServer.run(script) { server async throws in
            let surroundings = TestSurroundings()
            try await server.store(surroundings).delete(key)
            #expect(surroundings.pauses.values == [.seconds(7)])
        }
    }

    @Test func `after six tries it is enough`() async throws {
        try await ScriptedServer.run({ _, _ in .error(503, "SlowDown") }) { server async throws in
            await #expect(throws: ObjectStoreError.unreachable("the server answers SlowDown (status 503)")) {
                try await server.store().get(key, limit: 1)
            }
            #expect(server.requests.count == 6)
        }
    }

    @Test func `a lost reply to a put that was done shows as an object that exists`() async throws {
        let stored = Mutex<[UInt8]?>(nil)
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { request, _ in
            if request.method == "GET" {
                return .answer(200, body: String(decoding: stored.withLock { $0 } ?? [], as: UTF8.self))
            }
            if stored.withLock({ $0 }) != nil { return .error(412, "PreconditionFailed") }
            stored.withLock { $0 = request.body }
            return .reset
        }
        try await ScriptedServer.run(script) { server async throws in
            let store = server.store()
            #expect(try await store.putIfAbsent(key, [1, 2]) == .alreadyExists)
            #expect(try await store.get(key, limit: 10) == [1, 2])
        }
    }

    @Test func `a body that ends too early is fetched again`() async throws {
        try await ScriptedServer.run({ _, number in
            number == 0 ? .truncated(length: 6, body: "tru") : .answer(200, body: "truth!")
        }) {
            server async throws in
            #expect(try await server.store().get(key, limit: 10) == Array("truth!".utf8))
            #expect(server.requests.count == 2)
        }
    }

    @Test func `a server that ignores the range has its answer cut`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(200, body: "0123456789") }) { server async throws in
            #expect(try await server.store().get(key, range: 3..<6) == Array("345".utf8))
            #expect(server.requests.map { $0["Range"] } == ["bytes=3-5"])
        }
    }

    // MARK: What the server tells

    @Test(arguments: [
        ScriptedServer.Reply.error(400, "AuthorizationHeaderMalformed", "<Region>eu-central-1</Region>"),
        .error(
            301, "PermanentRedirect",
            headers: [("x-amz-bucket-region", "eu-central-1"), ("Location", "http://127.0.0.1:1/")]),
        .answer(301, headers: [("x-amz-bucket-region", "eu-central-1")]),
    ])
    func `the right region is learned from a refusal, and kept`(refusal: ScriptedServer.Reply) async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { request, _ in
            request["Authorization"]?.contains("/eu-central-1/s3/") == true ? .stored : refusal
        }
        try await ScriptedServer.run(script) { server async throws in
            let surroundings = TestSurroundings()
            let store = server.store(surroundings)
            #expect(try await store.putIfAbsent(key, [1]) == .created)
            #expect(try await store.putIfAbsent(key, [1]) == .created)
            #expect(server.requests.count == 3)
            #expect(surroundings.pauses.values.isEmpty)
        }
    }

    @Test func `a server that never names the right region is not followed for long`() async throws {
        try await ScriptedServer.run({ _, number in
            .error(400, "AuthorizationHeaderMalformed", "<Region>r-\(number)</Region>")
        }) {
            server async throws in
            let error = await #expect(throws: ObjectStoreError.self) { try await server.store().get(key, limit: 1) }
            guard case .unauthorized = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.requests.count == 3)
        }
    }

    @Test func `a clock that is wrong is corrected by the server's`() async throws {
        let time = "Sat, 21 Nov 2026 12:00:00 GMT"
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { request, _ in
            request["X-Amz-Date"]?.hasPrefix("20261121T1200") == true
                ? .stored : .error(403, "RequestTimeTooSkewed", headers: [("Date", time)])
        }
        try await ScriptedServer.run(script) { server async throws in
            let store = server.store()
            #expect(try await store.putIfAbsent(key, [1]) == .created)
            #expect(try await store.putIfAbsent(key, [1]) == .created)
            #expect(
                server.requests.map { $0["X-Amz-Date"] } == [
                    "20261121T041233Z", "20261121T120000Z", "20261121T120000Z",
                ])
        }
    }

    @Test func `a clock that cannot be corrected is said to be the trouble`() async throws {
        try await ScriptedServer.run({ _, _ in
            .error(403, "RequestTimeTooSkewed", headers: [("Date", "Sat, 21 Nov 2026 12:00:00 GMT")])
        }) {
            server async throws in
            await #expect(throws: ObjectStoreError.unauthorized("RequestTimeTooSkewed")) {
                try await server.store().get(key, limit: 1)
            }
            #expect(server.requests.count == 2)
        }
    }

    @Test func `secrets that a server echoes are not repeated`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { request, _ in
            .error(400, "InvalidRequest", "<Message>\(request["X-Amz-Security-Token"] ?? "") HIDDEN-SECRET</Message>")
        }
        try await ScriptedServer.run(script) { server async throws in
            let error = await #expect(throws: ObjectStoreError.self) { try await server.store().get(key, limit: 1) }
            #expect(
                error?.description == "the cloud cannot be used: the server answers InvalidRequest: … … (status 400)")
        }
    }

    // MARK: Waiting

    @Test func `who cancels does not wait for the answer`() async throws {
        let (arrived, arrive) = AsyncStream<Void>.makeStream()
        try await ScriptedServer.run({ _, _ in
            arrive.yield(); return .silence
        }) { server async throws in
            let store = server.store()
            let get = Task { try await store.get(key, limit: 1) }
            for await _ in arrived { break }
            get.cancel()
            let start = ContinuousClock.now
            await #expect(throws: ObjectStoreError.failed(key, .canceled)) { try await get.value }
            #expect(ContinuousClock.now - start < .seconds(10))
            #expect(server.requests.count == 1)
        }
    }

    @Test func `who cancels during a pause does not wait for its end`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(503, headers: [("Retry-After", "20")]) }) {
            server async throws in
            let (paused, pause) = AsyncStream<Void>.makeStream()
            let surroundings = S3Surroundings(
                now: S3Surroundings.system.now, random: { 0 },
                sleep: { duration throws(CancellationError) in
                    pause.yield()
                    try await S3Surroundings.system.sleep(duration)
                })
            let settings = S3Settings(
                location: S3Location(bucket: "bucket"), credentials: ScriptedServer.credentials, region: "r",
                endpoint: S3Endpoint(isSecure: false, host: "127.0.0.1", port: server.port))
            let get = Task { try await S3Store(settings, surroundings: surroundings).get(key, limit: 1) }
            for await _ in paused { break }
            get.cancel()
            let start = ContinuousClock.now
            await #expect(throws: ObjectStoreError.failed(key, .canceled)) { try await get.value }
            #expect(ContinuousClock.now - start < .seconds(10))
        }
    }

    @Test func `a server that says nothing to a write is asked once more, and then counts as away`() async throws {
        try await ScriptedServer.run({ _, _ in .silence }) { server async throws in
            let surroundings = TestSurroundings()
            let store = server.store(
                surroundings, patience: S3Patience(idle: .milliseconds(200), stall: .milliseconds(10)))
            await #expect(throws: ObjectStoreError.unreachable("the server does not answer")) {
                try await store.putIfAbsent(key, [1])
            }
            #expect(surroundings.pauses.values.count == 1)
        }
    }

    // MARK: Nonsense

    @Test func `a login page that answers for the server has stored nothing`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(200, body: "<html>Please log in</html>") }) {
            server async throws in
            let error = await #expect(throws: ObjectStoreError.self) { try await server.store().putIfAbsent(key, [1]) }
            guard case .unusable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test(arguments: [
        "<html><body>Please log in</body></html>", "",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>same</NextContinuationToken></ListBucketResult>",
    ])
    func `a document that is not a listing is refused`(body: String) async throws {
        try await ScriptedServer.run({ _, _ in .answer(200, body: body) }) { server async throws in
            let error = await #expect(throws: ObjectStoreError.self) {
                try await server.store().list(.path("log"), after: nil, limit: 10)
            }
            guard case .unusable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `keys outside the container are not listed`() async throws {
        let keys = [
            "c/log/1", "c/log/", "c/logs/2", "c/../log/3", "other/log/4", "c/log/../5", "c/log/a//b", "c/log/6",
        ]
        let body =
            "<ListBucketResult>" + keys.map { "<Contents><Key>\($0)</Key></Contents>" }.joined() + "</ListBucketResult>"
        try await ScriptedServer.run({ _, _ in .answer(200, body: body) }) { server async throws in
            #expect(
                try await server.store().list(.path("log"), after: nil, limit: 10) == [.path("log/1"), .path("log/6")])
        }
    }

    @Test func `an object larger than allowed is not read to its end`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { _, _ in
            .answer(200, body: String(repeating: "x", count: 1 << 20))
        }
        try await ScriptedServer.run(script) { server async throws in
            await #expect(throws: ObjectStoreError.corrupted(key, "it is larger than 1000 bytes")) {
                try await server.store().get(key, limit: 1000)
            }
        }
    }
}
