import Synchronization

/// Ends a transfer that has stalled.
final class StallWatch: Sendable {
    private struct State {
        var lastArrival: ContinuousClock.Instant
        var limit: Duration
        var hasStalled = false
    }

    private let state: Mutex<State>

    /// - Parameter limit: how long the first byte may take.
    init(limit: Duration, at now: ContinuousClock.Instant = .now) {
        state = Mutex(State(lastArrival: now, limit: limit))
    }

    /// Whether the transfer was ended because nothing came.
    var hasStalled: Bool { state.withLock { $0.hasStalled } }

    /// Bytes have arrived; the next ones may take as long as `limit`.
    func arrived(nextWithin limit: Duration, at now: ContinuousClock.Instant = .now) {
        state.withLock { $0 = State(lastArrival: now, limit: limit, hasStalled: $0.hasStalled) }
    }

    /// How long the next byte may still take. When that is no time at all, the transfer has stalled, whatever comes.
    func rest(at now: ContinuousClock.Instant) -> Duration {
        state.withLock { state in
            let rest = max(.zero, state.limit - (now - state.lastArrival))
            if rest == .zero { state.hasStalled = true }
            return rest
        }
    }

    /// Runs `transfer`, and cancels it when nothing comes.
    ///
    /// - Returns: the result of `transfer`, cancelled or not.
    func run<Value: Sendable>(_ transfer: @escaping @Sendable () async -> Value) async -> Value {
        let running = Task { await transfer() }
        let watching = Task {
            await self.waitForStall()
            running.cancel()
        }
        defer { watching.cancel() }
        return await withTaskCancellationHandler {
            await running.value
        } onCancel: {
            running.cancel()
        }
    }

    private func waitForStall() async {
        while !Task.isCancelled {
            let rest = rest(at: .now)
            if rest == .zero { return }
            // It throws only when the transfer has ended first.
            try? await Task.sleep(for: rest)
        }
    }
}
