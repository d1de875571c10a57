import Documents

/// Shorter names for the properties of an entry's parts.
extension Entry {
    // MARK: Nature

    /// Folder, document, scratch file or symbolic link.
    public var kind: EntryKind { nature.kind }

    /// Nil unless the entry is a document. Setting it turns a file into a document, or into a scratch file.
    public var document: DocumentIdentity? {
        get { if case .document(let identity) = nature { identity } else { nil } }
        set { nature = newValue.map { .document($0) } ?? .scratch }
    }

    /// Documents only.
    public var name: DocumentName? { document?.name }
    /// How the document got its name; `given` for everything that is not a document.
    public var naming: Naming { document?.naming ?? .given }

    /// Symbolic links only.
    public var target: [UInt8]? { if case .symbolicLink(let target) = nature { target } else { nil } }

    /// How names in a folder are treated. For anything but a folder, the default.
    public var namingContext: NamingContext {
        if case .folder(let context) = nature { context } else { NamingContext(keepsNames: false, isScratch: false) }
    }

    // MARK: Placement

    /// See `Placement.parent`.
    public var parent: InodeNumber {
        get { placement.parent }
        set { placement.parent = newValue }
    }
    /// Nil for the mountpoint and `Documents`.
    public var location: Location? {
        get { placement.location }
        set { placement.location = newValue }
    }
    /// The last component of the backing file's path; unique in its folder.
    public var filename: String {
        get { placement.filename }
        set { placement.filename = newValue }
    }
    /// Whether docfs generated the filename. By such a name the file is known again anywhere in the store (`Crashes`).
    public var hasGeneratedFilename: Bool {
        get { placement.hasGeneratedFilename }
        set { placement.hasGeneratedFilename = newValue }
    }
    /// The sort key in the folder's order.
    public var position: OrderKey {
        get { placement.position }
        set { placement.position = newValue }
    }

    // MARK: Backing file

    /// Whether the backing file holds the content. False for placeholders.
    public var isHere: Bool {
        get { file.isHere }
        set { file.isHere = newValue }
    }
    /// Identifies the backing file if somebody moves it in the store; nil while there is no file.
    public var evidence: FileEvidence? {
        get { file.evidence }
        set { file.evidence = newValue }
    }
    /// Bytes: see `BackingState.size`.
    public var size: Int64 {
        get { file.size }
        set { file.size = newValue }
    }
    /// Time of modification, as last recorded: see `BackingState.modified`.
    public var modified: Timestamp {
        get { file.modified }
        set { file.modified = newValue }
    }
    /// Time of change. Valid for placeholders only: see `BackingState.changed`.
    public var changed: Timestamp {
        get { file.changed }
        set { file.changed = newValue }
    }
    /// Permission bits with set-id bits and sticky bit, without the type of the file.
    public var mode: UInt16 {
        get { file.mode }
        set { file.mode = newValue }
    }

    // MARK: Synchronization

    /// The container's current version, as far as this device has read the log; nil unless the entry is a document that the container has.
    public var currentVersion: VersionID? {
        get { synchronization.currentVersion }
        set { synchronization.currentVersion = newValue }
    }
    /// The version in the backing file or, if it was edited since, the version that was edited; nil if the content comes from no version.
    public var contentVersion: VersionID? {
        get { synchronization.contentVersion }
        set { synchronization.contentVersion = newValue }
    }
    /// The number of unresolved conflict versions.
    public var conflicts: Int {
        get { synchronization.conflicts }
        set { synchronization.conflicts = newValue }
    }
    /// Changes that the container has not been told.
    public var pending: PendingChanges {
        get { synchronization.pending }
        set { synchronization.pending = newValue }
    }
    /// Counts local changes: see `SynchronizationState.revision`.
    public var revision: Int64 {
        get { synchronization.revision }
        set { synchronization.revision = newValue }
    }
    /// Entries with the same bundle are committed together or not at all; nil for one that belongs to none.
    public var bundle: Int64? {
        get { synchronization.bundle }
        set { synchronization.bundle = newValue }
    }
    /// The content that it is to get from a version of another document: see `SynchronizationState.awaited`.
    public var awaited: [UInt8]? {
        get { synchronization.awaited }
        set { synchronization.awaited = newValue }
    }
    /// The last failure of a transfer in one line; nil after a success.
    public var error: String? {
        get { synchronization.error }
        set { synchronization.error = newValue }
    }
}
