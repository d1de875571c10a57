import Testing

@testable import ObjectStore

/// A body that stalls or is cut is taken up again where it stopped.
@Suite(.timeLimit(.minutes(15)))
struct S3ResumeTests {
    private let key = ObjectKey.path("documents/1/2/film.mkv")
    private let origin = BreakingServer(content: "0123456789")
    /// Longer than an answer takes on a busy machine: after some tries without one the server counts as away.
    private let patience = S3Patience(stall: .seconds(2))

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `a body that is cut is taken up again where it stopped`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { [origin] request, number in
            origin.reply(to: request, sending: number % 2 == 0 ? 3 : nil)
        }
        try await ScriptedServer.run(script) { server async throws in
            let store = server.store()
            #expect(text(try await store.get(key, limit: 10)) == "0123456789")
            #expect(text(try await store.get(key, range: 2..<9)) == "2345678")
            #expect(server.ranges == [nil, "bytes=3-", "bytes=2-8", "bytes=5-8"])
        }
    }

    @Test func `a body that stalls is taken up again where it stopped`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { [origin] request, _ in
            let isRest = ["bytes=5-8", "bytes=3-"].contains(request["Range"])
            return isRest ? origin.reply(to: request) : origin.reply(to: request, sending: 3, then: .silence)
        }
        try await ScriptedServer.run(script) { server async throws in
            #expect(text(try await server.store(patience: patience).get(key, range: 2..<9)) == "2345678")
            #expect(Set(server.ranges) == ["bytes=2-8", "bytes=5-8"])
        }
        try await ScriptedServer.run(script) { server async throws in
            #expect(text(try await server.store(patience: patience).get(key, limit: 10)) == "0123456789")
            #expect(Set(server.ranges) == [nil, "bytes=3-"])
        }
    }

    @Test func `a body that does not begin is asked for again`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { [origin] request, number in
            number == 0 ? origin.reply(to: request, sending: 0, then: .silence) : origin.reply(to: request)
        }
        try await ScriptedServer.run(script) { server async throws in
            #expect(text(try await server.store(patience: patience).get(key, range: 2..<9)) == "2345678")
            #expect(Set(server.ranges) == ["bytes=2-8"])
        }
    }

    @Test func `an answer that does not begin is asked for again`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { [origin] request, number in
            number < 2 ? .silence : origin.reply(to: request)
        }
        try await ScriptedServer.run(script) { server async throws in
            #expect(text(try await server.store(patience: patience).get(key, range: 2..<9)) == "2345678")
            #expect(server.ranges.allSatisfy { $0 == "bytes=2-8" })
        }
    }

    @Test(arguments: ScriptedServer.Ending.allCases)
    func `a transfer goes on as long as each try brings some of it`(ending: ScriptedServer.Ending) async throws {
        let origin = BreakingServer(content: String(repeating: "0123456789", count: 2_000))
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { request, number in
            // Bytes sent before a reset may be lost with it, so some answers are cut without a reset.
            origin.reply(to: request, sending: 1_500, then: ending == .reset && number % 2 == 0 ? .close : ending)
        }
        try await ScriptedServer.run(script) { server async throws in
            let surroundings = TestSurroundings()
            let store = server.store(surroundings, patience: ending == .silence ? patience : .ofTests)
            #expect(text(try await store.get(key, range: 0..<20_000)) == origin.content)
            #expect(server.requests.count > RetryPolicy().mostTries)
            if ending == .close { #expect(surroundings.pauses.values.allSatisfy { $0 == .milliseconds(100) }) }
        }
    }

    @Test func `a transfer that brings nothing more ends after as many tries as any other`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { [origin] request, number in
            origin.reply(to: request, sending: number == 0 ? 4 : 0)
        }
        try await ScriptedServer.run(script) { server async throws in
            await #expect(throws: ObjectStoreError.unreachable("the connection was lost")) {
                try await server.store().get(key, range: 0..<10)
            }
            #expect(server.ranges == ["bytes=0-9"] + Array(repeating: "bytes=4-9", count: RetryPolicy().mostTries - 1))
        }
    }

    @Test func `a server that says nothing counts as away after some tries`() async throws {
        try await ScriptedServer.run({ _, _ in .silence }) { server async throws in
            let surroundings = TestSurroundings()
            let store = server.store(surroundings, patience: S3Patience(stall: .milliseconds(50)))
            await #expect(throws: ObjectStoreError.unreachable("the server does not answer")) {
                try await store.get(key, limit: 1)
            }
            #expect(surroundings.pauses.values.count == RetryPolicy().mostTries - 1)
        }
    }

    @Test func `of a server that ignores ranges the bytes that are here are skipped`() async throws {
        let origin = BreakingServer(content: "0123456789", understandsRanges: false)
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { request, number in
            origin.reply(to: request, sending: [3, 3, 5, nil][number % 4])
        }
        try await ScriptedServer.run(script) { server async throws in
            let store = server.store()
            #expect(text(try await store.get(key, limit: 10)) == "0123456789")
            #expect(text(try await store.get(key, range: 2..<9)) == "2345678")
            #expect(server.ranges.prefix(4) == [nil, "bytes=3-", "bytes=3-", "bytes=5-"])
            #expect(server.ranges.dropFirst(4) == ["bytes=2-8", "bytes=3-8", "bytes=3-8", "bytes=5-8"])
        }
    }

    @Test func `an answer that is shorter than it says is no object's end`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { [origin] request, number in
            guard number == 0 else { return origin.reply(to: request) }
            return .answer(206, headers: [("Content-Range", "bytes 2-8/10")], body: "234")
        }
        try await ScriptedServer.run(script) { server async throws in
            #expect(text(try await server.store().get(key, range: 2..<9)) == "2345678")
            #expect(server.ranges == ["bytes=2-8", "bytes=5-8"])
        }
    }

    @Test func `a server may send less than was asked for`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { [origin] request, number in
            guard number == 0 else { return origin.reply(to: request) }
            return .answer(206, headers: [("Content-Range", "bytes 2-4/10")], body: "234")
        }
        try await ScriptedServer.run(script) { server async throws in
            #expect(text(try await server.store().get(key, range: 2..<12)) == "23456789")
            #expect(server.ranges == ["bytes=2-11", "bytes=5-9"])
        }
    }

    @Test func `a part ends where the object ends`() async throws {
        try await ScriptedServer.run({ [origin] request, _ in origin.reply(to: request) }) { server async throws in
            #expect(text(try await server.store().get(key, range: 8..<100)) == "89")
            #expect(server.requests.count == 1)
        }
        let unknown: [(String, String)] = [("Content-Range", "bytes 8-9/*")]
        try await ScriptedServer.run({ _, _ in .answer(206, headers: unknown, body: "89") }) { server async throws in
            #expect(text(try await server.store().get(key, range: 8..<100)) == "89")
            #expect(server.requests.count == 1)
        }
    }

    @Test func `an answer that promises more bytes than there can be is refused`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { _, _ in
            .partial(206, headers: [("Content-Length", "\(Int64.max)")], body: "234", then: .close)
        }
        try await ScriptedServer.run(script) { server async throws in
            await #expect(throws: ObjectStoreError.self) { try await server.store().get(key, range: 2..<9) }
        }
    }

    @Test func `that nothing follows is known from a refusal too`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { _, number in
            if number > 0 { return .error(416, "InvalidRange") }
            return .partial(
                206, headers: [("Content-Length", "3"), ("Content-Range", "bytes 8-10/*")], body: "89", then: .close)
        }
        try await ScriptedServer.run(script) { server async throws in
            #expect(text(try await server.store().get(key, range: 8..<100)) == "89")
            #expect(server.ranges == ["bytes=8-99", "bytes=10-99"])
        }
    }

    @Test(arguments: ["bytes 3-9/10", "bytes 0-9/5", "bytes 9-0/10", "pages 0-9/10", "bytes 0-9", "bytes -1-9/10"])
    func `an answer about other bytes is refused`(range: String) async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { _, _ in
            .answer(206, headers: [("Content-Range", range)], body: "0123456789")
        }
        try await ScriptedServer.run(script) { server async throws in
            let error = await #expect(throws: ObjectStoreError.self) {
                try await server.store().get(key, range: 0..<10)
            }
            guard case .unusable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `an object that changes its length is refused`() async throws {
        let script: @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply = { request, number in
            BreakingServer(content: number == 0 ? "0123456789" : "01234567").reply(to: request, sending: 2)
        }
        try await ScriptedServer.run(script) { server async throws in
            let error = await #expect(throws: ObjectStoreError.self) { try await server.store().get(key, limit: 10) }
            guard case .unusable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.requests.count == 2)
        }
    }
}
