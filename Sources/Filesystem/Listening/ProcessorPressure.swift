import Glibc

/// Whether tasks of this machine wait for a processor, as the kernel adds it up (pressure stall information, since Linux 4.20).
struct ProcessorPressure {
    /// Between two looks, each of which takes about 10 us.
    static let pause = Duration.milliseconds(50)
    /// The part of the time in which some task waited, from which on the machine is busy. One caller and the thread that answers it leave it
    /// below a tenth on two processors; one program more that computes makes it a half.
    static let busyShare = 0.25

    private var last: (time: ContinuousClock.Instant, waited: Duration)?
    /// Of the next look; nil before the first.
    private var next: ContinuousClock.Instant?
    private var isTold = true

    /// Whether it is time to look. Who is told so looks, and says what it found.
    mutating func isDue(now: ContinuousClock.Instant) -> Bool {
        guard isTold, next.map({ now >= $0 }) ?? true else { return false }
        next = now + Self.pause
        return true
    }

    /// - Parameters:
    ///   - waited: how long some task has waited since the machine was started; nil where the kernel does not tell. If it never
    ///     did, it is not asked again.
    ///   - now: when that was found.
    /// - Returns: nil if that is not known anew.
    mutating func isBusy(waited: Duration?, now: ContinuousClock.Instant) -> Bool? {
        guard let waited else {
            if last == nil { isTold = false }
            return nil
        }
        defer { last = (now, waited) }
        guard let last, now > last.time else { return nil }
        return (waited - last.waited) / (now - last.time) >= Self.busyShare
    }

    /// Of `/proc/pressure/cpu`: `some avg10=0.00 avg60=0.00 avg300=0.00 total=123`, which are microseconds. Has cancellation points: call it without a lock.
    static func waited() -> Duration? {
        let file = open("/proc/pressure/cpu", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count > 0 ? total(String(decoding: bytes.prefix(count), as: UTF8.self)) : nil
    }

    static func total(_ text: String) -> Duration? {
        guard let line = text.split(separator: "\n").first, line.hasPrefix("some "),
            let total = line.split(separator: " ").last, total.hasPrefix("total=")
        else { return nil }
        return Int64(total.dropFirst(6)).map { .microseconds($0) }
    }
}
