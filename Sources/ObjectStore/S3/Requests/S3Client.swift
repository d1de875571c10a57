import Documents
import Synchronization

/// Reads credentials from where they may have been renewed. Nil where there are none now.
typealias S3CredentialsRenewal = @Sendable () async -> S3Credentials?

/// Sends requests: addressed and signed, tried again where that can help, with what the server has told
/// about its region and its clock.
final class S3Client: Sendable {
    private struct Learned {
        var region: String
        /// How far the server's clock is ahead of ours.
        var clock: Duration
        var credentials: S3Credentials
        /// The key that the last request was signed with, made of these credentials.
        var key: SigningKey?
    }

    private let address: S3Address
    /// Reads the credentials again, from where they may have been renewed; nil where they cannot be renewed.
    private let renewal: S3CredentialsRenewal?
    private let connections: S3Connections
    private let surroundings: S3Surroundings
    private let policy: RetryPolicy
    let patience: S3Patience
    private let learned: Mutex<Learned>

    init(
        _ settings: S3Settings, _ policy: RetryPolicy, _ surroundings: S3Surroundings,
        _ patience: S3Patience = S3Patience(), renewal: S3CredentialsRenewal? = nil
    ) {
        address = settings.address
        self.renewal = renewal
        connections = S3Connections(certificates: settings.certificates, proxy: settings.proxy, patience)
        self.surroundings = surroundings
        self.policy = policy
        self.patience = patience
        learned = Mutex(Learned(region: settings.region, clock: .zero, credentials: settings.credentials))
    }

    /// Sends a request until it succeeds or a further try is no use.
    ///
    /// - Parameter read: takes what is wanted from an answer of success; part of the try.
    func perform<Value>(
        _ request: S3Request, _ read: (S3Response) async throws(S3Failure) -> Value
    ) async throws(S3Failure) -> Value {
        var tries = RequestTries()
        while true {
            let region = region
            tries.credentials = credentials
            let failure: S3Failure
            do throws(S3Failure) { return try await once(request, region, read) } catch { failure = error }
            if Task.isCancelled { throw .cancelled }
            try await prepareNext(after: failure, &tries, region)
        }
    }

    /// The credentials that requests are signed with.
    var credentials: S3Credentials { learned.withLock { $0.credentials } }

    /// The region that requests are signed for.
    var region: String { learned.withLock { $0.region } }

    /// Prepares the next try, or throws the failure of the last.
    func prepareNext(
        after failure: S3Failure, _ tries: inout RequestTries, _ region: String
    ) async throws(S3Failure) {
        if case .refused(let refusal) = failure, refusal.concernsCredentials, !tries.hasRenewed,
            await renew(tries.credentials)
        {
            tries.hasRenewed = true
            return
        }
        let decision = policy.decision(
            after: failure, tries: tries, region: region, now: surroundings.now(), jitter: surroundings.jitter)
        tries.count += 1
        if failure == .timedOut { tries.timeouts += 1 }
        if failure == .stalled { tries.stalls += 1 }
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

    /// Looks for other credentials than those that were refused.
    ///
    /// - Returns: whether there are any. They are used from now on.
    private func renew(_ refused: S3Credentials?) async -> Bool {
        if credentials != refused { return true }
        guard let fresh = await renewal?(), fresh != refused else { return false }
        learned.withLock { ($0.credentials, $0.key) = (fresh, nil) }
        return true
    }

    /// One try.
    func once<Value>(
        _ request: S3Request, _ region: String, _ read: (S3Response) async throws(S3Failure) -> Value
    ) async throws(S3Failure) -> Value {
        let (signed, credentials) = try await sign(request, region)
        let response = try await connections.send(request, signed)
        guard (200..<300).contains(response.status) else {
            throw .refused(try await response.refusal().redacting(credentials))
        }
        return try await read(response)
    }

    private func sign(
        _ request: S3Request, _ region: String
    ) async throws(S3Failure) -> (SignedRequest, S3Credentials) {
        let (clock, key, credentials) = learned.withLock { ($0.clock, $0.key, $0.credentials) }
        let signed = SignedRequest(
            request, to: address, payload: try await PayloadDigest(request.body), credentials: credentials,
            region: region,
            time: surroundings.now() + clock, known: key)
        learned.withLock { if $0.credentials == credentials { $0.key = signed.key } }
        return (signed, credentials)
    }
}
