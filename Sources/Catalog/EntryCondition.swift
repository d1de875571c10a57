import Documents

/// Conditions on rows of the table `entries`, as SQL. No other file interprets the numbers in the columns.
public struct EntryCondition: Sendable, CustomStringConvertible {
    private let sql: String

    fileprivate init(_ sql: String) { self.sql = sql }

    /// The SQL, to be put into a query.
    public var description: String { sql }

    // MARK: Kind and container

    static let isFolder = Self("kind=\(EntryKind.folder.sql)")
    static let isDocument = Self("kind=\(EntryKind.document.sql)")
    static let isLocal = Self("container=\(Location.local.sql)")
    static let isInCloud = Self("container=\(Location.cloud.sql)")
    static let isNamedAutomatically = Self("naming<>\(Naming.given.sql)")

    // MARK: Pending changes

    /// Uses the partial index `entriesPending`.
    static let isPending = Self("pending<>0")
    static let isRevivalOnly = Self("pending=\(PendingChanges.revival.sql)")
    /// Has changes to commit. A folder that waits for a `revival` has none yet.
    static let hasNews = Self("\(isPending) AND pending<>\(PendingChanges.revival.sql)")
    static func hasPending(_ changes: PendingChanges) -> Self { Self("pending & \(changes.sql)") }
    static let hasNewContent = hasPending(.content)
    /// A document that cannot be committed before its content is uploaded.
    static let isOnlyNewContent = Self(
        """
        \(isDocument) AND \(hasNewContent) \
        AND (\(hasPending(.creation)) OR pending=\(PendingChanges.content.sql))
        """)

    // MARK: Content

    /// An entry whose content must be downloaded without being asked for: a document that moves out of the cloud, or one that gets the content of
    /// another. Uses the partial index `entriesArriving`.
    static let isAwaited = Self("isHere=0 AND (\(isLocal) OR awaited IS NOT NULL)")
    /// A document whose file holds the newest version, or a newer one that was saved here.
    static let isCurrent = Self("(isHere AND (\(hasNewContent) OR currentVersion IS contentVersion))")
    /// A document whose content is not here, or not the newest.
    public static let isNotCurrent = Self("\(isDocument) AND NOT \(isCurrent)")
    /// A document whose content is not here. Among local entries: one whose content is still to be downloaded.
    public static let isArriving = Self("\(isDocument) AND NOT isHere")
    /// A document with unresolved conflict versions.
    public static let isInConflict = Self("conflicts > 0")
}
