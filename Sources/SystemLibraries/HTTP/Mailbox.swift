import Synchronization

/// The messages of tasks to the transfer thread.
final class Mailbox: Sendable {
    enum Message: Sendable {
        case start(Exchange, HTTPRequest)
        /// The reader has read the bytes that had arrived: there is room again.
        case receive(Exchange)
        /// There is something to send again.
        case send(Exchange)
        /// Nobody waits for the answer any more.
        case remove(Exchange)
        /// Nobody will send any more: the thread ends.
        case end
    }

    private struct State {
        var messages: [Message] = []
        var hasThread = false
        /// Whether nobody will read any more. A message would keep its exchange, which keeps this mailbox.
        var hasEnded = false
    }

    private let settings: HTTPSettings
    private let multi = CurlMulti()
    private let state = Mutex(State())

    init(_ settings: HTTPSettings) { self.settings = settings }

    /// Starts the thread that reads the messages, unless it runs.
    func startThread() throws(HTTPFailure) {
        let isNeeded = state.withLock { state in
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard isNeeded else { return }
        do throws(HTTPFailure) { try TransferThread.start(self, multi, settings) } catch {
            state.withLock { $0.hasThread = false }
            throw error
        }
    }

    func post(_ message: Message) {
        let isFirst = state.withLock { state in
            if state.hasEnded { return false }
            if case .end = message { state.hasEnded = true }
            state.messages.append(message)
            return state.messages.count == 1
        }
        // The thread takes all messages at once, after it was woken by the first.
        if isFirst { multi.wake() }
    }

    func removeMessages() -> [Message] {
        state.withLock { state in
            defer { state.messages.removeAll(keepingCapacity: true) }
            return state.messages
        }
    }
}
