import Glibc
import MountSupport
import SystemPackage

/// The mount and a plain folder, in which the same is done step by step.
final class SideBySide {
    struct Difference: Error, CustomStringConvertible {
        let subject: String
        let mount: String
        let plain: String

        var description: String { "\(subject)\n  mount: \(mount)\n  plain: \(plain)" }
    }

    let documentsFolder: TreePath
    let name: String
    let showsDisplayNames: Bool
    var container: String
    let mount: Session
    let plain: Session
    let ledger = Ledger()
    var listing: ListingUnderWay?

    /// Makes an empty folder called `name` on both sides.
    init(_ name: String, in documentsFolder: TreePath, container: String, plain: TreePath, showsDisplayNames: Bool)
        throws
    {
        self.documentsFolder = documentsFolder
        self.name = name
        self.container = container
        self.showsDisplayNames = showsDisplayNames
        mount = Session(root: documentsFolder / container / name)
        self.plain = Session(root: plain / name)
        try mount.root.makeFolder()
        try self.plain.root.makeFolder()
    }

    /// Takes both trees away, which finds out whether anything is in them that was never seen.
    func removeTrees() throws {
        closeAll()
        for session in [mount, plain] { try session.root.removeTree() }
    }

    func closeAll() {
        listing = nil
        mount.closeAll()
        plain.closeAll()
    }

    /// Carries out an operation on both sides and compares what can be seen of it.
    func step(_ operation: Operation) throws {
        switch operation {
        case .setDisplayName(let place, let name): try setDisplayName(place, name)
        case .moveByFilename(let place, let folder): try moveByFilename(place, folder)
        case .migrate: try migrate()
        case .undo(let commands, let undone, let redone): try undo(commands, undone, redone)
        case .beginListing(let place): try beginListing(place)
        case .continueListing(let count): try listing?.read(count)
        default: try stepOnBoth(operation)
        }
        if listing?.isAtEnd == true { listing = nil }
        try listing?.follow()
    }

    private func stepOnBoth(_ operation: Operation) throws {
        let before = LedgerStep(operation, plain, ledger)
        if before.isRuledOut { return }
        let seen = mount.perform(operation)
        let expected = plain.perform(operation)
        try require(seen, expected, "the result of \(operation)")
        if seen != Session.nothingHeld { try before.finish(operation, succeeded: !expected.isRefusal) }
        if case .open(let slot, let place, _, _) = operation { try compareFilename(slot, place) }
        try compareTouched(operation)
    }

    func require<Value: Equatable>(_ seen: Value, _ expected: Value, _ subject: @autoclosure () -> String) throws {
        if seen != expected { throw Difference(subject: subject(), mount: "\(seen)", plain: "\(expected)") }
    }

    func outcome<Value>(_ body: () throws -> Value) -> Outcome<Value> {
        do { return .value(try body()) } catch { return .refusal("\(error)") }
    }
}

/// The result of a call, or its errno.
enum Outcome<Value>: CustomStringConvertible {
    case value(Value)
    case refusal(String)

    var description: String {
        switch self {
        case .value(let value): "\(value)"
        case .refusal(let text): text
        }
    }
}

extension Outcome: Equatable where Value: Equatable {}

extension String {
    /// Whether this is the outcome of a call that was refused.
    var isRefusal: Bool { first.map { !$0.isNumber } ?? true }
}
