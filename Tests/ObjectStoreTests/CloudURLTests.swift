import ObjectStore
import Testing

struct CloudURLTests {
    @Test(arguments: [
        ("file:///mnt/nas", "/mnt/nas"),
        ("FILE:///mnt/nas", "/mnt/nas"),
        ("file://localhost/mnt/nas", "/mnt/nas"),
        ("file:///mnt/my%20disk/%C3%BC", "/mnt/my disk/ü"),
        ("file:///mnt/my disk", "/mnt/my disk"),
        ("file:///mnt/nas/", "/mnt/nas/"),
        ("file:///a%2525", "/a%25"),
        ("file:///...", "/..."),
        ("file:///a:b", "/a:b"),
    ])
    func `a file URL is an absolute path`(text: String, path: String) throws {
        #expect(try CloudURL(text) == .directory(path))
    }

    @Test(arguments: [
        "", "/mnt/nas", "nas", "http://host/", "ftp://host/a", ":///a", "file", "file:", "file:/", "file://",
        "file:///",
        "file:relative", "file://host/share", "file://localhost", "file://localhost/", "file://localhostess/a",
        "file:///a%00b", "file:///a/../b", "file:///..", "file:///a/%2e%2e/b", "file:///a%2f..%2fb", "file:///a%zz",
        "file:///%ff",
    ])
    func `any other is refused in one line that says what to use`(text: String) {
        let error = #expect(throws: CloudURLError.self) { try CloudURL(text) }
        #expect(error?.description.contains("file:///DIR") == true)
        #expect(error?.description.contains("'\(text)'") == true)
        #expect(error?.description.contains("\n") == false)
    }

    @Test(arguments: [
        ("s3://photos", S3Location(bucket: "photos")),
        ("S3://photos/", S3Location(bucket: "photos")),
        ("s3://photos/a/b", S3Location(bucket: "photos", prefix: ["a", "b"])),
        ("s3://photos/a%20b%25/%C3%BC/", S3Location(bucket: "photos", prefix: ["a b%", "ü"])),
        ("s3://my.photos_1/a+b", S3Location(bucket: "my.photos_1", prefix: ["a+b"])),
        ("s3://photos?region=eu-west-1", S3Location(bucket: "photos", region: "eu-west-1")),
        (
            "s3://photos/a?endpoint=http://127.0.0.1:8333&region=R&addressing=virtual",
            S3Location(
                bucket: "photos", prefix: ["a"], endpoint: S3Endpoint("http://127.0.0.1:8333"), region: "R",
                addressing: .virtual)
        ),
        ("s3://photos?endpoint=https%3A%2F%2Fhost", S3Location(bucket: "photos", endpoint: S3Endpoint("https://host"))),
        ("s3://photos?addressing=path", S3Location(bucket: "photos", addressing: .path)),
        ("s3://photos?", S3Location(bucket: "photos")),
    ])
    func `an S3 URL is a bucket, a prefix, and settings`(text: String, location: S3Location) throws {
        #expect(try CloudURL(text) == .s3(location))
    }

