/// Where a document lives: on this machine, or in the cloud (Semantics, "Moving between local and cloud").
public enum Location: String, Sendable, Codable, CaseIterable {
    case local
    case cloud
}

/// The kind of an entry.
public enum EntryKind: String, Sendable {
    case folder
    case document
    /// A program's working file. It keeps its name and is never sent (`ScratchName`).
    case scratch
    case symbolicLink
}
