/// How a folder's listing is ordered (Semantics, "Order").
public enum SortMode: String, Sendable, CaseIterable {
    /// By the order keys of the entries.
    case manual
    /// By display name, case-insensitively.
    case name
    /// The document that was modified last is first.
    case modified
    /// The document that was created last is first.
    case created
    /// The largest comes first.
    case size
}
