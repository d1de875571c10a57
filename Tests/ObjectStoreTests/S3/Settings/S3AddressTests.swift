import Testing

@testable import ObjectStore

struct S3AddressTests {
    @Test(
        arguments: [
            (nil, nil, "photos", "https://photos.s3.eu-west-1.amazonaws.com", "/a%20b/%C3%BC"),
            (nil, nil, "my.photos", "https://s3.eu-west-1.amazonaws.com", "/my.photos/a%20b/%C3%BC"),
            (nil, .path, "photos", "https://s3.eu-west-1.amazonaws.com", "/photos/a%20b/%C3%BC"),
            ("http://127.0.0.1:8333", nil, "photos", "http://127.0.0.1:8333", "/photos/a%20b/%C3%BC"),
            ("https://minio.example", .virtual, "photos", "https://photos.minio.example", "/a%20b/%C3%BC"),
            ("https://minio.example:9000", .virtual, "photos", "https://photos.minio.example:9000", "/a%20b/%C3%BC"),
        ] as [(String?, S3Addressing?, String, String, String)])
    func `a bucket is in the path or in the server's name`(
        endpoint: String?, addressing: S3Addressing?, bucket: String, server: String, path: String
    ) {
        let address = S3Address(bucket: bucket, endpoint: endpoint.flatMap(S3Endpoint.init), addressing: addressing)
        #expect(address.server(in: "eu-west-1").description == server)
        #expect(address.path(of: "a b/ü") == path)
    }

    @Test func `the bucket itself has an address`() {
        #expect(S3Address(bucket: "photos", endpoint: nil, addressing: .virtual).path(of: nil) == "/")
        #expect(S3Address(bucket: "photos", endpoint: nil, addressing: .path).path(of: nil) == "/photos")
    }

    @Test func `China's regions have their own domain`() {
        let address = S3Address(bucket: "photos", endpoint: nil, addressing: nil)
        #expect(address.server(in: "cn-north-1").host == "photos.s3.cn-north-1.amazonaws.com.cn")
    }

    @Test(arguments: [
        ("http://127.0.0.1:8333", "http://127.0.0.1:8333"), ("https://Host.example/", "https://Host.example"),
        ("HTTPS://host:443", "https://host"), ("http://host:80", "http://host"),
        ("http://[::1]:9000", "http://[::1]:9000"),
    ])
    func `an endpoint is scheme, host and port`(text: String, endpoint: String) {
        #expect(S3Endpoint(text)?.description == endpoint)
    }

    @Test(arguments: [
        "", "host", "host:80", "ftp://host", "http://", "http://host/path", "http://host?x", "http://user:secret@host",
        "http://host:0", "http://host:99999", "http://ho st", "http://host#x", "http:///x",
    ])
    func `anything else is none`(text: String) {
        #expect(S3Endpoint(text) == nil)
    }
}
