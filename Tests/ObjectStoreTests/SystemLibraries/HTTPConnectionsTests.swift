import Testing
import TestSupport

@testable import HTTP

/// Requests over libcurl, to servers that answer well.
@Suite(.timeLimit(.minutes(15)))
struct HTTPConnectionsTests {
    @Test func `requests that follow each other share a connection`() async throws {
        try await ScriptedServer.run({ request, _ in .answer(200, body: request.target) }) { server async throws in
            let connections = HTTPConnections.ofTests()
            for number in 0..<50 {
                let response = try await connections.send(server.request("GET", "/\(number)"))
                #expect(try await response.text() == "/\(number)")
            }
            #expect(Set(server.requests.map(\.connection)) == [0])
        }
    }

    @Test func `requests at the same time have connections of their own`() async throws {
        let (arrived, arrive) = AsyncStream<Void>.makeStream()
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { _, _ in
            arrive.yield()
            return .silence
        }
        try await ScriptedServer.run(script) { server async throws in
            let connections = HTTPConnections.ofTests()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try? await connections.send(server.request("GET", "/")) } }
                var count = 0
                for await _ in arrived {
                    count += 1
                    if count == 20 { break }
                }
                group.cancelAll()
            }
            #expect(Set(server.requests.map(\.connection)).count == 20)
        }
    }

    @Test func `a request is sent as it is, with nothing added`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(200) }) { server async throws in
            let connections = HTTPConnections.ofTests()
            let headers = [("Host", "bucket.example"), ("X-Empty", ""), ("X-Text", "a  b")]
            for (method, body) in [
                ("GET", HTTPRequest.Body.none), ("PUT", .bytes([1, 2])), ("POST", .none), ("DELETE", .none),
                ("HEAD", .none),
            ] {
                _ = try await connections.send(
                    server.request(method, "/a/../b//c%2F?q=%20", headers: headers, body: body))
            }
            for request in server.requests {
                #expect(request.target == "/a/../b//c%2F?q=%20")
                let length = ["PUT": "2", "POST": "0"][request.method]
                #expect(request["Content-Length"] == length)
                let names = Set(request.headers.map { $0.name.lowercased() })
                #expect(names == Set(["host", "x-empty", "x-text"] + (length == nil ? [] : ["content-length"])))
                #expect(request["Host"] == "bucket.example")
                #expect(request["X-Empty"] == "")
                #expect(request["X-Text"] == "a  b")
            }
            #expect(server.requests.map(\.method) == ["GET", "PUT", "POST", "DELETE", "HEAD"])
            #expect(server.requests.map(\.body) == [[], [1, 2], [], [], []])
        }
    }

    @Test func `a header with a line break is not sent`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(200) }) { server async throws in
            for header in [
                ("X-Token", "a\r\nX-Evil: b"), ("X-Token", "a\n"), ("X-To\nken", "a"), ("", "a"), ("X", "\0"),
            ] {
                await #expect(throws: HTTPFailure.self) {
                    try await HTTPConnections.ofTests().send(server.request("GET", "/", headers: [header]))
                }
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `headers are found whatever the case of their names`() async throws {
        let headers = [("X-One", " 1 "), ("x-two", "a: b"), ("X-One", "2"), ("X-None", "")]
        try await ScriptedServer.run({ _, _ in .answer(201, headers: headers) }) { server async throws in
            let head = try await HTTPConnections.ofTests().send(server.request("GET", "/")).head
            #expect(head.status == 201)
            #expect(["x-one", "X-TWO", "x-none", "x-other"].map { head[$0] } == ["1", "a: b", "", nil])
        }
    }

    @Test func `a large body that nobody reads yet is not fetched into memory`() async throws {
        let content = String(repeating: "0123456789abcdef", count: 1 << 20)
        try await ScriptedServer.run({ _, number in .answer(200, body: number == 0 ? content : "next") }) {
            server async throws in
            let connections = HTTPConnections.ofTests()
            let response = try await connections.send(server.request("GET", "/"))
            // Another answer arrives in the meantime.
            #expect(try await connections.send(server.request("GET", "/")).text() == "next")
            var text = ""
            while let piece = try await response.next() {
                #expect(piece.count <= (1 << 20) + (64 << 10))
                text += String(decoding: piece, as: UTF8.self)
            }
            #expect(text == content)
            #expect(try await response.next() == nil)
        }
    }

    @Test func `a body is sent as its pieces come`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(200) }) { server async throws in
            let content = pattern(5 << 20)
            let pieces = Pieces(
                stride(from: 0, to: content.count, by: 300_000).map { Array(content[$0...].prefix(300_000)) })
            let body = HTTPRequest.Body.pieces(pieces, length: Int64(content.count))
            _ = try await HTTPConnections.ofTests().send(server.request("PUT", "/", body: body))
            #expect(server.requests.map { $0.body == content } == [true])
        }
    }

    /// Each message meets the thread at another moment: busy, about to wait, or waiting.
    @Test func `no message to the thread is lost`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(200, body: "x") }) { server async throws in
            let connections = HTTPConnections.ofTests()
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var count = 0
                        for _ in 0..<250 {
                            if let response = try? await connections.send(server.request("GET", "/")),
                                (try? await response.text()) == "x"
                            {
                                count += 1
                            }
                        }
                        return count
                    }
                }
                #expect(await group.reduce(0, +) == 2_000)
            }
            #expect(Set(server.requests.map(\.connection)).count <= 8)
        }
    }

    @Test func `connections end with their last user`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(200) }) { server async throws in
            var connections: HTTPConnections? = .ofTests()
            _ = try await connections?.send(server.request("GET", "/"))
            connections = nil
            for await number in server.endedConnections {
                #expect(number == 0)
                break
            }
        }
    }
}
