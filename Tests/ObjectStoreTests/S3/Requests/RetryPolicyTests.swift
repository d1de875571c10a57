import Documents
import Testing

@testable import ObjectStore

struct RetryPolicyTests {
    private let policy = RetryPolicy()
    private let now = Timestamp(seconds: 1_000_000, nanoseconds: 0)

    private func decision(
        _ failure: S3Failure, _ tries: RequestTries = RequestTries(), region: String = "us-east-1", jitter: Double = 1
    ) -> RetryDecision {
        policy.decision(after: failure, tries: tries, region: region, now: now, jitter: jitter)
    }

    private func refused(_ status: Int, _ code: String? = nil) -> S3Failure {
        .refused(S3Refusal(status: status, code: code))
    }

    @Test(
        arguments: [
            (500, nil), (500, "InternalError"), (502, nil), (503, "SlowDown"), (504, nil), (429, nil), (408, nil),
            (499, nil),
            (400, "RequestTimeout"), (409, "ConditionalRequestConflict"), (409, "OperationAborted"),
            (200, "InternalError"),
            (400, "BadDigest"),
        ] as [(Int, String?)])
    func `a failure that may pass is tried again`(status: Int, code: String?) {
        #expect(decision(refused(status, code)) == .retry(after: .milliseconds(100)))
    }

    @Test(
        arguments: [
            (400, nil), (403, "AccessDenied"), (404, "NoSuchKey"), (409, "BucketAlreadyExists"),
            (412, "PreconditionFailed"),
            (416, nil), (501, "NotImplemented"), (505, nil),
        ] as [(Int, String?)])
    func `what will not pass is not`(status: Int, code: String?) {
        #expect(decision(refused(status, code)) == .giveUp)
    }

    @Test func `pauses double up to a limit, and then it is enough`() {
        var pauses: [Duration] = []
        var tries = RequestTries()
        while case .retry(let pause) = decision(.disconnected("reset"), tries) {
            pauses.append(pause)
            tries.count += 1
        }
        #expect(pauses == [100, 200, 400, 800, 1600].map(Duration.milliseconds))
        var patient = policy
        patient.mostTries = 100
        tries.count = 90
        #expect(
            patient.decision(after: .disconnected(""), tries: tries, region: "", now: now, jitter: 1)
                == .retry(after: patient.longestPause))
    }

    @Test func `chance takes up to half of a pause`() {
        #expect(decision(.disconnected(""), jitter: 0) == .retry(after: .milliseconds(50)))
        #expect(decision(.disconnected(""), jitter: 0.5) == .retry(after: .milliseconds(75)))
    }

    @Test(arguments: [
        (3, Duration.seconds(3)), (1000, .seconds(20)), (0, .milliseconds(100)), (-5, .milliseconds(100)),
    ])
    func `a server may ask for a longer pause, within reason`(seconds: Int, pause: Duration) {
        var refusal = S3Refusal(status: 503, code: "SlowDown")
        refusal.retryAfter = seconds
        #expect(decision(.refused(refusal)) == .retry(after: pause))
    }

    @Test func `where nothing answers one learns it soon`() {
        #expect(decision(.unreachable("")) != .giveUp)
        #expect(decision(.unreachable(""), RequestTries(count: 1)) == .giveUp)
        #expect(decision(.timedOut) != .giveUp)
        #expect(decision(.timedOut, RequestTries(count: 1, timeouts: 1)) == .giveUp)
    }

    @Test func `a stall is tried again as often as a lost connection`() {
        #expect(decision(.stalled, RequestTries(count: 4, stalls: 4)) != .giveUp)
        #expect(decision(.stalled, RequestTries(count: 5, stalls: 5)) == .giveUp)
    }

    @Test func `tries that bring something do not count, and learned settings stay`() {
        var tries = RequestTries(count: 5, timeouts: 1, stalls: 3, hasCorrectedClock: true, regions: ["eu-west-1"])
        tries.startAfresh()
        #expect(tries == RequestTries(hasCorrectedClock: true, regions: ["eu-west-1"]))
    }

    @Test(arguments: [
        S3Failure.untrusted(""), .malformed(""), .cancelled, .source(.outOfSpace),
    ])
    func `some failures are final`(failure: S3Failure) {
        #expect(decision(failure) == .giveUp)
    }

    @Test func `a clock that is wrong is corrected by the server's, once`() {
        var refusal = S3Refusal(status: 403, code: "RequestTimeTooSkewed")
        #expect(decision(.refused(refusal)) == .giveUp)
        refusal.date = Timestamp(seconds: 1_000_000 - 3_600, nanoseconds: 0)
        #expect(decision(.refused(refusal)) == .correctClock(by: .seconds(-3_600)))
        #expect(decision(.refused(refusal), RequestTries(count: 1, hasCorrectedClock: true)) == .giveUp)
    }

    @Test(
        arguments: [
            (400, "AuthorizationHeaderMalformed"), (301, "PermanentRedirect"), (307, "TemporaryRedirect"), (301, nil),
            (400, nil),
            (403, nil),
        ] as [(Int, String?)])
    func `a region that the server names is used, once`(status: Int, code: String?) {
        var refusal = S3Refusal(status: status, code: code)
        refusal.region = "eu-west-1"
        #expect(decision(.refused(refusal)) == .useRegion("eu-west-1"))
        #expect(decision(.refused(refusal), region: "eu-west-1") == .giveUp)
        #expect(decision(.refused(refusal), RequestTries(regions: ["eu-west-1"])) == .giveUp)
        refusal.region = nil
        #expect(decision(.refused(refusal)) == .giveUp)
    }

    @Test func `a region in an unrelated error changes nothing`() {
        var refusal = S3Refusal(status: 404, code: "NoSuchKey")
        refusal.region = "eu-west-1"
        #expect(decision(.refused(refusal)) == .giveUp)
    }
}
