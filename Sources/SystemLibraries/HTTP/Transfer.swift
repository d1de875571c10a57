/// One request on its way, between libcurl's callbacks and the exchange. Used by the transfer thread alone.
final class Transfer {
    let exchange: Exchange
    let request: HTTPRequest
    let handle: EasyHandle
    private let idle: Duration
    private var head = HTTPHead()
    private var hasHead = false
    /// The piece that is being sent, and how much of it was sent.
    private var piece: [UInt8] = []
    private var sent = 0
    /// Whether what arrives has to wait for the reader.
    private var isFull = false
    /// Whether what is to be sent is waited for.
    private var isStarved = false
    private var lastMove = ContinuousClock.now
    /// Since when the reader has not been told of something.
    private var newsSince: ContinuousClock.Instant?

    init(_ exchange: Exchange, _ request: HTTPRequest, _ settings: HTTPSettings) throws(HTTPFailure) {
        self.exchange = exchange
        self.request = request
        idle = settings.idle
        if case .bytes(let bytes) = request.body { piece = bytes }
        handle = try EasyHandle(request, settings)
        try handle.callBack(self)
    }

    // MARK: What libcurl tells and asks

    /// A line of the head of this answer, or of one before it ("100 Continue").
    func receive(line: UnsafeRawBufferPointer) {
        lastMove = .now
        // Lines after the head follow the body, and nobody wants those.
        if hasHead { return }
        if line.starts(with: "HTTP/".utf8) {
            head = HTTPHead()
        } else if line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8) {
            head.status = handle.status
            guard head.status >= 200 else { return }
            hasHead = true
            newsSince = newsSince ?? lastMove
            exchange.receive(head)
        } else {
            head.add(line)
        }
    }

    /// - Returns: false where they have to wait.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        lastMove = .now
        newsSince = newsSince ?? lastMove
        isFull = !exchange.receive(bytes)
        return !isFull
    }

    /// - Returns: how many bytes are in the buffer now, 0 at the end of the body; nil where there are none yet.
    func send(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        lastMove = .now
        if sent == piece.count {
            guard case .pieces = request.body else { return 0 }
            guard let next = exchange.nextPiece() else {
                isStarved = true
                return nil
            }
            (piece, sent) = (next, 0)
        }
        let count = min(buffer.count, piece.count - sent)
        piece.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count])) }
        sent += count
        return count
    }

    // MARK: What the thread does

    /// Goes on with receiving: there is room again.
    func continueReceiving() {
        isFull = false
        proceed()
    }

    /// Goes on with sending: there is something again.
    func continueSending() {
        isStarved = false
        proceed()
    }

    private func proceed() {
        lastMove = .now
        handle.pause(receiving: isFull, sending: isStarved)
    }

    /// How long the reader is not told of what has arrived. Each time would cost two changes of threads, and a part of a
    /// body is of little use. The end of an answer is told at once.
    private static let longestSilence = Duration.milliseconds(20)

    /// Tells the reader of what has arrived, if that is much or has waited for long.
    ///
    /// - Returns: when to ask again; nil if there is nothing to tell.
    func tellReader(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard let news = newsSince else { return nil }
        let deadline = news + Self.longestSilence
        if now < deadline, !exchange.hasMuch { return deadline }
        newsSince = nil
        exchange.wakeReader()
        return nil
    }

    /// When it counts as idle for too long; nil while it waits for a task of ours and not for the server.
    var idleDeadline: ContinuousClock.Instant? { isFull || isStarved ? nil : lastMove + idle }
}
