/// Decides which requests are answered: those of the page itself.
///
/// The key in the address that is opened is exchanged for a cookie. Cookies do not know ports, so another user's server on this machine may be
/// shown it: it is of no use to programs of others, which the gate keeps away (``Gate``).
package struct RequestGuard: Sendable {
    package enum Decision: Equatable {
        case answer
        /// The page gets the cookie.
        case welcome
        case refuse(String)
    }

    /// What is looked at of a request.
    package struct Request: Sendable {
        package var isReading = true
        package var path = "/"
        /// The key in the address.
        package var key: String?
        package var host: String?
        package var origin: String?
        package var fetchSite: String?
        package var cookie: String?
        /// Whether it has a header that only a script of the page can set: a form, or a PDF with one, cannot.
        package var isFromScript = false

        package init() {}
    }

    private let key: String
    private let session: String
    private let hosts: Set<String>
    private let cookieName: String

    /// - Parameters:
    ///   - key: of the address.
    ///   - session: of the cookie.
    package init(port: UInt16, key: String, session: String) {
        self.key = key
        self.session = session
        hosts = ["127.0.0.1:\(port)", "[::1]:\(port)", "localhost:\(port)"]
        cookieName = "docfs-\(port)"
    }

    /// The value of Set-Cookie.
    package var setCookie: String { "\(cookieName)=\(session); HttpOnly; SameSite=Strict; Path=/" }

    package func decide(_ request: Request) -> Decision {
        // A name that leads to this machine (DNS rebinding) is no name of this server.
        guard let host = request.host, hosts.contains(host) else { return .refuse("not the name of this server") }
        if let origin = request.origin, origin != "http://\(host)" { return .refuse("from another page") }
        if request.isReading, request.path == "/", let key = request.key {
            return Self.isEqual(key, self.key) ? .welcome : .refuse("not the key of this server")
        }
        if !request.isReading, request.origin == nil || !request.isFromScript { return .refuse("from no page") }
        if let site = request.fetchSite, site != "same-origin", site != "none" { return .refuse("from another page") }
        guard hasSession(request.cookie ?? "") else { return .refuse("open the address that docfs browse printed") }
        return .answer
    }

    private func hasSession(_ cookies: String) -> Bool {
        cookies.split(separator: ";").contains { cookie in
            let parts = cookie.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == cookieName else { return false }
            return Self.isEqual(String(parts[1]), session)
        }
    }

    /// Takes as long for texts of one length, wherever they differ.
    private static func isEqual(_ first: String, _ second: String) -> Bool {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        guard first.count == second.count else { return false }
        return zip(first, second).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
