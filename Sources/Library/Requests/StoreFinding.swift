/// Something in the store that is not as it should be: a file, a row, or a place in the trash or in an order.
public struct StoreFinding: Hashable, Sendable {
    /// The part of the store that a finding is about. The raw value begins the finding's line.
    public enum Area: String, Sendable {
        /// Rows that contradict other rows.
        case catalog
        /// Rows and files.
        case store
        /// The trash and the undo list.
        case trash
        /// The order of a folder.
        case order
    }

    /// The part of the store that is concerned.
    public let area: Area
    /// A path below the store's folder, or the name of a document.
    public let place: String
    /// The fact that was found there.
    public let fact: String
    /// How a repair mends it.
    public let remedy: String

    /// For a person.
    public var line: String { "\(area.rawValue): \(place): \(fact); --repair \(remedy)" }
    /// For a person, when it was mended.
    public var mendedLine: String { "mended: \(area.rawValue): \(place): \(fact)" }
}

/// The findings of a check of the store, and of a repair.
public struct StoreReport: Sendable, Equatable {
    /// Found, repaired, and not found again by the check that follows a repair. Empty if no repair was requested.
    public var mended: [StoreFinding] = []
    /// Found and not repaired: no repair was requested, or the check that follows it found them again.
    public var remaining: [StoreFinding] = []
    /// Whether the committed state of the container, as the catalog has it, is not what the log made it. Only reading the container again
    /// mends that.
    package var isReplicaDamaged = false

    /// The most findings that are told one by one; of the others the number is told.
    private static let mostLines = 1000

    /// A report of a store without findings.
    public init() {}

    /// Whether nothing is left to repair.
    public var isGood: Bool { remaining.isEmpty }

    /// One finding a line, for a person.
    public var lines: [String] {
        let lines = mended.map(\.mendedLine) + remaining.map(\.line)
        guard lines.count > Self.mostLines else { return lines }
        return lines.prefix(Self.mostLines) + ["and \(lines.count - Self.mostLines) more findings"]
    }
}
