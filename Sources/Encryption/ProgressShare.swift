import Synchronization

/// Tells progress in bytes of the content where bytes of the sealed object are counted, and comes to the whole content in the end.
final class ProgressShare: Sendable {
    private let whole: Int64
    private let sealed: Int64
    private let done = Mutex<Int64>(0)

    init(of whole: Int64, in sealed: Int64) {
        self.whole = whole
        self.sealed = sealed
    }

    /// - Parameter count: more bytes of the sealed object.
    /// - Returns: more bytes of the content.
    func next(_ count: Int64) -> Int64 {
        done.withLock { done in
            let before = share(done)
            done += count
            return share(done) - before
        }
    }

    /// Bytes of the content that were told.
    var told: Int64 { done.withLock { share($0) } }

    private func share(_ done: Int64) -> Int64 {
        sealed > 0 ? Int64(Double(whole) * (Double(min(done, sealed)) / Double(sealed))) : 0
    }
}
