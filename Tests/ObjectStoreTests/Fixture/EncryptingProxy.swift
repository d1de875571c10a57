import Foundation
import Glibc

/// A process that encrypts in front of a server.
struct EncryptingProxy {
    let port: Int
    /// The certificate that vouches for it.
    let certificates: String

    /// Runs `body` with a proxy, which ends with it, and at the latest with this process.
    /// - Parameter folder: for certificate and key.
    static func run(
        before server: Int, folder: String, _ body: (EncryptingProxy) async throws -> Void
    ) async throws {
        let certificates = folder + "/certificates.pem"
        let key = folder + "/key.pem"
        try Data(certificate.utf8).write(to: URL(filePath: certificates))
        try Data(Self.key.utf8).write(to: URL(filePath: key))
        let listener = try Listener()
        let leash = Pipe()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", program, certificates, key, String(server)]
        process.standardInput = leash.fileHandleForReading
        process.standardOutput = listener.handle
        try process.run()
        defer { try? leash.fileHandleForWriting.close() }
        try await body(EncryptingProxy(port: listener.port, certificates: certificates))
    }

    private static let program = URL(filePath: #filePath).deletingLastPathComponent().path + "/encrypting-proxy.py"

    /// A socket that takes connections before anybody answers them.
    private struct Listener {
        let handle: FileHandle
        let port: Int

        init() throws {
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            handle = FileHandle(fileDescriptor: socket, closeOnDealloc: true)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, $0, &length) == 0
                }
            }
            guard isListening else { throw ServerProcess.Missing(description: "no port is free") }
            port = Int(UInt16(bigEndian: address.sin_port))
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
