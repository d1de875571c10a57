import HTTP

/// How long a request may be without any progress. There is no limit to the whole of it.
struct S3Patience: Sendable {
    var connecting = Duration.seconds(10)
    /// Without a byte sent or received.
    var idle = Duration.seconds(30)
    /// While an object is read, without a byte received: the rest is then asked for again.
    var stall = Duration.seconds(5)

    /// How long the first byte of an object may take. A server that is only slow gets more and more time, but not
    /// at once: a lost connection is by far more frequent.
    ///
    /// - Parameter stalls: how often nothing came, one after the other.
    func stall(after stalls: Int) -> Duration { min(stall * (1 << min(max(0, stalls - 2), 16)), max(stall, idle)) }
}

/// The connections to one server, kept and shared by all requests of a store. They end with the last user.
final class S3Connections: Sendable {
    private let connections: HTTPConnections

    /// - Parameter certificates: a file of those to trust; nil for the system's.
    init(certificates: String?, proxy: HTTPProxy?, _ patience: S3Patience) {
        connections = HTTPConnections(
            HTTPSettings(
                certificates: certificates, proxy: proxy, connecting: patience.connecting, idle: patience.idle))
    }

    /// Sends a request; the answer's body may still be on its way.
    func send(_ request: S3Request, _ signed: SignedRequest) async throws(S3Failure) -> S3Response {
        let message = HTTPRequest(
            request.method.rawValue, signed.url, headers: signed.headers.map { ($0.name, $0.value) },
            body: request.body.message)
        do throws(HTTPFailure) { return S3Response(try await connections.send(message)) } catch {
            throw S3Failure(error)
        }
    }
}

extension S3Request.Body {
    fileprivate var message: HTTPRequest.Body {
        switch self {
        case .none: .none
        case .bytes(let bytes): .bytes(bytes)
        case .file(let slice): .pieces(slice, length: slice.count)
        }
    }
}
