import Documents

/// Brings together the state of a container that was damaged, rolled back or begun anew and the state that a device knew before:
/// no version that one of them has is lost, and what one of them saw deleted stays so.
public enum Reunion {
    /// Whose word counts where both have an entry and describe it differently.
    public enum Authority: Sendable {
        /// The device's: a person has the container made whole from it.
        case device
        /// The container's: another device has made it whole, and may have known more.
        case container
    }

    /// The changes that tell the container of an entry what only the device knows.
    ///
    /// - Parameter theirs: the container's, nil where it has none.
    public static func changes(
        from mine: ReplicaEntry, into theirs: ReplicaEntry?, _ authority: Authority
    ) -> [Change] {
        // One that is deleted, too: a device that knew it would bring it back.
        guard let theirs else { return [.create(mine)] }
        guard mine.content.isSameKind(as: theirs.content) else { return [] }
        if mine.isDeleted { return deletion(of: mine, seenBy: theirs) }
        let (versions, isAhead) = versions(from: mine, into: theirs)
        // What has no content of its own lives as long as what lies in it, or as the container says.
        if theirs.isDeleted { return versions }
        guard authority == .device, isAhead, mine.description != theirs.description else { return versions }
        return versions + [.describe(mine.id, DescriptionChange(mine.description))]
    }

    private static func deletion(of mine: ReplicaEntry, seenBy theirs: ReplicaEntry) -> [Change] {
        guard !theirs.isDeleted else { return [] }
        return [.delete(mine.id, seen: mine.versions?.all.map(\.id) ?? [])]
    }

    /// - Returns: also whether the device knows everything that the container's entry is now.
    private static func versions(
        from mine: ReplicaEntry, into theirs: ReplicaEntry
    ) -> (changes: [Change], isAhead: Bool) {
        guard let own = mine.versions, let others = theirs.versions else { return ([], true) }
        let inOrder = own.superseded.map(\.version) + own.conflicts.reversed() + [own.current]
        let missing = inOrder.filter { !others.contains($0.id) }
        // One that came from another document is that one's no longer.
        var changes = missing.compactMap { version in
            version.keeper.map { Change.bequeath($0, to: mine.id, versions: [version.id]) }
        }
        changes += missing.map { .save(mine.id, $0) }
        // Some gave way because somebody chose, not because something was made from them.
        let superseded = own.superseded.map(\.version.id)
        if !missing.isEmpty || others.heads.contains(where: { superseded.contains($0.id) }) {
            changes.append(.resolve(mine.id, Resolution(kept: own.current.id, discarded: superseded)))
        }
        return (changes, others.heads.allSatisfy { own.contains($0.id) })
    }
}

extension DescriptionChange {
    /// Sets all that a description has.
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
