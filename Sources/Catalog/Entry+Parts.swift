import Documents

/// Shorter names for the properties of an entry's parts.
extension Entry {
    // MARK: Nature

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
        if case .folder(let place) = nature { place } else { NamingContext(keepsNames: false, isScratch: false) }
    }

    // MARK: Placement

    public var parent: InodeNumber {
        get { placement.parent }
        set { placement.parent = newValue }
    }
    public var container: Container? {
        get { placement.container }
        set { placement.container = newValue }
    }
    public var filename: String {
        get { placement.filename }
        set { placement.filename = newValue }
    }
    public var hasGeneratedFilename: Bool {
        get { placement.hasGeneratedFilename }
        set { placement.hasGeneratedFilename = newValue }
    }
    public var position: OrderKey {
        get { placement.position }
        set { placement.position = newValue }
    }

    // MARK: Backing file

    public var isHere: Bool {
        get { file.isHere }
        set { file.isHere = newValue }
    }
    public var backing: FileEvidence? {
        get { file.evidence }
        set { file.evidence = newValue }
    }
    public var size: Int64 {
        get { file.size }
        set { file.size = newValue }
    }
    public var modified: Timestamp {
        get { file.modified }
        set { file.modified = newValue }
    }
    public var changed: Timestamp {
        get { file.changed }
        set { file.changed = newValue }
    }
    public var mode: UInt16 {
        get { file.mode }
        set { file.mode = newValue }
    }

    // MARK: Synchronization

    public var currentVersion: VersionID? {
        get { synchronization.currentVersion }
        set { synchronization.currentVersion = newValue }
    }
    public var contentVersion: VersionID? {
        get { synchronization.contentVersion }
        set { synchronization.contentVersion = newValue }
    }
    public var conflicts: Int {
        get { synchronization.conflicts }
        set { synchronization.conflicts = newValue }
    }
    public var pending: PendingChanges {
        get { synchronization.pending }
        set { synchronization.pending = newValue }
    }
    public var revision: Int64 {
        get { synchronization.revision }
        set { synchronization.revision = newValue }
    }
    public var step: Int64? {
        get { synchronization.step }
        set { synchronization.step = newValue }
    }
    public var error: String? {
        get { synchronization.error }
        set { synchronization.error = newValue }
    }
}
