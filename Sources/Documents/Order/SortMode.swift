/// How a folder's listing is ordered (Semantics, "Order").
public enum SortMode: String, Sendable, CaseIterable {
    /// By the order keys of the entries.
    case manual
    /// By display name, case-insensitively.
    case name
    /// What was modified last comes first.
    case modified
    /// What was created last comes first.
    case created
    /// The largest comes first.
    case size
}
