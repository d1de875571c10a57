import Testing

@testable import HTTP

/// Requests over libcurl that fail, are given up, or have to wait.
@Suite(.timeLimit(.minutes(15)))
struct HTTPFaultTests {
    private struct Unreadable: Error {}

    @Test func `of a body that is cut the beginning arrives, and then the failure`() async throws {
        try await ScriptedServer.run({ _, _ in .truncated(length: 6, body: "tru") }) { server async throws in
            let response = try await HTTPConnections.ofTests().send(server.request("GET", "/"))
            #expect(try await response.next() == Array("tru".utf8))
            let error = await #expect(throws: HTTPFailure.self) { try await response.next() }
            #expect(error?.isDisconnection == true, "\(String(describing: error))")
        }
    }

    @Test func `of a body that stalls the beginning arrives, and then the failure`() async throws {
        let reply = ScriptedServer.Reply.partial(200, headers: [("Content-Length", "6")], body: "tru", then: .silence)
        try await ScriptedServer.run({ _, _ in reply }) { server async throws in
            // Long enough for the beginning to arrive while a thousand other tests run.
            let connections = HTTPConnections.ofTests(idle: .seconds(15))
            let response = try await connections.send(server.request("GET", "/"))
            #expect(try await response.next() == Array("tru".utf8))
            let error = await #expect(throws: HTTPFailure.self) { try await response.next() }
            guard case .timedOut = error else { throw UnexpectedFailure(error: error) }
        }
    }

    @Test func `only waiting for the server counts as idle`() throws {
        let exchange = Exchange(Mailbox(.ofTests))
        let request = HTTPRequest(
            "PUT", "http://127.0.0.1/", headers: [], body: .pieces(Pieces([]), length: 1))
        let transfer = try Transfer(exchange, request, .ofTests)
        #expect(transfer.idleDeadline != nil)
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        #expect(bytes.withUnsafeBytes { transfer.receive($0) })
        #expect(transfer.idleDeadline != nil)
        // Nobody reads.
        #expect(!bytes.withUnsafeBytes { transfer.receive($0) })
        #expect(transfer.idleDeadline == nil)
        transfer.continueReceiving()
        #expect(transfer.idleDeadline != nil)
        // The body to send has not come yet.
        withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { #expect(transfer.send($0) == nil) }
        #expect(transfer.idleDeadline == nil)
        transfer.continueSending()
        #expect(transfer.idleDeadline != nil)
    }

    @Test func `a body that cannot be read ends the request with its error`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(200) }) { server async throws in
            let body = HTTPRequest.Body.pieces(Pieces([[1]], failure: Unreadable()), length: 2)
            let error = await #expect(throws: HTTPFailure.self) {
                try await HTTPConnections.ofTests().send(server.request("PUT", "/", body: body))
            }
            guard case .body(is Unreadable) = error else { throw UnexpectedFailure(error: error) }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a download that is cancelled ends, and its connection with it`() async throws {
        let reply = ScriptedServer.Reply.partial(200, headers: [("Content-Length", "6")], body: "tru", then: .silence)
        try await ScriptedServer.run({ _, number in number == 0 ? reply : .answer(200) }) { server async throws in
            let connections = HTTPConnections.ofTests()
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let reading = Task {
                let response = try await connections.send(server.request("GET", "/"))
                _ = try await response.next()
                begin.yield()
                return try await response.next()
            }
            for await _ in begun { break }
            reading.cancel()
            let error = await #expect(throws: HTTPFailure.self) { try await reading.value }
            guard case .cancelled = error else { throw UnexpectedFailure(error: error) }
            for await _ in server.endedConnections { break }
            #expect(try await connections.send(server.request("GET", "/")).head.status == 200)
            #expect(server.requests.map(\.connection) == [0, 1])
        }
    }

    @Test func `an upload that is cancelled ends, and its connection with it`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(200) }) { server async throws in
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let pieces = Pieces([[1], [2]], pause: .seconds(3_600), began: { begin.yield() })
            let connections = HTTPConnections.ofTests()
            let sending = Task {
                try await connections.send(server.request("PUT", "/", body: .pieces(pieces, length: 2))).head.status
            }
            for await _ in begun { break }
            sending.cancel()
            let error = await #expect(throws: HTTPFailure.self) { try await sending.value }
            guard case .cancelled = error else { throw UnexpectedFailure(error: error) }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `an answer that nobody holds any more is not fetched`() async throws {
        let reply = ScriptedServer.Reply.partial(200, headers: [("Content-Length", "6")], body: "tru", then: .silence)
        try await ScriptedServer.run({ _, _ in reply }) { server async throws in
            let connections = HTTPConnections.ofTests()
            _ = try await connections.send(server.request("GET", "/"))
            for await number in server.endedConnections {
                #expect(number == 0)
                break
            }
        }
    }

    @Test func `a request can be cancelled at any moment`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(200, body: "x") }) { server async throws in
            let connections = HTTPConnections.ofTests()
            for number in 0..<300 {
                let task = Task { try await connections.send(server.request("GET", "/")).text() }
                for _ in 0..<number { await Task.yield() }
                task.cancel()
                do { #expect(try await task.value == "x") } catch let error as HTTPFailure {
                    guard case .cancelled = error else { throw UnexpectedFailure(error: error) }
                }
            }
            #expect(try await connections.send(server.request("GET", "/")).text() == "x")
            // Over a connection that the server accepts after all those that were given up: it may end after that only.
            #expect(try await HTTPConnections.ofTests().send(server.request("GET", "/")).text() == "x")
        }
    }

    @Test func `a server that nobody runs is unreachable, and the reason is told`() async throws {
        let port = try ServerProcess.freePorts(1)[0]
        let error = await #expect(throws: HTTPFailure.self) {
            try await HTTPConnections.ofTests().send(
                HTTPRequest("GET", "http://127.0.0.1:\(port)/secret", headers: [], body: .none))
        }
        guard case .unreachable("127.0.0.1:\(port): Connection refused") = error else {
            throw UnexpectedFailure(error: error)
        }
    }

    // MARK: Encryption

    @Test func `a secure connection that ends without a farewell is a lost one`() async throws {
        try await S3SecurityTests.withSecureServer({ _, _ in
            .partial(200, headers: [("Content-Length", "6")], body: "tru", then: .reset)
        }) { server, certificates async throws in
            let connections = HTTPConnections.ofTests(certificates: certificates)
            let response = try await connections.send(server.request("GET", "/", isSecure: true))
            #expect(try await response.next() == Array("tru".utf8))
            let error = await #expect(throws: HTTPFailure.self) { try await response.next() }
            #expect(error?.isDisconnection == true)
        }
    }

    @Test func `certificates that cannot be read are told of`() async throws {
        try await S3SecurityTests.withSecureServer({ _, _ in .answer(200) }) { server, _ async throws in
            let error = await #expect(throws: HTTPFailure.self) {
                try await HTTPConnections.ofTests(certificates: "/nowhere/certificates.pem").send(
                    server.request("GET", "/", isSecure: true))
            }
            guard case .untrusted(let reason) = error else { throw UnexpectedFailure(error: error) }
            #expect(reason.contains("/nowhere/certificates.pem"))
        }
    }

    @Test func `who expects encryption where there is none is told so`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(200) }) { server async throws in
            let error = await #expect(throws: HTTPFailure.self) {
                try await HTTPConnections.ofTests().send(server.request("GET", "/", isSecure: true))
            }
            guard case .untrusted = error else { throw UnexpectedFailure(error: error) }
        }
    }
}
