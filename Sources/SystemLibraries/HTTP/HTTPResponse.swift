/// An answer of which the body may still be on its way. If nobody holds it any more, the rest is not fetched.
public final class HTTPResponse: Sendable {
    /// Of the last answer, after any interim ones (100 Continue).
    public let head: HTTPHead
    private let exchange: Exchange
    /// Whoever reads an answer uses its connection.
    private let connections: HTTPConnections

    init(_ head: HTTPHead, _ exchange: Exchange, over connections: HTTPConnections) {
        self.head = head
        self.exchange = exchange
        self.connections = connections
    }

    deinit { exchange.abandon() }

    /// All that has come of the body since the last call, at least a byte; nil at its end. Not from two tasks at once.
    public func next() async throws(HTTPFailure) -> [UInt8]? { try await exchange.next() }
}
