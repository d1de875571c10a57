import Documents

/// Merges the state of a container that was damaged, rolled back or begun anew with the state that a device knew before
/// (ContainerFormat). No version that one of them has is lost, and what one of them saw deleted stays deleted.
public enum Reunion {
    /// Decides which description counts if both have an entry and describe it differently.
    public enum Authority: Sendable {
        /// The device's: a person asked for the repair there.
        case device
        /// The container's: another device has repaired it, and may have known more.
        case container
    }

    /// The changes by which a device tells the container what only the device knows of an entry.
    ///
    /// - Parameters:
    ///   - mine: the device's entry.
    ///   - theirs: the container's entry of that id, or nil.
    public static func changes(
        from mine: ReplicaEntry, into theirs: ReplicaEntry?, _ authority: Authority
    ) -> [Change] {
        // A deleted entry as well: otherwise a device that still has it would bring it back.
        guard let theirs else { return [.create(mine)] }
        guard mine.content.isSameKind(as: theirs.content) else { return [] }
        if mine.isDeleted { return deletion(of: mine, from: theirs) }
        let (versions, isAhead) = versions(from: mine, into: theirs)
        // A folder or link that the container deleted stays deleted, unless something is put into the folder.
        if theirs.isDeleted { return versions }
        guard authority == .device, isAhead, mine.description != theirs.description else { return versions }
        return versions + [.describe(mine.id, DescriptionChange(mine.description))]
    }

    private static func deletion(of mine: ReplicaEntry, from theirs: ReplicaEntry) -> [Change] {
        guard !theirs.isDeleted else { return [] }
        return [.delete(mine.id, seen: mine.versions?.all.map(\.id) ?? [])]
    }

    /// - Returns: `isAhead`: whether the device knows all leaves of the container's entry.
    private static func versions(
        from mine: ReplicaEntry, into theirs: ReplicaEntry
    ) -> (changes: [Change], isAhead: Bool) {
        guard let own = mine.versions, let others = theirs.versions else { return ([], true) }
        // An older version that only the device has does not bring it back: what it was last was seen by who deleted it.
        if theirs.isDeleted, own.leaves.allSatisfy({ others.contains($0.id) }) { return ([], true) }
        let inOrder = own.superseded.map(\.version) + own.conflicts.reversed() + [own.current]
        let missing = inOrder.filter { !others.contains($0.id) }
        // A version that came from another document must leave that one.
        var changes = missing.compactMap { version in
            version.keeper.map { Change.bequeath($0, to: mine.id, versions: [version.id]) }
        }
        changes += missing.map { .save(mine.id, $0) }
        // Saving alone does not repeat what somebody chose among versions in conflict.
        let superseded = own.superseded.map(\.version.id)
        if !missing.isEmpty || others.leaves.contains(where: { superseded.contains($0.id) }) {
            let choice = Resolution(
                kept: own.current.id, discarded: superseded, restored: own.sharedLeaves(with: others))
            changes.append(.resolve(mine.id, choice))
        }
        return (changes, others.leaves.allSatisfy { own.contains($0.id) })
    }
}

extension DescriptionChange {
    /// A change that sets every field to that of a description.
    init(_ description: EntryDescription) {
        self.init()
        place = Place(
            parent: description.parent, filename: description.filename,
            hasGeneratedFilename: description.hasGeneratedFilename)
        if let displayName = description.displayName, let naming = description.naming {
            name = Name(displayName: displayName, pathExtension: description.pathExtension ?? "", naming: naming)
        }
        position = description.position
        mode = description.mode
        modified = description.modified
        attributes = Attributes(json: description.attributes)
    }
}
