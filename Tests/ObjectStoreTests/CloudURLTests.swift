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
        "", "/mnt/nas", "nas", "s3://bucket/prefix", "http://host/", "ftp://host/a", ":///a", "file", "file:",
        "file:/", "file://", "file:///", "file:relative", "file://host/share", "file://localhost", "file://localhost/",
        "file://localhostess/a", "file:///a%00b", "file:///a/../b", "file:///..", "file:///a/%2e%2e/b",
        "file:///a%2f..%2fb", "file:///a%zz", "file:///%ff",
    ])
    func `any other is refused in one line that says what to use`(text: String) {
        let error = #expect(throws: CloudURLError.self) { try CloudURL(text) }
        #expect(error?.description.contains("file:///DIR") == true)
        #expect(error?.description.contains("'\(text)'") == true)
        #expect(error?.description.contains("\n") == false)
    }
}
