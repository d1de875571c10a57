import Documents
import Testing

@testable import ObjectStore

/// The clock of the store is the server's.
@Suite(.timeLimit(.minutes(15)))
struct S3ClockTests {
    private static let date = ("Date", "Sat, 21 Nov 2026 12:00:00 GMT")
    private let time = Timestamp(httpDate: date.1)

    @Test(arguments: [ScriptedServer.Reply.answer(200, headers: [date]), .answer(404, headers: [date])])
    func `any answer tells the time`(reply: ScriptedServer.Reply) async throws {
        try await ScriptedServer.run({ _, _ in reply }) { server async throws in
            #expect(try await server.store().now() == time)
            #expect(server.requests.map(\.method) == ["HEAD"])
            #expect(server.requests.map(\.target) == ["/bucket/c/container"])
        }
    }

    @Test(arguments: [
        ScriptedServer.Reply.answer(200), .answer(404), .answer(200, headers: [("Date", "today")]),
        .answer(404, headers: [("Date", "today")]),
    ])
    func `an answer without a time is none`(reply: ScriptedServer.Reply) async throws {
        try await ScriptedServer.run({ _, _ in reply }) { server async throws in
            let error = await #expect(throws: ObjectStoreError.self) { try await server.store().now() }
            guard case .unusable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `who may not ask is not told`() async throws {
        try await ScriptedServer.run({ _, _ in .answer(403, headers: [Self.date]) }) { server async throws in
            await #expect(throws: ObjectStoreError.unauthorized("status 403")) { try await server.store().now() }
        }
    }
}
