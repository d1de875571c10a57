import Documents

/// Time and chance, passed in so that tests can choose them.
public struct Surroundings: Sendable {
    public var now: @Sendable () -> Timestamp
    /// A moment as the clock on the wall shows it.
    public var localTime: @Sendable (Timestamp) -> LocalTime
    public var random: @Sendable () -> any RandomNumberGenerator
    /// For pauses and timeouts: a clock that nobody sets.
    public var instant: @Sendable () -> ContinuousClock.Instant = { .now }
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Seconds that the disk may take to write down its cache when the store is closed; after them it is left as if it had not been
    /// closed. An unmount takes 5 at most, 3 of which a step of the synchronization may need.
    public var diskPatience = 1
    /// Whether what the files tell of, too, may be committed to the catalog a moment later.
    public var defersCommits = true
    /// To tell which of them saves what.
    public var processes = Processes.system
    /// Whether files that are open for writing are so for somebody else than docfs: not where the devices of a test,
    /// those that crashed included, are one process.
    public var asksForLeases = true
    /// A folder's time of modification, from the one that its file system gives it: a simulation has a clock of its own.
    public var folderTime: @Sendable (Timestamp) -> Timestamp = { $0 }

    public init(
        now: @escaping @Sendable () -> Timestamp, localTime: @escaping @Sendable (Timestamp) -> LocalTime,
        random: @escaping @Sendable () -> any RandomNumberGenerator
    ) {
        self.now = now
        self.localTime = localTime
        self.random = random
    }
}
