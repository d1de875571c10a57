import Documents

/// What becomes of an entry when another device creates it once more, or brings it back.
extension ReplicaEntry {
    /// The newer description, who made it first, and all versions of both.
    func merged(with created: ReplicaEntry, at time: Timestamp) -> ReplicaEntry {
        var merged = self
        merged.description = created.description
        switch (content, created.content) {
        case (.document(var versions), .document(let others)):
            if let deleted, !versions.contains(others.current.id) {
                versions.revive(with: others.current, deleted: deleted)
            }
            versions.add(others, at: time)
            merged.content = .document(versions: versions)
            if versions.current.id != others.current.id {
                merged.description.modified = versions.current.modified
            }
        default:
            merged.content = created.content
        }
        return merged
    }
}

extension ReplicaContent {
    func isSameKind(as other: ReplicaContent) -> Bool {
        switch (self, other) {
        case (.folder, .folder), (.symbolicLink, .symbolicLink), (.document, .document): true
        default: false
        }
    }
}

extension EntryDescription {
    /// Folders and links have a filename only.
    mutating func dropDocumentName() {
        displayName = nil
        pathExtension = nil
        naming = nil
    }
}
