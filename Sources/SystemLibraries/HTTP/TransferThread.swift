import Glibc

/// The one thread that talks to servers. It carries transfers on as far as they get without waiting, then waits for any
/// of them, for a message, or for the moment when a transfer has been idle for too long.
final class TransferThread {
    private let mailbox: Mailbox
    private let multi: CurlMulti
    private let settings: HTTPSettings
    /// By their exchanges.
    private var transfers: [ObjectIdentifier: Transfer] = [:]

    private init(_ context: Context) { (mailbox, multi, settings) = (context.mailbox, context.multi, context.settings) }

    /// The argument of a new thread.
    private final class Context: Sendable {
        let mailbox: Mailbox, multi: CurlMulti, settings: HTTPSettings

        init(_ mailbox: Mailbox, _ multi: CurlMulti, _ settings: HTTPSettings) {
            (self.mailbox, self.multi, self.settings) = (mailbox, multi, settings)
        }
    }

    static func start(_ mailbox: Mailbox, _ multi: CurlMulti, _ settings: HTTPSettings) throws(HTTPFailure) {
        // Retained until the thread takes it, or here if there is no thread.
        let context = Unmanaged.passRetained(Context(mailbox, multi, settings))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                TransferThread(Unmanaged<Context>.fromOpaque(context).takeRetainedValue()).run()
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            throw .unreachable("no thread can be started: \(String(cString: strerror(result)))")
        }
        pthread_detach(thread)
    }

    private func run() {
        // Signals are for other threads; and what libcurl writes to a closed connection must not end the process.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        while mailbox.removeMessages().allSatisfy(handle) {
            multi.proceed { handle, result in
                guard let transfer = transfers.values.first(where: { $0.handle.pointer == handle }) else { return }
                remove(transfer, transfer.handle.end(result, of: transfer.request))
            }
            multi.wait(tendTransfers())
        }
        for transfer in Array(transfers.values) { remove(transfer, .failure(.cancelled)) }
    }

    /// - Returns: false when the thread is to end.
    private func handle(_ message: Mailbox.Message) -> Bool {
        switch message {
        case .start(let exchange, let request): start(exchange, request)
        case .receive(let exchange): transfers[ObjectIdentifier(exchange)]?.continueReceiving()
        case .send(let exchange): transfers[ObjectIdentifier(exchange)]?.continueSending()
        case .remove(let exchange):
            if let transfer = transfers[ObjectIdentifier(exchange)] { remove(transfer, .failure(.cancelled)) }
        case .end: return false
        }
        return true
    }

    private func start(_ exchange: Exchange, _ request: HTTPRequest) {
        do throws(HTTPFailure) {
            let transfer = try Transfer(exchange, request, settings)
            try multi.add(transfer.handle)
            transfers[ObjectIdentifier(exchange)] = transfer
        } catch { exchange.finish(.failure(error)) }
    }

    private func remove(_ transfer: Transfer, _ end: Result<Void, HTTPFailure>) {
        transfers[ObjectIdentifier(transfer.exchange)] = nil
        // First: libcurl may take its time to close a connection.
        transfer.exchange.finish(end)
        multi.remove(transfer.handle)
    }

    /// Tells readers what has arrived, and ends transfers that have been idle for too long.
    ///
    /// - Returns: the milliseconds until there is more to do of either.
    private func tendTransfers() -> Int32 {
        let now = ContinuousClock.now
        var next = now + .seconds(86_400)
        for transfer in Array(transfers.values) {
            if let telling = transfer.tellReader(now) { next = min(next, telling) }
            guard let deadline = transfer.idleDeadline else { continue }
            if deadline <= now { remove(transfer, .failure(.timedOut)) } else { next = min(next, deadline) }
        }
        return Int32((next - now) / .milliseconds(1)) + 1
    }
}
