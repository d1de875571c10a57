/// Which of the session's threads reads the next request, and how it waits for it.
///
/// To wake a thread on another processor takes 5 to 40 us, which the caller waits for, and is more than most answers take. So one thread
/// listens, for a moment without going to sleep, and answers most requests by itself. While it is busy with one that takes long,
/// another thread listens; and where requests queue although one thread listens, more do. A single caller's requests take half to two thirds
/// of the time that way. Where tasks wait for a processor, the thread would take the caller's own: there it goes to sleep (Mechanisms).
///
/// A value without clock and threads; `RequestListeners` has both.
struct ListenerTurns {
    enum Turn: Equatable {
        case listen(awake: Bool)
        /// Sleep for `watchPeriod` and say so (`tick`).
        case watch
        /// Sleep until woken, then ask for a `turn`.
        case rest
    }

    /// A listener waits awake for at most this long, and only if it waited less than this for the request before:
    /// programs ask again after 2 to 30 us.
    static let longestAwake = Duration.microseconds(50)
    /// How often the watching thread looks whether the listener is still busy with one request. Another request waits
    /// for up to two of them meanwhile.
    static let watchPeriod = Duration.milliseconds(1)
    private static let idlePeriods = 10
    /// The pressure at which one more thread listens. A request behind which another waits adds eight to it, any other takes one away:
    /// even the requests of one caller queue sometimes, since it does not wait for the release of a file that it closed.
    private static let crowd = 32
    /// How long several threads listen after that.
    private static let crowdTime = Duration.milliseconds(20)

    /// Whether there is a processor left for the caller while a listener is awake.
    private let mayStayAwake: Bool
    private let most: Int
    private var listening = 0
    private var wanted = 1
    private var crowdEnd: ContinuousClock.Instant?
    private var pressure = 0
    private var isAwake = false
    private var isBusy = false
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
    mutating func turn(now: ContinuousClock.Instant) -> Turn {
        if let end = crowdEnd, now >= end { (wanted, crowdEnd) = (1, nil) }
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

    /// Whether tasks of this machine wait for a processor.
    mutating func machine(isBusy: Bool) { self.isBusy = isBusy }

    /// The next turn of the thread that watched.
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
        // Two listen from now on: when one of them answers, the other one listens.
        isWatched = false
        isAwake = false
        return listen()
    }

    /// A listener has something to answer.
    ///
    /// - Parameters:
    ///   - waited: how long it listened.
    ///   - leavesMore: whether another request, whose caller waits, is in the queue already.
    /// - Returns: whether a resting thread must be woken.
    mutating func receive(waited: Duration, leavesMore: Bool, now: ContinuousClock.Instant) -> Bool {
        listening -= 1
        received += 1
        isAwake = waited < Self.longestAwake
        let isCrowded = addPressure(leavesMore, now)
        guard resting > 0, listening == 0, isCrowded || !isWatched else { return false }
        resting -= 1
        return true
    }

    /// A listener got no request and may stop listening, perhaps because the session ends.
    ///
    /// - Returns: whether a resting thread must be woken.
    mutating func stopListening() -> Bool {
        listening -= 1
        guard resting > 0, listening == 0, !isWatched else { return false }
        resting -= 1
        return true
    }

    private mutating func listen() -> Turn {
        listening += 1
        return .listen(awake: mayStayAwake && isAwake && !isBusy && wanted == 1)
    }

    /// - Returns: whether one more thread is to listen from now on.
    private mutating func addPressure(_ leavesMore: Bool, _ now: ContinuousClock.Instant) -> Bool {
        pressure = leavesMore ? pressure + 8 : max(pressure - 1, 0)
        guard pressure >= Self.crowd else { return false }
        pressure = 0
        wanted = min(wanted + 1, most)
        crowdEnd = now + Self.crowdTime
        return true
    }
}
