import Documents
import Synchronization

/// The time of a world. It passes only when the world says so; sleepers are woken in the order of their
/// times.
final class SimulatedClock: Sendable {
    private struct Sleeper {
        let number: Int
        let life: Int
        let due: Duration
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var elapsed = Duration.zero
        /// Of two readings of the wall clock none is the same.
        var readings: Int64 = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var lastSleeper = 0
    }

    private static let start: Int64 = 1_795_000_000_000_000_000
    private let origin = ContinuousClock.now
    private let state = Mutex(State())

    var instant: ContinuousClock.Instant { origin + state.withLock(\.elapsed) }

    /// The time on a clock that is wrong by so many nanoseconds.
    func wallTime(skew: Int64) -> Timestamp {
        state.withLock { state in
            state.readings += 1
            let (seconds, attoseconds) = state.elapsed.components
            return Timestamp(
                nanoseconds: Self.start + skew + seconds * 1_000_000_000 + attoseconds / 1_000_000_000 + state.readings)
        }
    }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.elapsed += duration
            let due = state.sleepers.filter { $0.due <= state.elapsed }.sorted {
                ($0.due, $0.number) < ($1.due, $1.number)
            }
            state.sleepers.removeAll { $0.due <= state.elapsed }
            return due
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// - Parameter life: of the device that sleeps.
    func sleep(_ duration: Duration, life: Int) async {
        let number = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return true }
                    state.sleepers.append(
                        Sleeper(number: number, life: life, due: state.elapsed + duration, continuation: continuation))
                    return false
                }
                if isCancelled { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume()
        }
    }

    /// Ends all sleep of a device's life.
    func wake(life: Int) {
        let woken = state.withLock { state in
            defer { state.sleepers.removeAll { $0.life == life } }
            return state.sleepers.filter { $0.life == life }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Sleepers of a life that has ended never wake by themselves.
    func bury(life: Int) {
        state.withLock { state in
            state.sleepers = state.sleepers.map { sleeper in
                guard sleeper.life == life else { return sleeper }
                return Sleeper(
                    number: sleeper.number, life: life, due: .seconds(1 << 40), continuation: sleeper.continuation)
            }
        }
    }
}
