import Testing

@testable import Browse

/// Attacks on the page, by what the guard is told of a request.
struct RequestGuardTests {
    private let guarding = RequestGuard(port: 4711, key: "key", session: "session")

    private func request(_ change: (inout RequestGuard.Request) -> Void = { _ in }) -> RequestGuard.Request {
        var request = RequestGuard.Request()
        request.host = "127.0.0.1:4711"
        request.cookie = "other=1; docfs-4711=session"
        request.fetchSite = "same-origin"
        change(&request)
        return request
    }

    private func isRefused(_ request: RequestGuard.Request) -> Bool {
        if case .refuse = guarding.decide(request) { true } else { false }
    }

    @Test(arguments: ["127.0.0.1:4711", "[::1]:4711", "localhost:4711"])
    func `the page itself is answered`(host: String) {
        #expect(guarding.decide(request { $0.host = host }) == .answer)
        let post = request {
            $0.host = host
            $0.isReading = false
            $0.origin = "http://\(host)"
        }
        #expect(guarding.decide(post) == .answer)
    }

    @Test func `the key in the address is exchanged for a cookie that scripts and other sites do not have`() {
        let first = request {
            $0.cookie = nil
            $0.fetchSite = "cross-site"
            $0.key = "key"
        }
        #expect(guarding.decide(first) == .welcome)
        #expect(guarding.setCookie == "docfs-4711=session; HttpOnly; SameSite=Strict; Path=/")
    }

    @Test(arguments: ["evil.example:4711", "127.0.0.1", "127.0.0.1:4712", "localhost.evil.example:4711", ""])
    func `a name that leads to this machine is refused (DNS rebinding)`(host: String) {
        #expect(isRefused(request { $0.host = host }))
        #expect(
            isRefused(
                request {
                    $0.key = "key"; $0.host = host
                }))
    }

    @Test func `a request without a name is refused`() { #expect(isRefused(request { $0.host = nil })) }

    @Test(arguments: ["http://evil.example", "null", "http://127.0.0.1:4712", "https://127.0.0.1:4711"])
    func `another page's requests are refused`(origin: String) {
        #expect(isRefused(request { $0.origin = origin }))
        #expect(
            isRefused(
                request {
                    $0.isReading = false; $0.origin = origin
                }))
    }

    @Test func `what changes something says from which page it comes`() {
        #expect(isRefused(request { $0.isReading = false }))
        #expect(isRefused(request { $0.fetchSite = "cross-site" }))
        #expect(isRefused(request { $0.fetchSite = "same-site" }))
    }

    @Test(arguments: [
        nil, "", "docfs-4711=", "docfs-4711=sessio", "docfs-4711=sessionx", "docfs-4712=session", "session",
    ])
    func `without the cookie nothing is answered`(cookie: String?) {
        #expect(isRefused(request { $0.cookie = cookie }))
    }

    @Test func `a wrong key is refused, and the key is no cookie`() {
        #expect(isRefused(request { $0.key = "kex" }))
        #expect(isRefused(request { $0.cookie = "docfs-4711=key" }))
        #expect(
            isRefused(
                request {
                    $0.isReading = false; $0.key = "key"; $0.cookie = nil; $0.origin = "http://127.0.0.1:4711"
                }))
    }

    @Test func `another user's program is refused, whatever it knows`() {
        #expect(isRefused(request { $0.isOwnPeer = false }))
        #expect(
            isRefused(
                request {
                    $0.isOwnPeer = false; $0.key = "key"
                }))
    }
}

struct PeerUserTests {
    private let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1267 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1
           1: 0100007F:1267 0100007F:A001 01 00000000:00000000 00:00000000 00000000  1000        0 2 1
           2: 0100007F:A001 0100007F:1267 01 00000000:00000000 00:00000000 00000000  1007        0 3 1
           3: 0100007F:A002 0100007F:1267 06 00000000:00000000 00:00000000 00000000     0        0 0 1
        """

    @Test func `the user is that of the socket at the other end`() {
        #expect(PeerUser.user(in: table, port: 0xA001, serverPort: 0x1267) == 1007)
    }

    @Test func `a socket that nobody holds, and one that is not there, are nobody's`() {
        #expect(PeerUser.user(in: table, port: 0xA002, serverPort: 0x1267) == nil)
        #expect(PeerUser.user(in: table, port: 0xA003, serverPort: 0x1267) == nil)
        #expect(PeerUser.user(in: "", port: 1, serverPort: 2) == nil)
    }
}

struct ByteRangeTests {
    @Test(arguments: [
        (nil, ByteRange.all), ("bytes=0-9", .part(0..<10)), ("bytes=90-", .part(90..<100)),
        ("bytes=-10", .part(90..<100)), ("bytes=-500", .part(0..<100)), ("bytes=50-500", .part(50..<100)),
        ("bytes=100-", .none), ("bytes=-0", .none), ("bytes=9-1", .all), ("bytes=a-b", .all), ("bytes=", .all),
        ("bytes=0-1,4-5", .all), ("lines=0-1", .all), ("bytes=99999999999999999999-", .all), ("bytes=--1", .all),
    ])
    func `one range of bytes is understood, and anything else means the whole`(header: String?, range: ByteRange) {
        #expect(ByteRange(header: header, size: 100) == range)
    }
}
