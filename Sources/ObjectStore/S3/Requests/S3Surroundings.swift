import Documents
import Glibc

/// The clock, random numbers and sleep that the store uses.
public struct S3Surroundings: Sendable {
    /// The time of day, with which requests are signed.
    public let now: @Sendable () -> Timestamp
    /// 64 random bits at each call.
    public let random: @Sendable () -> UInt64
    /// The pause between two tries. Throws when the task is cancelled.
    public let sleep: @Sendable (Duration) async throws(CancellationError) -> Void

    public init(
        now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> UInt64,
        sleep: @escaping @Sendable (Duration) async throws(CancellationError) -> Void
    ) {
        self.now = now
        self.random = random
        self.sleep = sleep
    }

    /// The machine's own.
    public static let system = S3Surroundings(
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Timestamp(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
        },
        random: { UInt64.random(in: 0...UInt64.max) },
        sleep: { duration throws(CancellationError) in
            do { try await Task.sleep(for: duration) } catch { throw CancellationError() }
        })

    /// 0 to 1.
    var jitter: Double { Double(random() >> 11) / Double(1 << 53) }
}
