import Foundation

/// Where a server answers: scheme, host, and port.
public struct S3Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// Whether it is `https`.
    public let isSecure: Bool
    /// As in a URL: an IPv6 address in brackets.
    public let host: String
    /// Nil for the scheme's own.
    public let port: Int?

    public init(isSecure: Bool, host: String, port: Int? = nil) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// - Returns: nil unless the text is `http://HOST[:PORT]` or `https://HOST[:PORT]`.
    public init?(_ text: String) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let host = parts.encodedHost, Self.isHost(host),
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            parts.path.isEmpty || parts.path == "/"
        else { return nil }
        if let port = parts.port, !(1...65_535).contains(port) { return nil }
        let isSecure = scheme == "https"
        self.init(isSecure: isSecure, host: host, port: parts.port == (isSecure ? 443 : 80) ? nil : parts.port)
    }

    /// As in a URL, without a path.
    public var description: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// The value of the `Host` header.
    var authority: String { port.map { "\(host):\($0)" } ?? host }

    private static func isHost(_ host: String) -> Bool {
        !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"/?#@%\\".utf8.contains($0) }
    }
}
