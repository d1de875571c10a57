import Documents
import Synchronization

/// Sends requests: addressed and signed, tried again where that can help, with what the server has told
/// about its region and its clock.
final class S3Client: Sendable {
    private struct Learned {
        var region: String
        /// How far the server's clock is ahead of ours.
        var clock: Duration
        /// What the last request was signed with.
        var key: SigningKey?
    }

    private let address: S3Address
    private let credentials: S3Credentials
    private let connections: S3Connections
    private let surroundings: S3Surroundings
    private let policy: RetryPolicy
    private let learned: Mutex<Learned>

    init(
        _ settings: S3Settings, _ policy: RetryPolicy, _ surroundings: S3Surroundings, _ patience: S3Patience = S3Patience()
    ) {
        address = settings.address
        credentials = settings.credentials
        connections = S3Connections(certificates: settings.certificates, patience)
        self.surroundings = surroundings
        self.policy = policy
        learned = Mutex(Learned(region: settings.region, clock: .zero))
    }

    /// Sends a request until it succeeds or a further try is no use.
    ///
    /// - Parameter read: takes what is wanted from an answer of success; part of the try.
    func perform<Value>(
        _ request: S3Request, _ read: (S3Response) async throws(S3Failure) -> Value
    ) async throws(S3Failure) -> Value {
        var tries = RequestTries()
        while true {
            let region = learned.withLock { $0.region }
            let failure: S3Failure
            do throws(S3Failure) { return try await once(request, region, read) } catch { failure = error }
            if Task.isCancelled { throw .cancelled }
            let decision = policy.decision(
                after: failure, tries: tries, region: region, now: surroundings.now(), jitter: surroundings.jitter)
            try await follow(decision, failure, &tries)
        }
    }

    /// Prepares the next try, or throws the failure of the last.
    private func follow(
        _ decision: RetryDecision, _ failure: S3Failure, _ tries: inout RequestTries
    ) async throws(S3Failure) {
        tries.count += 1
        if failure == .timedOut { tries.timeouts += 1 }
        switch decision {
        case .giveUp: throw failure
        case .retry(let pause):
            do { try await surroundings.sleep(pause) } catch { throw .cancelled }
        case .correctClock(let difference):
            tries.hasCorrectedClock = true
            learned.withLock { $0.clock = difference }
        case .useRegion(let region):
            tries.regions.insert(region)
            learned.withLock { $0.region = region }
        }
    }

    private func once<Value>(
        _ request: S3Request, _ region: String, _ read: (S3Response) async throws(S3Failure) -> Value
    ) async throws(S3Failure) -> Value {
        let response = try await connections.send(request, try await sign(request, region))
        guard (200..<300).contains(response.status) else {
            throw .refused(try await response.refusal().withholding(credentials))
        }
        return try await read(response)
    }

    private func sign(_ request: S3Request, _ region: String) async throws(S3Failure) -> SignedRequest {
        let (clock, key) = learned.withLock { ($0.clock, $0.key) }
        let signed = SignedRequest(
            request, to: address, payload: try await PayloadDigest(request.body), credentials: credentials, region: region,
            time: surroundings.now() + clock, known: key)
        learned.withLock { $0.key = signed.key }
        return signed
    }
}

extension Timestamp {
    static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(
            seconds: time.seconds + Int(seconds), nanoseconds: time.nanosecondsPart + Int(attoseconds / 1_000_000_000))
    }
}
