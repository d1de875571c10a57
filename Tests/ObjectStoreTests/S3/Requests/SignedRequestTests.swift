import Documents
import Testing

@testable import ObjectStore

struct SignedRequestTests {
    private func signed(_ request: S3Request, token: String? = nil, endpoint: String? = nil) -> SignedRequest {
        SignedRequest(
            request, to: S3Address(bucket: "photos", endpoint: endpoint.flatMap(S3Endpoint.init), addressing: nil),
            payload: PayloadDigest(hash: "UNSIGNED-PAYLOAD", md5: "1B2M2Y8AsgTpgAmY7PhCfg=="),
            credentials: S3Credentials(accessKeyID: "ID", secretAccessKey: "SECRET", sessionToken: token),
            region: "eu-west-1",
            time: Timestamp(seconds: 1_440_938_160, nanoseconds: 0))
    }

    private func header(_ name: String, _ request: SignedRequest) -> String? {
        request.headers.first { $0.name == name }?.value
    }

    @Test func `a request says where to, when, and what`() {
        let request = signed(S3Request(.put, "a b/ü?", headers: [S3Request.ifAbsent]))
        #expect(request.url == "https://photos.s3.eu-west-1.amazonaws.com/a%20b/%C3%BC%3F")
        #expect(header("Host", request) == "photos.s3.eu-west-1.amazonaws.com")
        #expect(header("X-Amz-Date", request) == "20150830T123600Z")
        #expect(header("X-Amz-Content-Sha256", request) == "UNSIGNED-PAYLOAD")
        #expect(header("Content-MD5", request) == "1B2M2Y8AsgTpgAmY7PhCfg==")
        #expect(header("X-Amz-Security-Token", request) == nil)
        let authorization = header("Authorization", request)
        #expect(
            authorization?.contains("SignedHeaders=content-md5;host;if-none-match;x-amz-content-sha256;x-amz-date,")
                == true)
        #expect(authorization?.contains("ID/20150830/eu-west-1/s3/aws4_request") == true)
    }

    @Test func `a session's token is sent and signed`() {
        let request = signed(S3Request(.get, "a"), token: "TOKEN")
        #expect(header("X-Amz-Security-Token", request) == "TOKEN")
        #expect(header("Authorization", request)?.contains(";x-amz-security-token,") == true)
    }

    @Test func `the query is sent as it is signed`() {
        let query = [Field("start-after", "a b+/"), Field("list-type", "2"), Field("prefix", "")]
        let request = signed(S3Request(.get, nil, query: query), endpoint: "http://[::1]:9000")
        #expect(request.url == "http://[::1]:9000/photos?list-type=2&prefix=&start-after=a%20b%2B%2F")
        #expect(header("Host", request) == "[::1]:9000")
    }

    @Test func `no secret is in a request`() {
        let request = signed(S3Request(.get, "a"))
        #expect(!request.url.contains("SECRET") && !request.headers.contains { $0.value.contains("SECRET") })
    }

    @Test func `a body in memory is hashed, and one in a file is read for its MD5`() async throws {
        let bytes = try await PayloadDigest(.bytes(Array("abc".utf8)))
        #expect(bytes.hash == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(bytes.md5 == "kAFQmDzST7DWlj99KOF/cg==")
        try await withFile(Array("xabcx".utf8)) { file in
            let slice = ContentSlice(
                content: try SourceFile(file), range: 1..<4, key: .path("a"), progress: UploadProgress { _ in true })
            let digest = try await PayloadDigest(.file(slice))
            #expect(digest.hash == "UNSIGNED-PAYLOAD")
            #expect(digest.md5 == bytes.md5)
        }
        #expect(try await PayloadDigest(.none).md5 == nil)
    }
}
