/// How all requests of one `HTTPConnections` are sent.
public struct HTTPSettings: Sendable {
    /// A file of certificates to trust; nil for the system's.
    public let certificates: String?
    /// Nil for none.
    public let proxy: HTTPProxy?
    /// How long it may take to find the server, to connect, and to agree on encryption, all together.
    public let connecting: Duration
    /// How long a request may be without a byte sent or received. There is no limit to the whole of it.
    public let idle: Duration

    public init(certificates: String?, proxy: HTTPProxy? = nil, connecting: Duration, idle: Duration) {
        self.certificates = certificates
        self.proxy = proxy
        self.connecting = connecting
        self.idle = idle
    }
}

/// A proxy, as the environment variables `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name it.
public struct HTTPProxy: Equatable, Sendable {
    /// A URL, or a host with a port.
    public let address: String
    /// The hosts to which requests go directly, separated by commas; `*` for all.
    public let exceptions: String

    public init(address: String, exceptions: String) {
        self.address = address
        self.exceptions = exceptions
    }
}
