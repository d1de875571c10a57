import Documents
import Testing

@testable import ObjectStore

/// The signer against what AWS has published: its test suite for Signature Version 4 (service `service`,
/// 2015-08-30), and the examples of the S3 manual (2013-05-24).
struct SignatureV4Tests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        var method = "GET"
        var path = "/"
        var query: [Field] = []
        var headers: [Field] = []
        var body = ""
        let signature: String
        var testDescription: String { name }
    }

    static let vectors = [
        Vector(
            name: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "get-header-key-duplicate",
            headers: [Field("My-Header1", "value2"), Field("My-Header1", "value2"), Field("My-Header1", "value1")],
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
        Vector(
            name: "get-header-value-order",
            headers: [
                Field("My-Header1", "value4"), Field("My-Header1", "value1"), Field("My-Header1", "value3"),
                Field("My-Header1", "value2"),
            ],
            signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
        Vector(
            name: "get-header-value-trim",
            headers: [Field("My-Header1", " value1"), Field("My-Header2", " \"a   b   c\"")],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Vector(
            name: "get-unreserved", path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Vector(
            name: "get-utf8", path: "/\u{1234}",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Vector(
            name: "get-space", path: "/example space/",
            signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
        Vector(
            name: "get-vanilla-empty-query-key", query: [Field("Param1", "value1")],
            signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        Vector(
            name: "get-vanilla-query-order-key", query: [Field("Param1", "value2"), Field("Param1", "Value1")],
            signature: "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"),
        Vector(
            name: "get-vanilla-query-order-key-case", query: [Field("Param2", "value2"), Field("Param1", "value1")],
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            name: "get-vanilla-query-order-value", query: [Field("Param1", "value2"), Field("Param1", "value1")],
            signature: "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"),
        Vector(
            name: "get-vanilla-utf8-query", query: [Field("\u{1234}", "bar")],
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Vector(
            name: "post-vanilla", method: "POST",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            name: "post-header-key-sort", method: "POST", headers: [Field("My-Header1", "value1")],
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        Vector(
            name: "post-header-value-case", method: "POST", headers: [Field("My-Header1", "VALUE1")],
            signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
        Vector(
            name: "post-vanilla-query", method: "POST", query: [Field("Param1", "value1")],
            signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
        Vector(
            name: "post-x-www-form-urlencoded", method: "POST",
            headers: [Field("Content-Type", "application/x-www-form-urlencoded")], body: "Param1=value1",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Vector(
            name: "post-sts-header-before", method: "POST", headers: [Field("X-Amz-Security-Token", token)],
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
    ]

    private static let token =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="

    private let suite = SignatureV4(
        credentials: S3Credentials(
            accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
        region: "us-east-1", service: "service", time: Timestamp(seconds: 1_440_938_160, nanoseconds: 0))

    @Test(arguments: vectors)
    func `a request of AWS's test suite gets the signature it has there`(vector: Vector) {
        let request = SignableRequest(
            method: vector.method, path: PercentEncoding.encode(path: vector.path), query: vector.query,
            headers: [Field("Host", "example.amazonaws.com"), Field("X-Amz-Date", "20150830T123600Z")] + vector.headers,
            payloadHash: SignatureV4.sha256(vector.body.utf8))
        let expected = "Signature=\(vector.signature)"
        #expect(suite.authorization(of: request).hasSuffix(expected), "\(request.canonicalRequest)")
    }

    @Test func `a key is used again for the same day and region, and for no other`() {
        let credentials = S3Credentials(
            accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
        let request = SignableRequest(method: "GET", path: "/", query: [], headers: [], payloadHash: "")
        let times = [1_440_938_160, 1_440_938_161, 1_440_938_160 + 86_400].map {
            Timestamp(seconds: $0, nanoseconds: 0)
        }
        for (time, region) in times.flatMap({ time in ["us-east-1", "eu-west-1"].map { (time, $0) } }) {
            let fresh = SignatureV4(credentials: credentials, region: region, service: "service", time: time)
            let known = SignatureV4(
                credentials: credentials, region: region, service: "service", time: time, known: suite.key)
            #expect(known.authorization(of: request) == fresh.authorization(of: request))
        }
    }

    @Test func `the steps of a signature are those of AWS's test suite`() {
        let request = SignableRequest(
            method: "GET", path: "/", query: [Field("Param2", "value2"), Field("Param1", "value1")],
            headers: [Field("X-Amz-Date", "20150830T123600Z"), Field("Host", "example.amazonaws.com")],
            payloadHash: SignatureV4.sha256([]))
        #expect(
            request.canonicalRequest == """
                GET
                /
                Param1=value1&Param2=value2
                host:example.amazonaws.com
                x-amz-date:20150830T123600Z

                host;x-amz-date
                e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
                """)
        #expect(
            suite.stringToSign(of: request) == """
                AWS4-HMAC-SHA256
                20150830T123600Z
                20150830/us-east-1/service/aws4_request
                816cd5b414d056048ba4f7c5386d6e0533120fb1fcfa93762cf0fc39e2cf19e0
                """)
        #expect(
            suite.authorization(of: request)
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=host;x-amz-date, Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        )
    }

    /// The examples of the S3 manual, "Signature Calculations for the Authorization Header".
    static let manual = [
        Vector(
            name: "GET Object", path: "/test.txt", headers: [Field("Range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Vector(
            name: "PUT Object", method: "PUT", path: "/test$file.text",
            headers: [
                Field("Date", "Fri, 24 May 2013 00:00:00 GMT"), Field("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ],
            body: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Vector(
            name: "GET Bucket Lifecycle", query: [Field("lifecycle", "")],
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Vector(
            name: "List Objects", query: [Field("prefix", "J"), Field("max-keys", "2")],
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: manual)
    func `a request of the S3 manual gets the signature it has there`(vector: Vector) {
        let signer = SignatureV4(
            credentials: S3Credentials(
                accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1", service: "s3", time: Timestamp(seconds: 1_369_353_600, nanoseconds: 0))
        let hash = SignatureV4.sha256(vector.body.utf8)
        let headers = [
            Field("Host", "examplebucket.s3.amazonaws.com"), Field("x-amz-date", "20130524T000000Z"),
            Field("x-amz-content-sha256", hash),
        ]
        let request = SignableRequest(
            method: vector.method, path: PercentEncoding.encode(path: vector.path), query: vector.query,
            headers: headers + vector.headers, payloadHash: hash)
        #expect(signer.authorization(of: request).hasSuffix("Signature=\(vector.signature)"))
    }
}
