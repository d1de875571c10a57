import Foundation
import Testing

@testable import ObjectStore

/// A real S3 server for the tests of this process, with a bucket, and credentials that it checks.
struct S3Server: Sendable {
    private let process: ServerProcess
    let endpoint: S3Endpoint
    static let bucket = "documents"
    static let credentials = S3Credentials(accessKeyID: "docfs", secretAccessKey: "correct horse battery staple")

    /// SeaweedFS, started by the first test that asks for it.
    static func seaweed() async throws -> S3Server { try await sharedSeaweed.value }

    private static let sharedSeaweed = Task { try await startSeaweed() }

    private static func startSeaweed() async throws -> S3Server {
        let ports = try ServerProcess.freePorts(8)
        let process = try ServerProcess("weed") { folder in
            let access = folder + "/access.json"
            try Data(
                """
                {"identities": [{"name": "docfs", "actions": ["Admin", "Read", "Write", "List"], "credentials":
                    [{"accessKey": "\(credentials.accessKeyID)", "secretKey": "\(credentials.secretAccessKey)"}]}]}
                """.utf8
            ).write(to: URL(filePath: access))
            let names = ["master", "volume", "filer", "s3"]
            return [
                "server", "-s3", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-dir=\(folder)", "-s3.config=\(access)",
                "-s3.port.iceberg=0", "-s3.port.lance=0", "-volume.max=8", "-master.volumeSizeLimitMB=1024",
                "-master.telemetry=false",
            ] + zip(names, ports).map { "-\($0).port=\($1)" }
                + zip(names, ports.dropFirst(4)).map { "-\($0).port.grpc=\($1)" }
        }
        let server = S3Server(
            process: process, endpoint: S3Endpoint(isSecure: false, host: "127.0.0.1", port: ports[3]))
        try await server.createBucket()
        return server
    }

    /// A server that ignores conditions: rclone's.
    static func rclone() async throws -> S3Server {
        let port = try ServerProcess.freePorts(1)[0]
        let process = try ServerProcess("rclone") { folder in
            let keys = "\(credentials.accessKeyID),\(credentials.secretAccessKey)"
            return ["serve", "s3", "--addr", "127.0.0.1:\(port)", "--auth-key", keys, "--config", "/dev/null", folder]
        }
        let server = S3Server(process: process, endpoint: S3Endpoint(isSecure: false, host: "127.0.0.1", port: port))
        try await server.createBucket()
        return server
    }

    func settings(prefix: [String], credentials: S3Credentials = S3Server.credentials) -> S3Settings {
        S3Settings(
            location: S3Location(bucket: Self.bucket, prefix: prefix), credentials: credentials, region: "us-east-1",
            endpoint: endpoint)
    }

    /// A container of its own in the server's bucket.
    func store(prefix: String = UUID().uuidString, parts: PartPlan = PartPlan()) -> S3Store {
        S3Store(settings(prefix: [prefix]), policy: RetryPolicy(), surroundings: .system, parts: parts)
    }

    /// Waits until the server serves: it accepts connections before it can do anything.
    private func createBucket() async throws {
        let client = S3Client(settings(prefix: []), RetryPolicy(), .system)
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do throws(S3Failure) {
                return try await client.perform(S3Request(.put, nil)) { _ throws(S3Failure) in }
            } catch {
                if case .refused(let refusal) = error, refusal.code == "BucketAlreadyOwnedByYou" { return }
                if ContinuousClock.now > deadline { throw error }
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
