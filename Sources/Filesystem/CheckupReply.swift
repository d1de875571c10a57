import Library

/// The value of the attribute `user.docfs.check`: a word, and lines after it.
public enum CheckupReply: Equatable, Sendable {
    /// No check was requested since the mount began.
    case idle
    /// It is under way. Nil before it has begun.
    case running(CheckupProgress?)
    /// Everything is whole now. The lines of the report are for a person.
    case good([String])
    /// Something is not whole.
    case bad([String])
    /// It could not be looked through, and why.
    case failed(String)

    init(_ stage: CloudCheckup.Stage) {
        self =
            switch stage {
            case .none: .idle
            case .requested: .running(nil)
            case .running(let progress): .running(progress)
            case .done(let report): report.isGood ? .good(Self.lines(report)) : .bad(Self.lines(report))
            case .keyTaken: .good([])
            case .failed(let reason): .failed(reason)
            }
    }

    /// One finding a line, also of a document or a device whose name has a line feed.
    private static func lines(_ report: CheckupReport) -> [String] {
        report.lines.map { $0.replacing("\n", with: " ") }
    }

    var text: String {
        switch self {
        case .idle: "idle"
        case .running(let progress): (["running"] + (progress.map { [$0.text] } ?? [])).joined(separator: "\n")
        case .good(let lines): (["good"] + lines).joined(separator: "\n")
        case .bad(let lines): (["bad"] + lines).joined(separator: "\n")
        case .failed(let reason): "failed\n\(reason)"
        }
    }

    /// Reads the value of the attribute.
    ///
    /// - Returns: nil for a text that no daemon writes.
    public init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let rest = Array(lines.dropFirst())
        switch lines[0] {
        case "idle": self = .idle
        case "running": self = .running(rest.first.flatMap { CheckupProgress($0) })
        case "good": self = .good(rest)
        case "bad": self = .bad(rest)
        case "failed": self = .failed(rest.joined(separator: " "))
        default: return nil
        }
    }
}
