import Testing

/// Thrown when a condition that had to come true did not.
public struct NeverCameTrue: Error, CustomStringConvertible {
    public let limit: Duration
    public let sourceLocation: SourceLocation
    public let lastError: String?

    public var description: String {
        let reason = lastError.map { "; it failed last with: \($0)" } ?? ""
        return "not within \(limit) what line \(sourceLocation.line) of "
            + "\(sourceLocation.fileName) waits for\(reason)"
    }
}

/// The bound of everything that must happen at some time. It says nothing of how quickly: only a fault makes a test wait so long.
public let livenessBound = Duration.seconds(120)

/// Waits until a condition holds, asking every 20 ms; an error counts as "not yet".
///
/// Time in which this machine was too busy to wake the test does not count, and of a question that is held up for long no more than a second:
/// one that is never answered ends with the mounts (`withMountedDevices`). So a condition must be one that stays true when it has come true: one
/// that may pass unseen is to be held (`HeldServer`), or waited for by an event.
///
/// - Parameter limit: other than `livenessBound` only where the contract itself says how long something takes.
public func eventually(
    within limit: Duration = livenessBound, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let pause = Duration.milliseconds(20)
    // What the contract bounds is counted in full.
    let longestQuestion = limit == livenessBound ? Duration.seconds(1) : limit
    var counted = Duration.zero
    var lastError: String?
    while true {
        let asked = ContinuousClock.now
        do {
            if try await condition() { return }
            lastError = nil
        } catch {
            lastError = String(describing: error)
        }
        counted += min(ContinuousClock.now - asked, longestQuestion) + pause
        guard counted < limit else {
            throw NeverCameTrue(limit: limit, sourceLocation: sourceLocation, lastError: lastError)
        }
        try await Task.sleep(for: pause)
    }
}
