import Documents

/// Time, randomness and properties of the machine, passed in so that tests can choose them.
public struct Surroundings: Sendable {
    /// The time of day, which people and programs may set. For times that are stored.
    public var now: @Sendable () -> Timestamp
    /// A time in the local time zone.
    public var localTime: @Sendable (Timestamp) -> LocalTime
    /// Makes a generator. A test passes one that repeats.
    public var random: @Sendable () -> any RandomNumberGenerator
    /// For pauses and timeouts: a clock that is never adjusted.
    public var instant: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Waits; throws when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Seconds that the disk may take to write its cache when the store is closed. If it takes longer, the store is not marked as closed. An
    /// unmount takes 5 seconds at most, of which a round of the synchronization may need 3.
    public var diskPatience = 1
    /// Whether a row that can be rebuilt from its file may be committed a moment later (`Durability.soon`).
    public var defersCommits = true
    /// Finds the process of a thread, and the process that started a process. By these docfs groups actions, and recognizes the files that
    /// one program saves.
    public var processes = Processes.system
    /// Whether leases show that a program has a file open for writing. Not in tests whose devices, including crashed ones, are one process:
    /// there docfs's own descriptors would count.
    public var asksForLeases = true
    /// A folder's modification time, from the one in its file system. A simulation has a clock of its own.
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
