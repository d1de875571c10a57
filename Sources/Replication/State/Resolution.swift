import Documents

/// A choice among the versions of a document, or the undo of one (ContainerFormat, resolve).
public struct Resolution: Sendable, Equatable {
    /// The version that is to be current.
    public var kept: VersionID
    /// The versions that the choosing device had seen and did not want.
    public var discarded: [VersionID]
    /// Superseded versions that are to be leaves again: those that the undo of a choice brings back, and those that must stay leaves when older
    /// versions were added after them.
    public var restored: [VersionID]
    /// Only the undo of a choice has any: versions that are in conflict with `kept` from now on, if they are current.
    public var demoted: [VersionID]

    public init(
        kept: VersionID, discarded: [VersionID], restored: [VersionID] = [], demoted: [VersionID] = []
    ) {
        self.kept = kept
        self.discarded = discarded
        self.restored = restored
        self.demoted = demoted
    }

    /// The choice that leads from some leaves of a document to others.
    ///
    /// - Parameters:
    ///   - leaves: before the choice, the current version first.
    ///   - outcome: the leaves after it, the current version first.
    /// - Returns: nil if there is no version in `outcome`.
    public init?(from leaves: [VersionID], to outcome: [VersionID]) {
        guard let kept = outcome.first else { return nil }
        self.init(
            kept: kept, discarded: leaves.filter { !outcome.contains($0) },
            restored: outcome.filter { !leaves.contains($0) },
            demoted: leaves.prefix(1).filter { $0 != kept && outcome.contains($0) })
    }

    /// Both choices as one, for choices that were not sent yet.
    public func followed(by next: Resolution) -> Resolution {
        let undone = Set(next.restored + [next.kept])
        // A version that comes back does not become current by that.
        let back = undone.intersection(discarded)
        let discarded = Set(discarded).subtracting(undone).union(next.discarded)
        return Resolution(
            kept: next.kept, discarded: discarded.sorted(),
            restored: Set(restored).union(next.restored).subtracting(next.discarded).sorted(),
            demoted: Set(demoted).union(next.demoted).union(back).subtracting(discarded).subtracting([next.kept])
                .sorted())
    }
}

/// Without the fields that are empty: a choice has the form that it had before choices could be undone.
extension Resolution: Codable {
    private enum Field: String, CodingKey { case kept, discarded, restored, demoted }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Field.self)
        kept = try container.decode(VersionID.self, forKey: .kept)
        discarded = try container.decode([VersionID].self, forKey: .discarded)
        restored = try container.decodeIfPresent([VersionID].self, forKey: .restored) ?? []
        demoted = try container.decodeIfPresent([VersionID].self, forKey: .demoted) ?? []
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Field.self)
        try container.encode(kept, forKey: .kept)
        try container.encode(discarded, forKey: .discarded)
        if !restored.isEmpty { try container.encode(restored, forKey: .restored) }
        if !demoted.isEmpty { try container.encode(demoted, forKey: .demoted) }
    }
}
