import Documents

/// A version that something else has taken the place of.
public struct SupersededVersion: Codable, Sendable, Equatable {
    public var version: DocumentVersion
    /// When that happened, by the clock of the device that did it.
    public var time: Timestamp

    public init(version: DocumentVersion, time: Timestamp) {
        self.version = version
        self.time = time
    }
}

/// The versions of one document that the container knows: the current one, those in conflict with
/// it, and those that were superseded.
public struct VersionHistory: Codable, Sendable, Equatable {
    public private(set) var current: DocumentVersion
    /// Heads that nobody has resolved yet, the latest first.
    public private(set) var conflicts: [DocumentVersion]
    /// The latest last.
    public private(set) var superseded: [SupersededVersion]

    /// More are thinned out: an entry of the log must not grow with every save.
    public static let mostSuperseded = 256
    /// The newest are all kept.
    static let newestKept = 64

    public init(first: DocumentVersion) {
        current = first
        conflicts = []
        superseded = []
    }

    /// The versions that nothing has taken the place of.
    public var heads: [DocumentVersion] { [current] + conflicts }

    public var all: [DocumentVersion] { heads + superseded.map(\.version) }

    public func contains(_ id: VersionID) -> Bool { all.contains { $0.id == id } }

    /// Adds a version that some device saved.
    ///
    /// One that was made from the current version succeeds it, whatever the clocks say: its maker saw
    /// what it replaces. One that was made from a conflict version takes its place. Any other is a
    /// conflict unless its content is the current one's, and of the heads the latest is current.
    public mutating func add(_ version: DocumentVersion, at time: Timestamp) {
        if contains(version.id) { return }
        if version.base == current.id {
            supersede(current, at: time)
            current = version
            return
        }
        if let index = conflicts.firstIndex(where: { $0.id == version.base }) {
            supersede(conflicts.remove(at: index), at: time)
        }
        // Two copies of one store may send the same save, and so may a device that has forgotten that it did.
        if version.hasContent(of: current) {
            supersede(current, at: time)
            current = version
            return
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

    /// Brings a deleted document back by a new version, which who deleted it had not seen. What they had seen,
    /// all heads, is superseded since the deletion: its content may be gone by now.
    mutating func revive(with version: DocumentVersion, deleted time: Timestamp) {
        for head in heads.reversed() { supersede(head, at: time) }
        conflicts = []
        current = version
    }

    /// Adds all versions of another history of the same document.
    mutating func add(_ other: VersionHistory, at time: Timestamp) {
        let times = Dictionary(other.superseded.map { ($0.version.id, $0.time) }) { first, _ in first }
        for version in other.superseded.map(\.version) + other.conflicts.reversed() + [other.current] {
            add(version, at: version.base.flatMap { times[$0] } ?? time)
        }
        // Some gave way because somebody chose, not because something was made from them.
        resolve(keeping: other.current.id, discarding: Set(times.keys), at: time)
    }

    /// Somebody chose among the heads: `kept` stays or becomes current, those of `discarded` that are
    /// still heads are superseded. A head that is in neither was not seen by who chose, and stays.
    mutating func resolve(keeping kept: VersionID, discarding discarded: Set<VersionID>, at time: Timestamp) {
        if discarded.contains(current.id), let index = conflicts.firstIndex(where: { $0.id == kept }) {
            supersede(current, at: time)
            current = conflicts.remove(at: index)
        }
        for version in conflicts where discarded.contains(version.id) && version.id != kept {
            supersede(version, at: time)
        }
        conflicts.removeAll { discarded.contains($0.id) && $0.id != kept }
    }

    /// Somebody deleted the document in sight of some of its heads. What they had not seen is the document from now on.
    ///
    /// - Returns: false when they had seen all, and nothing is left of it.
    mutating func survive(deletionOf seen: Set<VersionID>, at time: Timestamp) -> Bool {
        guard let survivor = heads.filter({ !seen.contains($0.id) }).max(by: { DocumentVersion.isLater($1, $0) })
        else { return false }
        resolve(keeping: survivor.id, discarding: seen, at: time)
        return true
    }

    /// Gives up a head, of which there must be another, or an earlier version.
    mutating func takeOut(_ id: VersionID) -> DocumentVersion? {
        if let index = conflicts.firstIndex(where: { $0.id == id }) { return conflicts.remove(at: index) }
        guard current.id == id else { return nil }
        let taken = current
        if let next = conflicts.first {
            current = next
            conflicts.removeFirst()
        } else if let last = superseded.popLast() {
            current = last.version
        } else {
            return nil
        }
        return taken
    }

    /// Another document's version becomes one in conflict with this one's.
    mutating func inherit(_ version: DocumentVersion) {
        if contains(version.id) { return }
        conflicts.append(version)
        conflicts.sort(by: DocumentVersion.isLater)
    }

    private mutating func supersede(_ version: DocumentVersion, at time: Timestamp) {
        superseded.append(SupersededVersion(version: version, time: time))
        if superseded.count > Self.mostSuperseded { thinOut() }
    }

    /// Drops the version, not among the newest, that stood for the shortest time.
    private mutating func thinOut() {
        let candidates = superseded.indices.dropFirst().dropLast(Self.newestKept)
        let shortest = candidates.min { left, right in standing(left) < standing(right) }
        if let shortest { superseded.remove(at: shortest) }
    }

    private func standing(_ index: Int) -> Int64 {
        superseded[index].time.nanoseconds.subtractingReportingOverflow(superseded[index - 1].time.nanoseconds)
            .partialValue
    }
}
