/// How much goes into one commit.
public struct CommitLimit: Sendable {
    /// About so many entries a commit describes, besides those with a content, and as many it deletes; and what these need (`CommitScope`),
    /// which may be more. No request is answered while a commit is made, written and shown, which takes some 0.15 ms for each.
    public var entries: Int
    /// A commit of so many bytes gets no further deletions, and no further entries except those of its bundles; large extended attributes wait
    /// for the next commit.
    public var bytes: Int

    public init(entries: Int = Self.usual.entries, bytes: Int = Self.usual.bytes) {
        self.entries = entries
        self.bytes = bytes
    }

    /// The bytes are far below the limit of a log entry (`ReplicatedLog.largestEntry`).
    public static let usual = Self(entries: 192, bytes: 16 << 20)
}
