import Replication
import Synchronization

/// `docfs check`: a person asks for the cloud to be looked through, and waits for what was found.
public final class CloudCheckup: Sendable {
    public enum Stage: Sendable, Equatable {
        case none
        case asked(repairs: Bool)
        /// Percent.
        case running(Int)
        case done(CheckupReport)
        case failed(String)
    }

    private let stage = Mutex(Stage.none)
    private let wake: @Sendable () -> Void

    /// - Parameter wake: called when somebody asks.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// - Returns: false while another one is under way.
    public func ask(repairs: Bool) -> Bool {
        let isAccepted = stage.withLock { stage in
            switch stage {
            case .asked, .running: return false
            case .none, .done, .failed:
                stage = .asked(repairs: repairs)
                return true
            }
        }
        wake()
        return isAccepted
    }

    public var current: Stage { stage.withLock { $0 } }

    /// - Returns: whether to repair; nil when nobody asked.
    package func begin() -> Bool? {
        stage.withLock { stage in
            guard case .asked(let repairs) = stage else { return nil }
            stage = .running(0)
            return repairs
        }
    }

    package func note(progress percent: Int) {
        stage.withLock { stage in if case .running = stage { stage = .running(percent) } }
    }

    package func end(_ end: Stage) { stage.withLock { $0 = end } }
}

/// What was found, and done.
public struct CheckupReport: Sendable, Equatable {
    /// Why the container was not whole, in one line; nil when it was.
    public var fault: String?
    /// Whether it is whole now.
    public var isWhole = true
    /// Documents whose content was looked for.
    public var checked = 0
    /// Contents that were missing and have been sent again from here.
    public var sent = 0
    /// Documents of which a content is missing in the cloud still, by name.
    public var missing: [String] = []

    /// Of documents that are named; the others are counted.
    private static let mostNames = 100

    public init() {}

    /// One finding a line, for a person.
    public var lines: [String] {
        var lines: [String] = []
        if let fault { lines.append(isWhole ? "repaired: \(Self.finding(fault))" : fault) }
        if sent > 0 { lines.append("sent again: \(sent) missing \(sent == 1 ? "content" : "contents")") }
        for name in missing.prefix(Self.mostNames) {
            lines.append(
                "missing: the content of \(name); `docfs check --repair` on a device that has it sends it again")
        }
        if missing.count > Self.mostNames { lines.append("missing: \(missing.count - Self.mostNames) more") }
        if isGood { lines.append("ok: \(checked) \(checked == 1 ? "document" : "documents") in the cloud") }
        return lines
    }

    public var isGood: Bool { isWhole && missing.isEmpty }

    /// What was found, without what to do about it.
    private static func finding(_ fault: String) -> String { String(fault.prefix { $0 != ";" }) }
}
