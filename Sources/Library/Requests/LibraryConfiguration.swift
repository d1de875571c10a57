import Documents

/// The options of `docfs mount` (`Semantics`, "The command").
public struct LibraryConfiguration: Sendable {
    /// The path of the store's folder (`--store`).
    public var storePath: String
    /// How the filenames of new documents are made: `--filenames`, `--filename-prefix`.
    public var filenames: FilenameGenerator
    /// `--show display-names`
    public var showsDisplayNames: Bool
    /// How long an open waits for the first bytes of content that is not here.
    public var timeout: Duration
    /// `--cache-limit`: the bytes that contents of the cloud's documents may take on this disk; nil for no limit.
    public var cacheLimit: Int64?

    public init(
        storePath: String, filenames: FilenameGenerator, showsDisplayNames: Bool, timeout: Duration,
        cacheLimit: Int64? = nil
    ) {
        self.storePath = storePath
        self.filenames = filenames
        self.showsDisplayNames = showsDisplayNames
        self.timeout = timeout
        self.cacheLimit = cacheLimit
    }
}