    @Test(arguments: [
        ("s3:", "no bucket"), ("s3:/", "no bucket"), ("s3://", "no bucket"), ("s3:///a", "no bucket"),
        ("s3://ab", "no bucket"), ("s3://b ucket/a", "no bucket"), ("s3://id:secret@photos/a", "no bucket"),
        ("s3://photos..x", "no bucket"), ("s3://photos/a//b", "prefix"), ("s3://photos//", "prefix"),
        ("s3://photos/../b", "prefix"), ("s3://photos/a%2Fb", "prefix"), ("s3://photos/a%00", "prefix"),
        ("s3://photos/%ff", "prefix"), ("s3://photos/%zz", "prefix"), ("s3://photos/a#b", "'#'"),
        (
            "s3://photos/" + Array(repeating: String(repeating: "x", count: 200), count: 3).joined(separator: "/"),
            "prefix"
        ),
        ("s3://photos?colour=red", "unknown setting 'colour'"), ("s3://photos?Region=r", "unknown setting 'Region'"),
        ("s3://photos?region", "no value for 'region'"), ("s3://photos?region=", "no value for 'region'"),
        ("s3://photos?region=a%20b", "impossible region"), ("s3://photos?region=r&", "no value for ''"),
        ("s3://photos?endpoint=127.0.0.1:8333", "endpoint"), ("s3://photos?endpoint=ftp://host", "endpoint"),
        ("s3://photos?addressing=both", "addressing"), ("s3:///photos", "names no bucket"),
        ("s3://b/p", "names no bucket (3 to 63"),
    ])
    func `an S3 URL that cannot be meant is refused in one line that says why`(text: String, reason: String) {
        let error = #expect(throws: CloudURLError.self) { try CloudURL(text) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        #expect(error?.description.contains("s3://BUCKET/PREFIX") == true)
        #expect(error?.description.contains("\n") == false)
    }

    @Test(arguments: [
        ("file:///mnt/nas/", "file:///mnt/nas"), ("FILE://localhost//mnt//my disk", "file:///mnt/my%20disk"),
        ("s3://photos", "s3://photos"), ("S3://photos/a b/", "s3://photos/a%20b"),
        (
            "s3://photos/a?addressing=path&region=eu-west-1&endpoint=http://127.0.0.1:8333/",
            "s3://photos/a?endpoint=http://127.0.0.1:8333&region=eu-west-1&addressing=path"
        ),
    ])
    func `a URL has one text, which names the same place`(typed: String, text: String) throws {
        let url = try CloudURL(typed)
        #expect(url.text == text)
        #expect(try CloudURL(text).isSamePlace(as: url))
        #expect(try CloudURL(text).text == text)
    }

    @Test func `places differ by folder, bucket, prefix and server, and not by region`() throws {
        let texts = [
            "file:///mnt/nas", "file:///mnt/nas/a", "s3://photos", "s3://others", "s3://photos/a b",
            "s3://photos?endpoint=http://host",
        ]
        for one in texts {
            for other in texts {
                #expect(try CloudURL(one).isSamePlace(as: CloudURL(other)) == (one == other), "\(one) \(other)")
            }
        }
        #expect(try CloudURL("s3://photos?region=a").isSamePlace(as: CloudURL("s3://photos/?region=b")))
    }

    @Test(arguments: [
        ("file:///a/b", "file:///a/b", true), ("file:///a/b", "file:///a/b/c", true),
        ("file:///a/b", "file:///a", true),
        ("file:///a/b", "file:///a/bc", false), ("s3://photos", "s3://photos/x", true),
        ("s3://photos/x", "s3://photos/y", false), ("s3://photos/x", "s3://others/x", false),
        ("s3://photos/x", "file:///photos/x", false),
    ])
    func `two places overlap where one lies within the other`(one: String, other: String, isSo: Bool) throws {
        #expect(try CloudURL(one).overlaps(CloudURL(other)) == isSo)
        #expect(try CloudURL(other).overlaps(CloudURL(one)) == isSo)
    }

    @Test(arguments: [
        ("file:///mnt/nas/docs", "file:///mnt/nas/docs-encrypted"), ("file:///docs/", "file:///docs-encrypted"),
        ("file:///a%20b", "file:///a%20b-encrypted"),
        (
            "s3://photos/one/two?endpoint=https://e.example&region=r",
            "s3://photos/one/two-encrypted?endpoint=https://e.example&region=r"
        ),
    ])
    func `a place has another one beside it, but for a whole bucket`(text: String, expected: String) throws {
        let beside = try CloudURL(text).beside("-encrypted")
        #expect(try beside == CloudURL(expected))
        #expect(try CloudURL("s3://photos?region=a").beside("-encrypted") == nil)
    }
}
