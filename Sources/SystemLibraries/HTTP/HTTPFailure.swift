/// Why a request has no answer, or no whole one. Nothing of what was sent appears in the texts.
public enum HTTPFailure: Error, Sendable {
    /// No connection could be made.
    case unreachable(String)
    /// The connection ended before the answer did.
    case disconnected(String)
    /// For long nothing was sent or received.
    case timedOut
    /// The other side could not prove that it is the server.
    case untrusted(String)
    /// The answer is no HTTP.
    case malformed(String)
    /// The request's body ended with this error.
    case body(any Error)
    /// The task was cancelled.
    case cancelled
}
