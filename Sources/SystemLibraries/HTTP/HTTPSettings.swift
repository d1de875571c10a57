/// How all requests of one `HTTPConnections` are sent.
public struct HTTPSettings: Sendable {
    /// A file of certificates to trust; nil for the system's.
    public let certificates: String?
    /// How long it may take to find the server, to connect, and to agree on encryption, all together.
    public let connecting: Duration
    /// How long a request may be without a byte sent or received. There is no limit to the whole of it.
    public let idle: Duration

    public init(certificates: String?, connecting: Duration, idle: Duration) {
        self.certificates = certificates
        self.connecting = connecting
        self.idle = idle
    }
}
