/// Where a document lives: on this machine, or in the cloud container (PRODUCT 1, 4).
public enum Container: String, Sendable, Codable, CaseIterable {
    case local
    case cloud
}

/// What a directory entry is.
public enum EntryKind: String, Sendable, Codable {
    case folder
    case document
    /// A program's working file: keeps its name, never leaves this machine (PRODUCT 2).
    case scratch
    case symbolicLink
}
