import Documents

/// A version that another one has taken the place of.
public struct SupersededVersion: Codable, Sendable, Equatable {
    public var version: DocumentVersion
    /// When it did, by the clock of the device that caused it.
    public var time: Timestamp

    public init(version: DocumentVersion, time: Timestamp) {
        self.version = version
        self.time = time
    }
}

/// The versions of one document: the current one, those in conflict with it, and those that were superseded. ContainerFormat states the
/// rules (Versions of a document).
public struct VersionHistory: Codable, Sendable, Equatable {
    public private(set) var current: DocumentVersion
    /// The other leaves, the latest first, until somebody chooses.
    public private(set) var conflicts: [DocumentVersion]
    /// The latest last.
    public private(set) var superseded: [SupersededVersion]

    /// Superseded versions that are kept, at most. Otherwise an entry would grow with every save.
    public static let mostSuperseded = 256
    /// So many of the newest are never thinned out.
    static let newestKept = 64

    public init(first: DocumentVersion) {
        current = first
        conflicts = []
        superseded = []
    }

    /// The versions that no other has taken the place of.
    public var leaves: [DocumentVersion] { [current] + conflicts }

    public var all: [DocumentVersion] { leaves + superseded.map(\.version) }

    public func contains(_ id: VersionID) -> Bool { all.contains { $0.id == id } }

    /// Adds a version that a device saved.
    ///
    /// A version that was made from the current one takes its place, whatever the clocks say, because its maker saw what it replaces. One
    /// that was made from a conflict version takes the place of that. Otherwise, if it has the content of the current version, it takes
    /// its place as well; if not, it is in conflict with the current version, and the later of the two is current.
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
        // Two copies of one store may send the same save, and so may a device that has lost its record of having sent it.
        if version.hasSameContent(as: current) {
            supersede(current, at: time)
            current = version
            return
        }
        // Only the current version is compared. Versions that it superseded stay superseded, even if their times are later.
        if DocumentVersion.isLater(version, current) {
            conflicts.append(current)
            current = version
        } else {
            conflicts.append(version)
        }
        conflicts.sort(by: DocumentVersion.isLater)
    }

    /// Brings a deleted document back with a new version, which the deleting device had not seen. All leaves are superseded since the time of
    /// the deletion: their contents may have been removed already.
    mutating func revive(with version: DocumentVersion, deleted time: Timestamp) {
        for leaf in leaves.reversed() { supersede(leaf, at: time) }
        conflicts = []
        current = version
    }

    /// Adds all versions of another history of the same document.
    mutating func add(_ other: VersionHistory, at time: Timestamp) {
        let times = Dictionary(other.superseded.map { ($0.version.id, $0.time) }) { first, _ in first }
        for version in other.superseded.map(\.version) + other.conflicts.reversed() + [other.current] {
            add(version, at: version.base.flatMap { times[$0] } ?? time)
        }
        // Adding alone does not repeat what somebody chose among versions in conflict.
        resolve(Resolution(kept: other.current.id, discarded: Array(times.keys)), at: time)
    }

    /// The leaves of both. An older version that is saved after them takes the place of one if it has its content (``Reunion``).
    func sharedLeaves(with other: VersionHistory) -> [VersionID] {
        leaves.map(\.id).filter { id in other.leaves.contains { $0.id == id } }
    }

    /// Carries out a choice among the leaves. `kept` stays or becomes current; leaves in `discarded` are superseded. A leaf that the choice
    /// does not mention was not seen by the choosing device, and stays.
    mutating func resolve(_ resolution: Resolution, at time: Timestamp) {
        conflicts += removeSuperseded(resolution.restored)
        let (kept, discarded) = (resolution.kept, Set(resolution.discarded))
        if let index = conflicts.firstIndex(where: { $0.id == kept }) {
            if discarded.contains(current.id) {
                supersede(current, at: time)
                current = conflicts.remove(at: index)
            } else if resolution.demoted.contains(current.id) {
                swap(&current, &conflicts[index])
            }
        }
        for version in conflicts where discarded.contains(version.id) && version.id != kept {
            supersede(version, at: time)
        }
        conflicts.removeAll { discarded.contains($0.id) && $0.id != kept }
        conflicts.sort(by: DocumentVersion.isLater)
    }

    /// Brings a deleted document back because the choice that discarded some of its versions is undone, by somebody who did not know of the
    /// deletion. These versions are its leaves then.
    ///
    /// - Returns: false if none of them comes back: then nothing changes here.
    mutating func revive(byUndoOf resolution: Resolution, deleted time: Timestamp) -> Bool {
        var restored = removeSuperseded(resolution.restored).sorted(by: DocumentVersion.isLater)
        guard !restored.isEmpty else { return false }
        let kept = restored.firstIndex { $0.id == resolution.kept } ?? 0
        revive(with: restored.remove(at: kept), deleted: time)
        conflicts = restored
        return true
    }

    /// Takes versions out of the superseded ones, but those that another version was made from.
    private mutating func removeSuperseded(_ ids: [VersionID]) -> [DocumentVersion] {
        let bases = Set(all.compactMap(\.base))
        let wanted = Set(ids).subtracting(bases)
        let versions = superseded.map(\.version).filter { wanted.contains($0.id) }
        superseded.removeAll { wanted.contains($0.version.id) }
        return versions
    }

    /// Carries out a deletion by somebody who had seen some of the versions. The latest leaf that they had not seen is current from now on.
    ///
    /// - Returns: false if they had seen all leaves: then nothing changes here, and the document is deleted.
    mutating func survive(deletionOf seen: Set<VersionID>, at time: Timestamp) -> Bool {
        guard let survivor = leaves.filter({ !seen.contains($0.id) }).max(by: { DocumentVersion.isLater($1, $0) })
        else { return false }
        resolve(Resolution(kept: survivor.id, discarded: Array(seen)), at: time)
        return true
    }

    /// Removes a leaf from the history. In place of the current version comes the latest conflict version, or the last superseded one.
    ///
    /// - Returns: nil if it is no leaf, or the only version.
    mutating func removeHead(_ id: VersionID) -> DocumentVersion? {
        if let index = conflicts.firstIndex(where: { $0.id == id }) { return conflicts.remove(at: index) }
        guard current.id == id else { return nil }
        let removed = current
        if let next = conflicts.first {
            current = next
            conflicts.removeFirst()
        } else if let last = superseded.popLast() {
            current = last.version
        } else {
            return nil
        }
        return removed
    }

    /// Adds another document's version as a conflict version, or as a superseded one if a version of this document was made from it: a
    /// commit carries saves before the versions that a rename brought along.
    mutating func inherit(_ version: DocumentVersion) {
        if contains(version.id) { return }
        if let successor = all.first(where: { $0.base == version.id }) {
            return supersede(version, at: successor.modified)
        }
        conflicts.append(version)
        conflicts.sort(by: DocumentVersion.isLater)
    }

    private mutating func supersede(_ version: DocumentVersion, at time: Timestamp) {
        superseded.append(SupersededVersion(version: version, time: time))
        if superseded.count > Self.mostSuperseded { thinOut() }
    }

    /// Drops the superseded version that was current for the shortest time, but neither the first nor one of the newest.
    private mutating func thinOut() {
        let candidates = superseded.indices.dropFirst().dropLast(Self.newestKept)
        let shortest = candidates.min { left, right in timeSpent(left) < timeSpent(right) }
        if let shortest { superseded.remove(at: shortest) }
    }

    /// The time between the version before being superseded and this one being superseded.
    private func timeSpent(_ index: Int) -> Duration { superseded[index].time - superseded[index - 1].time }
}
