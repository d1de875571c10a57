import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL

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
    private let client: HTTPClient

    /// - Parameter certificates: a file of those to trust; nil for the system's.
    init(certificates: String?, _ patience: S3Patience) {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let certificates { tls.trustRoots = .file(certificates) }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(
                connect: TimeAmount(patience.connecting), read: TimeAmount(patience.idle),
                write: TimeAmount(patience.idle)))
        // A request waits for a free connection no longer than for a new one: there must always be one.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        // Servers close idle connections after 20 s or more.
        configuration.connectionPool.idleTimeout = .seconds(15)
        // Retrying is the policy's business.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        // Spans that nobody collects take a few per cent of the time of a small request.
        configuration.tracing.tracer = nil
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        // Requests hold this object: none is under way, and there is nobody left to tell of a failure.
        client.shutdown { _ in }
    }

    /// Sends a request; the answer's body may still be on its way.
    func send(_ request: S3Request, _ signed: SignedRequest) async throws(S3Failure) -> S3Response {
        var message = HTTPClientRequest(url: signed.url)
        message.method = HTTPMethod(rawValue: request.method.rawValue)
        message.headers = HTTPHeaders(signed.headers.map { ($0.name, $0.value) })
        message.body = request.body.stream
        do {
            // No total limit: a large document may take its time, as long as something moves.
            return S3Response(try await client.execute(message, deadline: .distantFuture))
        } catch {
            if case .file(let slice) = request.body, let cause = slice.cause.value { throw .source(cause) }
            throw S3Failure(error)
        }
    }
}

extension S3Request.Body {
    fileprivate var stream: HTTPClientRequest.Body? {
        switch self {
        case .none: nil
        case .bytes(let bytes): .bytes(ByteBuffer(bytes: bytes))
        case .file(let slice): .stream(slice, length: .known(slice.count))
        }
    }
}
