import Documents
import SystemPackage
import Testing

@testable import ObjectStore

struct S3RefusalTests {
    private let key = ObjectKey.path("log/1")

    private func refusal(_ status: Int, _ body: String = "", headers: [String: String] = [:]) -> S3Refusal {
        S3Refusal(status: status, body: Array(body.utf8)) { headers[$0] }
    }

    @Test func `an answer tells its code, region and clock`() {
        let found = refusal(
            400,
            "<Error><Code>AuthorizationHeaderMalformed</Code><Message>wrong\nregion</Message><Region>eu-west-1</Region></Error>",
            headers: ["date": "Sun, 06 Nov 1994 08:49:37 GMT", "retry-after": "7"])
        #expect(found.code == "AuthorizationHeaderMalformed")
        #expect(found.message == "wrong region")
        #expect(found.region == "eu-west-1")
        #expect(found.date?.iso8601 == "1994-11-06T08:49:37Z")
        #expect(found.retryAfter == 7)
        #expect(refusal(301, headers: ["x-amz-bucket-region": "eu-west-2"]).region == "eu-west-2")
    }

    @Test func `parts of an answer that make no sense are passed over`() {
        let found = refusal(
            400, "<Error><Region>a b/../</Region></Error>", headers: ["retry-after": "soon", "date": "now"])
        #expect(found.region == nil)
        #expect(found.retryAfter == nil)
        #expect(found.date == nil)
        #expect(refusal(502, "<html>").code == nil)
        #expect(
            refusal(400, "<Error><Message>\(String(repeating: "x", count: 10_000))</Message></Error>").message?.count
                == 200)
    }

    @Test(
        arguments: [
            (404, "NoSuchKey", .notFound(.path("log/1"))),
            (404, nil, .notFound(.path("log/1"))),
            (404, "NoSuchBucket", .unusable("the bucket does not exist")),
            (403, "AccessDenied", .unauthorized("AccessDenied")),
            (403, nil, .unauthorized("status 403")),
            (401, nil, .unauthorized("status 401")),
            (403, "SignatureDoesNotMatch", .unauthorized("SignatureDoesNotMatch")),
            (400, "ExpiredToken", .unauthorized("ExpiredToken")),
            (403, "RequestTimeTooSkewed", .unauthorized("RequestTimeTooSkewed")),
            (403, "QuotaExceeded", .outOfSpace),
            (507, nil, .outOfSpace),
            (400, "BadDigest", .corrupted(.path("log/1"), "what arrived is not what was sent")),
            (500, "InternalError", .unreachable("the server answers InternalError (status 500)")),
            (503, nil, .unreachable("the server answers status 503")),
            (
                409, "ConditionalRequestConflict",
                .unreachable("the server answers ConditionalRequestConflict (status 409)")
            ),
            (400, "InvalidArgument", .unusable("the server answers InvalidArgument (status 400)")),
            (
                501, "NotImplemented",
                .unusable("the server lacks something that is needed: NotImplemented (status 501)")
            ),
            (405, nil, .unusable("the server answers status 405")),
        ] as [(Int, String?, ObjectStoreError)])
    func `a refusal is an error of the store`(status: Int, code: String?, error: ObjectStoreError) {
        #expect(S3Failure.refused(S3Refusal(status: status, code: code)).error(key) == error)
    }

    @Test(arguments: [
        (S3Failure.unreachable("x"), ObjectStoreError.unreachable("x")), (.disconnected("x"), .unreachable("x")),
        (.untrusted("x"), .unreachable("x")), (.timedOut, .unreachable("the server does not answer")),
        (.stalled, .unreachable("the server does not answer")),
        (.malformed("x"), .unusable("the server's answer is not S3's: x")), (.source(.outOfSpace), .outOfSpace),
        (.cancelled, .failed(.path("log/1"), .canceled)),
    ])
    func `so is whatever else goes wrong`(failure: S3Failure, error: ObjectStoreError) {
        #expect(failure.error(key) == error)
    }
}
