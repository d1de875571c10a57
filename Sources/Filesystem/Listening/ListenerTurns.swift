/// Which of the session's threads takes the next request, and how it waits for it.
///
/// Waking a thread on another processor costs who asks 5 to 40 us, more than most answers take. So one thread
/// listens, for a moment awake, and answers most of what there is by itself. Beside what takes long another
/// one listens; and where requests wait although one listens, more do.
struct ListenerTurns {
    enum Turn: Equatable {
        case listen(awake: Bool)
        /// Sleep for `watchPeriod` and say so (`tick`).
        case watch
        /// Sleep until woken, then ask for a `turn`.
        case rest
    }

    /// How long a listener waits awake at most, and for how long requests may be apart for it to do so, in nanoseconds.
    /// Programs ask again after 2 to 30 us.
    static let longestAwake: Int64 = 50_000
    /// Of who watches over a request that is being answered, in nanoseconds. What is asked beside it waits
    /// for up to two of them.
    static let watchPeriod: Int64 = 1_000_000
    private static let idlePeriods = 10
    /// The pressure at which one more listens. A request behind which another waits adds eight, any other takes one away:
    /// even one caller's requests come upon each other sometimes, since nobody waits for the release of a closed file.
    private static let crowd = 32
    /// How long several threads listen after that, in nanoseconds.
    private static let crowdTime: Int64 = 20_000_000

    /// Whether there is a processor for who asks while a listener is awake.
    private let mayStayAwake: Bool
    private let most: Int
    private var listening = 0
    private var wanted = 1
    private var crowdEnd: Int64 = 0
    private var pressure = 0
    private var isAwake = false
    private var resting = 0
    private var isWatched = false
    private var received = 0
    private var receivedBefore = 0
    private var idle = 0

    /// - Parameter most: threads that listen at once, in a crowd.
    init(processors: Int, most: Int) {
        mayStayAwake = processors > 1
        self.most = most
    }

    /// The turn of a thread that has nothing to answer.
    ///
    /// - Parameter now: nanoseconds of a clock that never goes back.
    mutating func turn(now: Int64) -> Turn {
        if now >= crowdEnd { wanted = 1 }
        if listening < wanted { return listen() }
        if !isWatched {
            isWatched = true
            idle = 0
            receivedBefore = received
            return .watch
        }
        resting += 1
        return .rest
    }

    /// The next turn of who watched.
    mutating func tick() -> Turn {
        let isQuiet = received == receivedBefore
        receivedBefore = received
        if isQuiet, listening == 0 {
            // One request has taken all the time.
            isWatched = false
            return listen()
        }
        idle = isQuiet ? idle + 1 : 0
        guard idle == Self.idlePeriods else { return .watch }
        // Whichever is asked next, the other one listens meanwhile.
        isWatched = false
        isAwake = false
        return listen()
    }

    /// A listener has something to answer.
    ///
    /// - Parameters:
    ///   - waited: how long it listened, in nanoseconds.
    ///   - leavesMore: whether who asked something else is already waiting, too.
    /// - Returns: whether a resting thread must be woken.
    mutating func receive(waited: Int64, leavesMore: Bool, now: Int64) -> Bool {
        listening -= 1
        received += 1
        isAwake = waited < Self.longestAwake
        let isCrowded = notePressure(leavesMore, now)
        guard resting > 0, listening == 0, isCrowded || !isWatched else { return false }
        resting -= 1
        return true
    }

    /// A listener has got nothing.
    mutating func stopListening() { listening -= 1 }

    private mutating func listen() -> Turn {
        listening += 1
        return .listen(awake: mayStayAwake && isAwake && wanted == 1)
    }

    /// Whether one more is to listen from now on.
    private mutating func notePressure(_ leavesMore: Bool, _ now: Int64) -> Bool {
        pressure = leavesMore ? pressure + 8 : max(pressure - 1, 0)
        guard pressure >= Self.crowd else { return false }
        pressure = 0
        wanted = min(wanted + 1, most)
        crowdEnd = now + Self.crowdTime
        return true
    }
}
