import Documents

/// Merges an entry with one of the same id that is created again: by another device, or because it was deleted and is back.
extension ReplicaEntry {
    /// The entry with the created one's description and the versions of both. Creator and time of creation stay.
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
    /// Folders and links have no name but the filename.
    mutating func dropDocumentName() {
        displayName = nil
        pathExtension = nil
        naming = nil
    }
}
