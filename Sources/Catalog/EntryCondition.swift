import Documents

/// What is true of a row of the table `entries`, as SQL. The only place where it is told from numbers in columns.
public struct EntryCondition: Sendable, CustomStringConvertible {
    private let sql: String

    fileprivate init(_ sql: String) { self.sql = sql }

    public var description: String { sql }

    // MARK: What it is and where it lies

    static let isFolder = Self("kind=\(EntryKind.folder.sql)")
    static let isDocument = Self("kind=\(EntryKind.document.sql)")
    static let isLocal = Self("container=\(Container.local.sql)")
    static let isInCloud = Self("container=\(Container.cloud.sql)")
    static let isNamedAutomatically = Self("naming<>\(Naming.given.sql)")

    // MARK: What the container is to hear

    /// By the partial index of such rows.
    static let isPending = Self("pending<>0")
    static let isRevivalOnly = Self("pending=\(PendingChanges.revival.sql)")
    /// What it is to hear as soon as it can be told.
    static let hasNews = Self("\(isPending) AND pending<>\(PendingChanges.revival.sql)")
    static func hasPending(_ changes: PendingChanges) -> Self { Self("pending & \(changes.sql)") }
    static let hasNewContent = hasPending(.content)
    /// Nothing of it can be told before its content was sent.
    static let isOnlyNewContent = Self(
        """
        \(isDocument) AND \(hasNewContent) \
        AND (\(hasPending(.creation)) OR pending=\(PendingChanges.content.sql))
        """)

    // MARK: Where its content is

    /// By the partial index of such rows: a document on its way out of the cloud.
    static let isAwaited = Self("isHere=0 AND \(isLocal)")
    /// Whether a document's file holds the newest version, or one that was made here on top of it.
    static let isCurrent = Self("(isHere AND (\(hasNewContent) OR currentVersion IS contentVersion))")
    /// Documents of which the content is not here, or not the newest.
    public static let isNotCurrent = Self("\(isDocument) AND NOT \(isCurrent)")
    /// Documents of which the content is on its way out of the cloud.
    public static let isArriving = Self("\(isDocument) AND NOT isHere")
    public static let isInConflict = Self("conflicts > 0")
}
