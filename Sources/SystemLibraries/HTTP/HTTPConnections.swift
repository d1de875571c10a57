/// Sends requests over connections that are kept and shared. They end with the last user.
///
/// One thread talks to the servers (`TransferThread`). A request waits for no thread: its task and that thread meet in
/// an `Exchange`.
public final class HTTPConnections: Sendable {
    private let mailbox: Mailbox

    /// Talks to nobody yet.
    public init(_ settings: HTTPSettings) { mailbox = Mailbox(settings) }

    deinit { mailbox.post(.end) }

    /// Sends a request; the answer's body may still be on its way.
    ///
    /// When the task is cancelled, the request ends at once.
    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard request.isSendable else { throw .disconnected("a header of the request has a line break") }
        try mailbox.startThread()
        let exchange = Exchange(mailbox)
        mailbox.post(.start(exchange, request))
        if case .pieces(let pieces, _) = request.body { exchange.startFeeding(pieces) }
        do throws(HTTPFailure) { return HTTPResponse(try await exchange.head(), exchange, over: self) } catch {
            exchange.abandon()
            throw error
        }
    }
}
