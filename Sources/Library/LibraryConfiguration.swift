import Documents

/// How a mount behaves: the options of `docfs mount` (PRODUCT 9).
public struct LibraryConfiguration: Sendable {
    public var storePath: String
    public var filenames: FilenameGenerator
    /// `--show display-names`
    public var showsDisplayNames: Bool
    /// How long an open waits for the first bytes of what is not here.
    public var timeout: Duration

    public init(
        storePath: String, filenames: FilenameGenerator, showsDisplayNames: Bool, timeout: Duration
    ) {
        self.storePath = storePath
        self.filenames = filenames
        self.showsDisplayNames = showsDisplayNames
        self.timeout = timeout
    }
}
