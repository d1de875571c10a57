/// A run of changes of names that follow each other closely, as `cp -r`, `tar` and `rm -r` make them.
///
/// While it lasts, sending waits: what that does with the catalog, the disk and the processors would hold the program up. A run that takes longer
/// than a few seconds gives way in turns.
struct Rush {
    /// The longest time between two changes of a run.
    static let gap = Duration.milliseconds(100)
    /// Fewer changes, or slower ones, are no rush.
    static let fewest = 32
    static let slowest = Duration.milliseconds(5)
    /// How long sending waits, and for how long it then has its turn before it waits again.
    static let patience = Duration.seconds(3)
    static let turn = Duration.seconds(1)

    private var start: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?
    private var count = 0

    /// A program has changed a name.
    mutating func note(at now: ContinuousClock.Instant) {
        if last.map({ now - $0 > Self.gap }) ?? true { (start, count) = (now, 0) }
        last = now
        count += 1
    }

    /// - Returns: how long it is at least until sending has its turn; nil if it has.
    func rest(at now: ContinuousClock.Instant) -> Duration? {
        guard let start, let last, count >= Self.fewest, last - start <= Self.slowest * count, now - last < Self.gap
        else {
            return nil
        }
        let cycle = Self.patience + Self.turn
        let passed = (now - start) - cycle * Int((now - start) / cycle)
        return passed < Self.patience ? min(Self.patience - passed, Self.gap - (now - last)) : nil
    }
}
