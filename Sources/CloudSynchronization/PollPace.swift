/// How often the log is polled: quickly while people change documents or look at them, ever more rarely while they do not.
struct PollPace {
    /// For this long after the last change or look, the pause stays the quickest one.
    static let attention = Duration.seconds(30)
    static let longestPause = Duration.seconds(30)
    private static let longestPauseAfterFailure = Duration.seconds(5)

    /// Attempts in a row that failed.
    private(set) var failures = 0

    /// An attempt to read the log has ended.
    mutating func attempted(succeeded: Bool) { failures = succeeded ? 0 : failures + 1 }

    /// - Parameters:
    ///   - quickest: the pause while documents are in use.
    ///   - idle: the time since a document was last changed on any device, or a person looked for changes.
    func pause(quickest: Duration, idle: Duration) -> Duration {
        if failures > 0 { return min(Self.longestPauseAfterFailure, quickest * (1 << min(failures, 8))) }
        guard idle > Self.attention else { return quickest }
        return min(Self.longestPause, quickest + (idle - Self.attention) / 4)
    }
}
