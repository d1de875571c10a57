/// How often the log is polled: quickly while people change documents or look at them, ever more rarely while they do not.
enum PollPace {
    /// For this long after the last change or look, the pause stays the quickest one.
    static let attention = Duration.seconds(30)
    static let longestPause = Duration.seconds(30)
    private static let longestPauseAfterFailure = Duration.seconds(5)

    /// - Parameters:
    ///   - quickest: the pause while documents are in use.
    ///   - idle: the time since a document was last changed on any device, or a person looked for changes.
    ///   - failures: the number of attempts in a row that failed.
    static func pause(quickest: Duration, idle: Duration, failures: Int) -> Duration {
        if failures > 0 { return min(longestPauseAfterFailure, quickest * (1 << min(failures, 8))) }
        guard idle > attention else { return quickest }
        return min(longestPause, quickest + (idle - attention) / 4)
    }
}
