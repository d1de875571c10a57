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
        request.isFromScript = true
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

    @Test func `attack: a form of another kind of document, which cannot set a header, changes nothing`() {
        let form = request {
            $0.isReading = false
            $0.origin = "http://127.0.0.1:4711"
            $0.isFromScript = false
        }
        #expect(isRefused(form))
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
}
