import Testing

@testable import ObjectStore
import TestSupport

/// The identity of the server is checked.
@Suite(.timeLimit(.minutes(15)))
struct S3SecurityTests {
    @Test func `a server that nobody vouches for is sent nothing`() async throws {
        try await Self.withSecureServer({ _, _ in .stored }) { server, _ async throws in
            let error = await #expect(throws: ObjectStoreError.self) {
                try await server.store(isSecure: true).putIfAbsent(.path("log/1"), [1])
            }
            guard case .unreachable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("no secure connection"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `certificates of one's own can be trusted`() async throws {
        try await Self.withSecureServer({ _, _ in .stored }) { server, certificates async throws in
            let store = server.store(isSecure: true, certificates: certificates)
            #expect(try await store.putIfAbsent(.path("log/1"), [1]) == .created)
        }
    }

    /// Runs `body` with a server that encrypts, and a file with the certificate that vouches for it.
    static func withSecureServer(
        _ script: @escaping @Sendable (ScriptedServer.Request, Int) -> ScriptedServer.Reply,
        _ body: (ScriptedServer, _ certificates: String) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try await ScriptedServer.run(script) { server async throws in
                try await EncryptingProxy.run(before: server.port, folder: folder) { proxy async throws in
                    try await body(server.reached(by: proxy.port), proxy.certificates)
                }
            }
        }
    }
}
