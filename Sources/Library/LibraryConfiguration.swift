import Documents

/// The options of `docfs mount` (`Semantics`, "The command").
public struct LibraryConfiguration: Sendable {
    public var storePath: String
    public var filenames: FilenameGenerator
    /// `--show display-names`
    public var showsDisplayNames: Bool
    /// How long an open waits for the first bytes of content that is not here.
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
