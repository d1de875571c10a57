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

/// Waits until a condition holds, asking every 20 ms; an error counts as "not yet".
///
/// The limit bounds liveness only: it is generous so that a busy machine fails no test.
public func eventually(
    within limit: Duration = .seconds(40), sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    var lastError: String?
    while true {
        do {
            if try await condition() { return }
            lastError = nil
        } catch {
            lastError = String(describing: error)
        }
        guard ContinuousClock.now < deadline else {
            throw NeverCameTrue(limit: limit, sourceLocation: sourceLocation, lastError: lastError)
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}
