import Glibc
import SystemPackage

/// Waits for descriptors by poll(2).
enum Polling {
    struct Request {
        let descriptor: Int32
        let events: Int32
    }

    /// - Parameter deadline: nil to wait as long as it takes.
    /// - Returns: the indices of the requests that have something to report; none when the deadline has passed.
    static func wait(for requests: [Request], until deadline: ContinuousClock.Instant? = nil) throws -> [Int] {
        var polled = requests.map { pollfd(fd: $0.descriptor, events: Int16($0.events), revents: 0) }
        while true {
            let count = poll(&polled, nfds_t(polled.count), milliseconds(until: deadline))
            if count > 0 { return polled.indices.filter { polled[$0].revents != 0 } }
            if count == 0, let deadline, ContinuousClock.now >= deadline { return [] }
            if count < 0, errno != EINTR { throw CommandFailure("cannot wait for a change: \(Errno(rawValue: errno))") }
        }
    }

    /// -1 without a deadline; rounded up, so that a short rest is not polled over and over.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = (deadline - .now).components
        let milliseconds = left.seconds.clamped(to: 0...1_000_000) * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1
        return Int32(max(0, milliseconds))
    }
}

extension Int64 {
    fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
