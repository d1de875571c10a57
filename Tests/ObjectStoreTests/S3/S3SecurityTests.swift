import Foundation
import NIOSSL
import Testing

@testable import ObjectStore
import TestSupport

/// The identity of the server is checked.
@Suite(.timeLimit(.minutes(15)))
struct S3SecurityTests {
    private static func context() throws -> NIOSSLContext {
        let certificate = try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(certificate)], privateKey: .privateKey(key)))
    }

    @Test func `a server that nobody vouches for is sent nothing`() async throws {
        try await ScriptedServer.run(tls: try Self.context(), { _, _ in .stored }) { server async throws in
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
            let file = folder + "/certificates.pem"
            try Data(Self.certificate.utf8).write(to: URL(filePath: file))
            try await ScriptedServer.run(tls: try Self.context(), script) { server async throws in
                try await body(server, file)
            }
        }
    }

    /// Of 127.0.0.1, made for these tests; good for a hundred years.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBkzCCATigAwIBAgIUNbI6equLdYCkFBSgUUbYBvKQ+wwwCgYIKoZIzj0EAwIw
        FTETMBEGA1UEAwwKZG9jZnMtdGVzdDAgFw0yNjExMjExMzMwMTZaGA8yMTI2MTAy
        ODEzMzAxNlowFTETMBEGA1UEAwwKZG9jZnMtdGVzdDBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABCLuVYi5sUsncSbqTY1/x8SQuxztkbxCZTHGjuSOW2ZXLuy7+pt9
        9AIYTSgUgD//2atF+FgENADYqEoeSibpcLSjZDBiMB0GA1UdDgQWBBQldumsJ0pR
        BQ8k+bvHLFTcGe/K3TAfBgNVHSMEGDAWgBQldumsJ0pRBQ8k+bvHLFTcGe/K3TAP
        BgNVHRMBAf8EBTADAQH/MA8GA1UdEQQIMAaHBH8AAAEwCgYIKoZIzj0EAwIDSQAw
        RgIhAPzL3qBVDNEBujBrQVMsvUUBIoZLufcwQrsGpi6BgFEdAiEA9ULbZZn16TI2
        dZudf3weckNXhQfciJyDMb2d9mTKADA=
        -----END CERTIFICATE-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgu1jbReaV2rJcDsnx
        qQnorS411PZGxTiI5UqDawqoAWyhRANCAAQi7lWIubFLJ3Em6k2Nf8fEkLsc7ZG8
        QmUxxo7kjltmVy7su/qbffQCGE0oFIA//9mrRfhYBDQA2KhKHkom6XC0
        -----END PRIVATE KEY-----
        """
}
