import Documents

/// The versions of one document that the container knows: the current one, those in conflict with
/// it, and those that were superseded.
public struct VersionHistory: Codable, Sendable, Equatable {
    public private(set) var current: DocumentVersion
    /// Heads that nobody has resolved yet, the latest first.
    public private(set) var conflicts: [DocumentVersion]
    /// Superseded versions, the latest last.
    public private(set) var superseded: [DocumentVersion]

    public init(first: DocumentVersion) {
        current = first
        conflicts = []
        superseded = []
    }

    public var all: [DocumentVersion] { [current] + conflicts + superseded }

    /// In the order in which they were made, as far as that is known.
    var oldestFirst: [DocumentVersion] { superseded + conflicts.reversed() + [current] }

    public func contains(_ id: VersionID) -> Bool { all.contains { $0.id == id } }

    /// Adds a version that some device saved.
    ///
    /// One that was made from the current version succeeds it, whatever the clocks say: its maker saw
    /// what it replaces. One that was made from a conflict version takes its place. Any other is a
    /// conflict, and of the heads the latest is current.
    public mutating func add(_ version: DocumentVersion) {
        if contains(version.id) { return }
        if version.base == current.id {
            superseded.append(current)
            current = version
            return
        }
        if let index = conflicts.firstIndex(where: { $0.id == version.base }) {
            superseded.append(conflicts.remove(at: index))
        }
        // Against the current version only: what that has superseded by being made from it stays so,
        // however old its clock says it is.
        if DocumentVersion.isLater(version, current) {
            conflicts.append(current)
            current = version
        } else {
            conflicts.append(version)
        }
        conflicts.sort(by: DocumentVersion.isLater)
    }
}
