import Library
/// How often the log is asked for something new: quickly while anybody does anything, ever more rarely
/// while nobody does.
enum PollPace {
    /// After the last change or look for this long nothing is missed for more than an instant.
    static let attention = Duration.seconds(30)
    static let longestPause = Duration.seconds(30)
    private static let longestPauseAfterFailure = Duration.seconds(5)

    /// - Parameters:
    ///   - quickest: the pause while something is going on.
    ///   - idle: how long it is since anything changed here or elsewhere, or somebody looked.
    ///   - failures: of the last tries, one after the other.
    static func pause(quickest: Duration, idle: Duration, failures: Int) -> Duration {
        if failures > 0 { return min(longestPauseAfterFailure, quickest * (1 << min(failures, 8))) }
        guard idle > attention else { return quickest }
        return min(longestPause, quickest + (idle - attention) / 4)
    }
}
