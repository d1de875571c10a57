import Documents

/// The tries of one request so far.
struct RequestTries: Equatable, Sendable {
    /// Those that failed.
    var count = 0
    var timeouts = 0
    var stalls = 0
    var hasCorrectedClock = false
    var regions: Set<String> = []
    /// Those of the last try.
    var credentials: S3Credentials?
    /// Whether a try was made with other credentials than those that were refused.
    var hasRenewed = false

    /// After a try that brought something: only those that bring nothing are numbered.
    mutating func startAfresh() { (count, timeouts, stalls) = (0, 0, 0) }
}

/// The next action after a failed try.
enum RetryDecision: Equatable, Sendable {
    case giveUp
    case retry(after: Duration)
    /// Sign with a clock that is that much ahead of ours.
    case correctClock(by: Duration)
    case useRegion(String)
}

/// Which failures are worth another try, and how long to wait before it: a pure function of what happened.
struct RetryPolicy: Equatable, Sendable {
    var mostTries = 6
    /// If nothing answers at all, the waiting caller should learn it soon; the layer above tries again later.
    var mostTriesUnreached = 2
    var firstPause = Duration.milliseconds(100)
    var longestPause = Duration.seconds(5)
    /// A server that always names another region than the last has none.
    var mostRegions = 2
    /// As long as a server may make us wait.
    var longestRetryAfter = 20

    /// - Parameters:
    ///   - tries: those before this failure.
    ///   - region: that the request was signed for.
    ///   - jitter: 0 to 1, at random.
    func decision(
        after failure: S3Failure, tries: RequestTries, region: String, now: Timestamp, jitter: Double
    ) -> RetryDecision {
        switch failure {
        case .refused(let refusal):
            return correction(of: refusal, tries, region, now)
                ?? (refusal.isTransient ? retry(tries, mostTries, jitter, atLeast: refusal.retryAfter) : .giveUp)
        case .disconnected, .stalled: return retry(tries, mostTries, jitter)
        case .unreachable: return retry(tries, mostTriesUnreached, jitter)
        case .timedOut: return tries.timeouts == 0 ? retry(tries, mostTries, jitter) : .giveUp
        case .untrusted, .malformed, .source, .cancelled: return .giveUp
        }
    }

    /// The correction that a server suggests (clock or region), unless it was tried already.
    private func correction(
        of refusal: S3Refusal, _ tries: RequestTries, _ region: String, _ now: Timestamp
    ) -> RetryDecision? {
        if refusal.isClockSkew, let date = refusal.date, !tries.hasCorrectedClock {
            return .correctClock(by: date - now)
        }
        if let named = refusal.region, named != region, refusal.namesRegion, !tries.regions.contains(named),
            tries.regions.count < mostRegions
        {
            return .useRegion(named)
        }
        return nil
    }

    private func retry(
        _ tries: RequestTries, _ most: Int, _ jitter: Double, atLeast seconds: Int? = nil
    ) -> RetryDecision {
        guard tries.count + 1 < most else { return .giveUp }
        let doubled = firstPause * (1 << min(tries.count, 16))
        // Between half and all of it, so that devices that failed at the same time do not try again at the same time.
        let pause = min(doubled, longestPause) * (0.5 + jitter / 2)
        let asked = Duration.seconds(max(0, min(seconds ?? 0, longestRetryAfter)))
        return .retry(after: max(pause, asked))
    }
}

extension S3Refusal {
    /// Whether the region it names is the reason: any other error may carry it too.
    var namesRegion: Bool {
        switch code {
        case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect", "Redirect",
            "IllegalLocationConstraintException", "InvalidRegion":
            true
        // An answer to HEAD has no code.
        case nil: status == 301 || status == 307 || status == 400 || status == 403
        default: status == 301
        }
    }
}
