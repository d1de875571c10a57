import Documents
import Synchronization

@testable import ObjectStore

/// A clock that a test sets, no chance, and waiting that takes no time but is written down.
final class TestSurroundings: Sendable {
    let pauses = Recorder<Duration>()
    private let time: Mutex<Timestamp>

    /// 2026-11-21T04:12:33Z
    init(now: Timestamp = Timestamp(seconds: 1_795_234_353, nanoseconds: 0)) { time = Mutex(now) }

    var now: Timestamp { time.withLock { $0 } }

    var surroundings: S3Surroundings {
        S3Surroundings(
            now: { self.now }, random: { UInt64.max },
            sleep: { duration throws(CancellationError) in
                self.pauses.add(duration)
                self.time.withLock { $0 = $0 + duration }
            })
    }
}

extension S3Patience {
    /// Where no stall is meant: beside a thousand other tests a server in this process may not answer for seconds.
    static let ofTests = S3Patience(connecting: .seconds(150), idle: .seconds(150), stall: .seconds(150))
}

extension ScriptedServer {
    static let credentials = S3Credentials(
        accessKeyID: "ID", secretAccessKey: "HIDDEN-SECRET", sessionToken: "HIDDEN-TOKEN")

    /// A container `c` in the bucket `bucket` of this server.
    func store(
        _ surroundings: TestSurroundings = TestSurroundings(), isSecure: Bool = false, certificates: String? = nil,
        parts: PartPlan = PartPlan(), patience: S3Patience = .ofTests, renewal: S3CredentialsRenewal? = nil
    ) -> S3Store {
        let settings = S3Settings(
            location: S3Location(bucket: "bucket", prefix: ["c"]), credentials: Self.credentials, region: "us-east-1",
            endpoint: S3Endpoint(isSecure: isSecure, host: "127.0.0.1", port: port), certificates: certificates)
        return S3Store(
            settings, policy: RetryPolicy(), surroundings: surroundings.surroundings, parts: parts, patience: patience,
            renewal: renewal)
    }
}
