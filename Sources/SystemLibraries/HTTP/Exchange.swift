import Synchronization

/// One request under way: where the task that waits for the answer, the task that reads the body to send, and the
/// transfer thread meet.
///
/// Either side may end it; the first end stays. Bytes that arrived before the end can be read after it.
final class Exchange: Sendable {
    private struct State {
        var head: HTTPHead?
        var arrived: [UInt8] = []
        /// Whether the transfer thread waits for `arrived` to be taken.
        var isFull = false
        /// The next piece of the body to send.
        var leaving: [UInt8]?
        /// Whether the transfer thread waits for `leaving`.
        var isStarved = false
        var end: Result<Void, HTTPFailure>?
        var reader: CheckedContinuation<Void, Never>?
        var feeder: CheckedContinuation<Void, Never>?
        var feeding: Task<Void, Never>?

        /// Whether the reader has something to do.
        var isReadable: Bool { end != nil || (awaitsHead ? head != nil : !arrived.isEmpty) }
        var awaitsHead = true

        mutating func removeReader() -> CheckedContinuation<Void, Never>? {
            guard isReadable else { return nil }
            defer { reader = nil }
            return reader
        }

        mutating func removeFeeder() -> CheckedContinuation<Void, Never>? {
            defer { feeder = nil }
            return feeder
        }
    }

    /// Bytes that may wait to be read before no more are received.
    private static let mostArrived = 1 << 20
    /// Bytes that are worth waking the reader for.
    private static let muchArrived = mostArrived / 2

    private let mailbox: Mailbox
    /// Held for a few assignments or the copy of a received piece; nothing else is locked meanwhile.
    private let state = Mutex(State())

    init(_ mailbox: Mailbox) { self.mailbox = mailbox }

    // MARK: The reader

    func head() async throws(HTTPFailure) -> HTTPHead {
        await waitUntilReadable()
        let (head, end) = state.withLock { state in
            state.awaitsHead = false
            return (state.head, state.end)
        }
        if let head { return head }
        try end?.get()
        throw .disconnected("the connection was lost")
    }

    func next() async throws(HTTPFailure) -> [UInt8]? {
        await waitUntilReadable()
        let (bytes, wasFull, end) = state.withLock { state in
            defer { (state.arrived, state.isFull) = ([], false) }
            return (state.arrived, state.isFull, state.end)
        }
        if wasFull { mailbox.post(.receive(self)) }
        if !bytes.isEmpty { return bytes }
        try end?.get()
        return nil
    }

    private func waitUntilReadable() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReadable = state.withLock { state in
                    if !state.isReadable { state.reader = continuation }
                    return state.isReadable
                }
                if isReadable { continuation.resume() }
            }
        } onCancel: {
            abandon()
        }
    }

    /// Ends what has not ended: nobody wants the rest.
    func abandon() { if finish(.failure(.cancelled)) { mailbox.post(.remove(self)) } }

    // MARK: The feeder

    /// Begins to hand over the body to send, one piece after the other, until it ends or the exchange does.
    func startFeeding(_ pieces: any AsyncSequence<[UInt8], any Error> & Sendable) {
        let feeding = Task { await feed(pieces) }
        let hasEnded = state.withLock { state in
            state.feeding = feeding
            return state.end != nil
        }
        if hasEnded { feeding.cancel() }
    }

    private func feed(_ pieces: any AsyncSequence<[UInt8], any Error> & Sendable) async {
        do {
            for try await piece in pieces {
                await waitUntilSent()
                guard let wasStarved = offer(piece) else { return }
                if wasStarved { mailbox.post(.send(self)) }
            }
        } catch {
            if finish(.failure(.body(error))) { mailbox.post(.remove(self)) }
        }
    }

    private func waitUntilSent() async {
        await withCheckedContinuation { continuation in
            let isSent = state.withLock { state in
                let isSent = state.leaving == nil || state.end != nil
                if !isSent { state.feeder = continuation }
                return isSent
            }
            if isSent { continuation.resume() }
        }
    }

    /// - Returns: whether the transfer thread waited for it; nil after the end.
    private func offer(_ piece: [UInt8]) -> Bool? {
        state.withLock { state in
            if state.end != nil { return nil }
            defer { state.isStarved = false }
            state.leaving = piece
            return state.isStarved
        }
    }

    // MARK: The transfer thread

    func receive(_ head: HTTPHead) {
        let length = head["content-length"].flatMap { Int($0) } ?? 0
        state.withLock { state in
            state.head = head
            state.arrived.reserveCapacity(min(max(0, length), Self.mostArrived))
        }
    }

    /// Whether the reader should be woken before more arrives.
    var hasMuch: Bool { state.withLock { $0.arrived.count >= Self.muchArrived } }

    /// - Returns: false where they have to wait: the reader will say when.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            if state.arrived.count >= Self.mostArrived {
                state.isFull = true
                return false
            }
            state.arrived += bytes
            return true
        }
    }

    /// The next piece to send; nil where there is none yet: the feeder will say when.
    func nextPiece() -> [UInt8]? {
        let (piece, feeder) = state.withLock { state in
            defer { state.leaving = nil }
            state.isStarved = state.leaving == nil
            return (state.leaving, state.leaving == nil ? nil : state.removeFeeder())
        }
        feeder?.resume()
        return piece
    }

    /// Tells the reader of what has arrived. Apart from `receive`, so that what comes together is read together.
    func wakeReader() { state.withLock { $0.removeReader() }?.resume() }

    /// - Returns: false if it had ended before.
    @discardableResult
    func finish(_ end: Result<Void, HTTPFailure>) -> Bool {
        let (isFirst, reader, feeder, feeding) = state.withLock { state in
            let isFirst = state.end == nil
            if isFirst { state.end = end }
            defer { state.feeding = nil }
            return (isFirst, state.removeReader(), state.removeFeeder(), state.feeding)
        }
        feeding?.cancel()
        reader?.resume()
        feeder?.resume()
        return isFirst
    }
}
