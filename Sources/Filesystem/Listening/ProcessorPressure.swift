import Glibc

/// Whether tasks of this machine wait for a processor, as the kernel adds it up (pressure stall information, since Linux 4.20).
struct ProcessorPressure {
    /// In nanoseconds. Between two looks, each of which takes about 10 us.
    static let pause: Int64 = 50_000_000
    /// The part of the time in which some task waited, from which on the machine is busy. One caller and the thread that answers it leave it
    /// below a tenth on two processors; one program more that computes makes it a half.
    static let busyShare = 0.25

    private var last: (time: Int64, waited: Int64)?
    private var next: Int64 = .min

    /// Whether it is time to look. Who is told so looks, and says what it found.
    ///
    /// - Parameter now: nanoseconds of a clock that never goes back.
    mutating func isDue(now: Int64) -> Bool {
        guard now >= next else { return false }
        next = now + Self.pause
        return true
    }

    /// - Parameters:
    ///   - waited: how long some task has waited since the machine was started, in microseconds; nil where the kernel does not tell. If it never
    ///     did, it is not asked again.
    ///   - now: when that was found.
    /// - Returns: nil if that is not known anew.
    mutating func isBusy(waited: Int64?, now: Int64) -> Bool? {
        guard let waited else {
            if last == nil { next = .max }
            return nil
        }
        defer { last = (now, waited) }
        guard let last, now > last.time else { return nil }
        return Double(waited - last.waited) * 1000 / Double(now - last.time) >= Self.busyShare
    }

    /// Of `/proc/pressure/cpu`: `some avg10=0.00 avg60=0.00 avg300=0.00 total=123`. Has cancellation points: call it without a lock.
    static func waited() -> Int64? {
        let file = open("/proc/pressure/cpu", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count > 0 ? total(String(decoding: bytes.prefix(count), as: UTF8.self)) : nil
    }

    static func total(_ text: String) -> Int64? {
        guard let line = text.split(separator: "\n").first, line.hasPrefix("some "),
            let total = line.split(separator: " ").last, total.hasPrefix("total=")
        else { return nil }
        return Int64(total.dropFirst(6))
    }
}
