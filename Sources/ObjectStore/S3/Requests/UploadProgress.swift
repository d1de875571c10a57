import Synchronization

/// Counts the bytes of a file that were handed over for sending. Bytes that a second try sends again count once. After the
/// transfer was abandoned, nothing is reported any more.
final class UploadProgress: Sendable {
    private struct State {
        var isAbandoned = false
        /// How far each slice has come, by its offset in the file.
        var reached: [Int64: Int64] = [:]
    }

    private let state = Mutex(State())
    private let report: @Sendable (Int64) -> Bool

    init(_ report: @escaping @Sendable (Int64) -> Bool) { self.report = report }

    /// - Returns: false when the transfer is not wanted any more.
    func reach(_ end: Int64, ofSliceAt start: Int64) -> Bool {
        let more: Int64? = state.withLock { state in
            if state.isAbandoned { return nil }
            let before = state.reached[start] ?? start
            state.reached[start] = max(before, end)
            return max(0, end - before)
        }
        guard let more else { return false }
        if more == 0 || report(more) { return true }
        state.withLock { $0.isAbandoned = true }
        return false
    }
}
