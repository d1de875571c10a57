import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import ObjectStore
import TestSupport

/// Faults on the way of a document that is sent in parts.
@Suite(.timeLimit(.minutes(15)))
struct S3PartsFaultTests {
    private let film = ObjectKey.path("documents/1/2/film.mkv")
    private static let parts = PartPlan(longestSinglePut: 1 << 20, shortestPart: 2 << 20)
    private static let length = (4 << 20) + 1

    /// The server's answer to each request if nothing goes wrong.
    private static func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
        switch request.method {
        case "HEAD": .answer(404)
        case "POST" where request.target.hasSuffix("?uploads="):
            .answer(
                200, body: "<InitiateMultipartUploadResult><UploadId>U+1</UploadId></InitiateMultipartUploadResult>")
        case "PUT": .answer(200, headers: [("ETag", "\"tag\"")])
        case "POST": .answer(200, body: "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>")
        default: .answer(204)
        }
    }

    private static func isCompletion(_ request: ScriptedServer.Request) -> Bool {
        request.method == "POST" && request.target.contains("uploadId=")
    }

    /// Sends a document of three parts to a server that answers as `fault` says, or else properly.
    private func upload(
        fault: @escaping @Sendable (ScriptedServer.Request, _ earlier: Int) -> ScriptedServer.Reply?,
        _ check: (ScriptedServer, _ outcome: Result<PutOutcome, ObjectStoreError>, _ progress: Int64) async throws ->
            Void
    ) async throws {
        let seen = Mutex<[String: Int]>([:])
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { request, _ in
            let earlier = seen.withLock { seen in
                defer { seen[request.method + request.target, default: 0] += 1 }
                return seen[request.method + request.target] ?? 0
            }
            return fault(request, earlier) ?? Self.answer(request)
        }
        try await ScriptedServer.run(script) { server in
            try await withFile(pattern(Self.length)) { file in
                let progress = Recorder<Int64>()
                let result: Result<PutOutcome, ObjectStoreError>
                do throws(ObjectStoreError) {
                    result = .success(
                        try await server.store(parts: Self.parts).putIfAbsent(
                            film, contentsOf: file, length: Int64(Self.length)
                        ) {
                            progress.add($0); return true
                        })
                } catch { result = .failure(error) }
                try await check(server, result, progress.values.reduce(0, +))
            }
        }
    }

    private func isAbort(_ request: ScriptedServer.Request) -> Bool {
        request.method == "DELETE" && request.target == "/bucket/c/documents/1/2/film.mkv?uploadId=U%2B1"
    }

    @Test func `parts, completion, and nothing more`() async throws {
        try await upload(fault: { _, _ in nil }) { server, outcome, progress in
            #expect(outcome == .success(.created))
            #expect(progress == Int64(Self.length))
            let parts = server.requests.filter { $0.method == "PUT" }.sorted { $0.target < $1.target }
            #expect(parts.map(\.body.count) == [2 << 20, 2 << 20, 1])
            #expect(parts.flatMap(\.body) == pattern(Self.length))
            let completion = try #require(server.requests.last)
            #expect(Self.isCompletion(completion))
            #expect(completion["If-None-Match"] == "*")
            #expect(String(decoding: completion.body, as: UTF8.self).contains("<PartNumber>3</PartNumber>"))
        }
    }

    @Test func `a part that fails is sent again, and counted once`() async throws {
        try await upload(fault: { request, earlier in
            request.method == "PUT" && request.target.contains("partNumber=2") && earlier == 0 ? .reset : nil
        }) { server, outcome, progress in
            #expect(outcome == .success(.created))
            #expect(progress == Int64(Self.length))
            #expect(server.requests.count { $0.target.contains("partNumber=2") } == 2)
        }
    }

    @Test func `a part that cannot be sent ends the upload, and withdraws it`() async throws {
        try await upload(fault: { request, _ in
            request.target.contains("partNumber=2") ? .error(403, "AccessDenied") : nil
        }) { server, outcome, _ in
            #expect(outcome == .failure(.unauthorized("AccessDenied")))
            #expect(server.requests.count(where: isAbort) == 1)
            #expect(!server.requests.contains(where: Self.isCompletion))
        }
    }

    @Test func `a completion that fails under a status of success is tried again`() async throws {
        try await upload(fault: { request, earlier in
            Self.isCompletion(request) && earlier == 0 ? .error(200, "InternalError") : nil
        }) { server, outcome, _ in
            #expect(outcome == .success(.created))
            #expect(server.requests.count(where: Self.isCompletion) == 2)
        }
    }

    @Test func `one that fails for good is no success`() async throws {
        try await upload(fault: { request, _ in Self.isCompletion(request) ? .error(200, "AccessDenied") : nil }) {
            server, outcome, _ in
            #expect(outcome == .failure(.unauthorized("AccessDenied")))
            #expect(server.requests.count(where: isAbort) == 1)
        }
    }

    @Test func `an object that another made meanwhile wins`() async throws {
        try await upload(fault: { request, _ in Self.isCompletion(request) ? .error(412, "PreconditionFailed") : nil })
        {
            server, outcome, _ in
            #expect(outcome == .success(.alreadyExists))
            #expect(server.requests.count(where: isAbort) == 1)
        }
    }

    @Test(arguments: [(length, true), (7, false)])
    func `a completion whose answer was lost is recognised by the object`(found: Int, isOurs: Bool) async throws {
        try await upload(fault: { request, earlier in
            if Self.isCompletion(request) { return earlier == 0 ? .reset : .error(404, "NoSuchUpload") }
            if request.method == "HEAD", earlier == 1 {
                return .answer(200, headers: [("Content-Length", String(found))])
            }
            return nil
        }) { _, outcome, _ in
            if isOurs {
                #expect(outcome == .success(.alreadyExists))
            } else {
                #expect((try? outcome.get()) == nil)
            }
        }
    }
}
