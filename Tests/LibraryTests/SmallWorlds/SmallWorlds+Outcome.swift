import CloudSynchronization
import Testing

extension SmallWorlds {
    enum Job: Sendable {
        case small(Int, SmallWorld)
        case chance(UInt64)

        var name: String {
            switch self {
            case .small(let number, _): "\(number)"
            case .chance(let seed): "r\(seed)"
            }
        }

        /// In every other world each change goes in a commit of its own.
        var commitLimit: CommitLimit {
            let number =
                switch self {
                case .small(let number, _): UInt64(number)
                case .chance(let seed): seed
                }
            return number.isMultiple(of: 2) ? CommitLimit(entries: 1) : .usual
        }
    }

    struct Outcome: Sendable {
        let name: String
        let fault: Fault?
        let script: [String]
        let acts: Int
        let refusals: Int
        let skips: Int

        /// The world as a shell script.
        var report: String {
            let reason = fault.map { "\($0.kind): \($0.detail)" } ?? "nothing is wrong"
            return (["# \(reason)", "# DOCFS_SMALL_WORLD=\(name)"] + script).joined(separator: "\n")
        }
    }

    /// What is wrong in a world.
    struct Fault: Error {
        let kind: String
        let detail: String

        init(_ kind: String, _ detail: String) {
            self.kind = kind
            self.detail = detail
        }

        static let lost = "a text is nowhere"
        static let hidden = "a text is in the container only, where no command reaches it"
        static let names = "the names are others"
        static let refused = "refused without a reason"
        static let allowed = "allowed, and should be refused"
        static let changed = "refused, and something has changed"
        static let undo = "undo or redo did something else"
        static let unreadable = "a listed name cannot be read"
        static let divided = "the devices differ"
        static let check = "what the check compares"
        static let size = "stat tells another size"
    }

    /// What happened in a world, as lines of a shell script.
    final class Journal {
        var script: [String] = []
        var fault: Fault?
        var acts = 0
        var refusals = 0
        var skips = 0
    }
}
