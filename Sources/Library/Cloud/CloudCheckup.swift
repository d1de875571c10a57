import Documents
import Replication
import Synchronization

/// `docfs check` and `docfs key`: a person requests a check of the store and of the container, or that a new key is taken, and waits for the report.
/// Synchronization does it.
public final class CloudCheckup: Sendable {
    /// What a person requests.
    public enum Request: String, Sendable, Equatable {
        case check
        case repair
        /// That the keys are followed that another process has kept (the page Secrecy, "A new key").
        case newKey = "new-key"
    }

    /// How far the check is that was requested last. The result stays until the next request.
    public enum Stage: Sendable, Equatable {
        /// No check was requested since the mount began.
        case none
        /// Synchronization has not begun it yet.
        case requested(Request)
        /// It is under way.
        case running(CheckupProgress?)
        /// The check has ended. Its findings, if any, are in the report.
        case done(CheckupReport)
        /// The container has the key that was offered, and this device all keys of the container.
        case keyTaken
        /// The check could not be made. The reason is for a person.
        case failed(String)
    }

    private struct State: Sendable {
        var stage = Stage.none
        /// What the last check that could be made left to repair.
        var findings = 0
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void
    private let ended: @Sendable () -> Void

    /// - Parameters:
    ///   - wake: called for each request. Wakes synchronization.
    ///   - ended: called when the result of a check is there.
    init(wake: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void) {
        self.wake = wake
        self.ended = ended
    }

    /// - Returns: false while another check is under way.
    public func request(_ request: Request) -> Bool {
        let isAccepted = state.withLock { state in
            switch state.stage {
            case .requested, .running: return false
            case .none, .done, .keyTaken, .failed:
                state.stage = .requested(request)
                return true
            }
        }
        wake()
        return isAccepted
    }

    /// The stage now. Any thread may read it.
    public var current: Stage { state.withLock { $0.stage } }

    /// How much the last check that could be made left to repair; nil if there is nothing, or none was made.
    var findings: Int? { state.withLock { $0.findings > 0 ? $0.findings : nil } }

    /// - Returns: what was requested; nil for nothing.
    package func begin() -> Request? {
        state.withLock { state in
            guard case .requested(let request) = state.stage else { return nil }
            state.stage = .running(request == .newKey ? nil : CheckupProgress(.store, done: 0, of: 100))
            return request
        }
    }

    /// Says how far a running check is; has no effect if none is running.
    package func report(_ progress: CheckupProgress) {
        state.withLock { state in if case .running = state.stage { state.stage = .running(progress) } }
    }

    /// Ends the check that is running.
    ///
    /// - Parameter end: `done`, `keyTaken` or `failed`.
    package func end(_ end: Stage) {
        state.withLock { state in
            state.stage = end
            if case .done(let report) = end { state.findings = report.remaining }
        }
        ended()
    }
}

/// The findings of a check, and the repairs.
public struct CheckupReport: Sendable, Equatable {
    /// The findings in the store.
    public var store = StoreReport()
    /// Why the container was not whole, in one line; nil if it was.
    public var fault: String?
    /// Whether it is whole now.
    public var isWhole = true
    /// Whether the container could be looked through. If not, `fault` says why.
    public var isChecked = true
    /// The number of documents whose content was looked for.
    public var checked = 0
    /// The number of missing contents that this device sent again.
    public var sent = 0
    /// The names of documents of which a content is still missing in the cloud.
    public var missing: [String] = []

    /// The end of the log of an encrypted container that is whole.
    public var newest: NewestEntry?

    /// The most documents that are named; of the others the number is told.
    private static let mostNames = 100

    /// The report of a check that found nothing.
    public init() {}

    /// One finding a line, for a person.
    public var lines: [String] {
        var lines = store.lines
        if let fault { lines.append(isWhole ? "repaired: \(Self.finding(fault))" : fault) }
        if sent > 0 { lines.append("sent again: \(sent) missing \(sent == 1 ? "content" : "contents")") }
        for name in missing.prefix(Self.mostNames) {
            lines.append(
                "missing: the content of \(name); `docfs check --repair` on a device that has it sends it again")
        }
        if missing.count > Self.mostNames { lines.append("missing: \(missing.count - Self.mostNames) more") }
        if isWhole, missing.isEmpty {
            lines.append("ok: \(checked) \(checked == 1 ? "document" : "documents") in the cloud")
        }
        if let newest {
            lines.append(
                "code: \(newest.code) (entry \(newest.number), \(newest.time.iso8601), by \(newest.deviceName)); "
                    + "a device that says other words for entry \(newest.number) is shown another cloud")
        }
        return lines
    }

    /// Whether store and container are whole and no content is missing. `docfs check` exits with 0 then.
    public var isGood: Bool { store.isGood && isWhole && missing.isEmpty }

    /// The number of findings that are left to repair.
    var remaining: Int { store.remaining.count + (isWhole || !isChecked ? 0 : 1) + missing.count }

    /// The finding without the advice that follows it.
    private static func finding(_ fault: String) -> String { String(fault.prefix { $0 != ";" }) }
}
