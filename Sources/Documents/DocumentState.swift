/// The flags of a document's state, with the names that UIDocument has for them (Semantics, "State"). The text lists them in
/// this order.
public enum StateFlag: String, CaseIterable, Sendable {
    /// No program has it open.
    case closed
    /// It has unresolved conflict versions.
    case inConflict
    /// Its last save or upload failed.
    case savingError
    /// Its content is being downloaded, migrated or replaced: not safe to edit now.
    case editingDisabled
    /// A transfer is under way; `progress` has its percent.
    case progressAvailable
}

/// Whether a cloud document's content is on this device.
public enum DownloadState: String, Sendable {
    /// The document is a placeholder.
    case notDownloaded
    case downloading
    /// The content is that of the newest version, or was edited here since.
    case current
    /// A newer version exists and is not here yet.
    case outdated
}

/// Whether this device's changes to a cloud document were sent.
public enum UploadState: String, Sendable {
    /// Some change is pending: of the content, the names or the attributes.
    case waiting
    case uploading
    /// Nothing is pending.
    case uploaded
}

/// A state in one colour, for people: `red` with `savingError`, else `yellow` with `inConflict`, else `green` (Semantics, "State").
public enum Indicator: String, Sendable {
    case red, yellow, green
}

/// The content of a document's `.state`.
public struct DocumentState: Sendable, Equatable {
    /// Empty for a document that a program has open and that is otherwise normal.
    public var flags: Set<StateFlag>
    /// Without the extension.
    public var displayName: String
    /// The name generated once and kept.
    public var filename: String
    /// The same on every device.
    public var id: EntryID
    /// Where the document lives. One that is on its way out of the cloud counts as local.
    public var location: Location
    /// Bytes.
    public var size: Int64
    /// Time of modification.
    public var modified: Timestamp
    /// Nil for a local document.
    public var downloading: DownloadState?
    /// Nil for a local document.
    public var uploading: UploadState?
    /// Percent of the current transfer, 0 to 100; nil if there is none.
    public var progress: Int?
    /// The number of unresolved conflict versions.
    public var conflicts: Int
    /// The last failure in one line, including what docfs does about it.
    public var error: String?

    public init(
        flags: Set<StateFlag>, displayName: String, filename: String, id: EntryID, location: Location,
        size: Int64, modified: Timestamp, downloading: DownloadState? = nil, uploading: UploadState? = nil,
        progress: Int? = nil, conflicts: Int = 0, error: String? = nil
    ) {
        self.flags = flags
        self.displayName = displayName
        self.filename = filename
        self.id = id
        self.location = location
        self.size = size
        self.modified = modified
        self.downloading = downloading
        self.uploading = uploading
        self.progress = progress
        self.conflicts = conflicts
        self.error = error
    }

    /// Derived from the flags.
    public var indicator: Indicator {
        if flags.contains(.savingError) { return .red }
        return flags.contains(.inConflict) ? .yellow : .green
    }

    /// The flags that are set, or `normal` if none is.
    public func flagText(separator: String) -> String {
        let words = StateFlag.allCases.filter(flags.contains).map(\.rawValue)
        return words.isEmpty ? "normal" : words.joined(separator: separator)
    }

    /// The text of `F.state`: one `key: value` a line, `state` first.
    public var text: String {
        var lines = StateLines()
        lines.add("state", flagText(separator: " "))
        lines.add("indicator", indicator.rawValue)
        lines.add("displayName", displayName)
        lines.add("filename", filename)
        lines.add("id", id.description)
        lines.add("location", location.rawValue)
        lines.add("size", String(size))
        lines.add("modified", modified.iso8601)
        lines.add("downloading", downloading?.rawValue)
        lines.add("uploading", uploading?.rawValue)
        lines.add("progress", progress.map(String.init))
        lines.add("conflicts", String(conflicts))
        lines.add("error", error)
        return lines.text
    }

    /// The document's line in its folder's `.state`.
    var folderLine: String {
        let transfer = [downloading?.rawValue, uploading?.rawValue].compactMap { $0 }.joined(separator: ",")
        return [
            indicator.rawValue, flagText(separator: ","), transfer.isEmpty ? "-" : transfer,
            filename.onOneLine, displayName.onOneLine,
        ].joined(separator: "\t")
    }
}

/// The content of a folder's `.state`: its documents in listing order.
public enum FolderState {
    /// The first line. The fields of the lines after it are separated by tabs.
    public static let header = "#indicator state transfer filename displayName"

    /// - Parameter documents: in listing order.
    public static func text(_ documents: [DocumentState]) -> String {
        ([header] + documents.map(\.folderLine)).map { $0 + "\n" }.joined()
    }
}

/// The content of `Documents/.state`: the state of the whole mount.
public struct TreeState: Sendable, Equatable {
    /// The location of documents that are created in `Documents` itself.
    public var preferred: Location
    /// How far the move to that location is, after it was chosen.
    public var preferredMove = PreferredMoveState()
    /// Scratch files, folders and links do not count.
    public var localDocuments: Int
    /// Those of this device's tree, placeholders included.
    public var cloudDocuments: Int
    /// `online`, `offline`, `unauthorized`, or an error in one line.
    public var connection: String
    /// Why the cloud cannot be used, in one line, where `connection` does not say it.
    public var connectionError: String?
    /// Where the container is.
    public var cloudURL: String?
    /// Whether the container is on the disk of the documents themselves.
    public var isCloudBesideStore = false
    /// Whether the keeper of the container cannot read it.
    public var isCloudEncrypted = false
    /// Why the disk of the store takes no changes, in one line; nil if it does.
    public var storeError: String?
    /// The number of changes that are not committed to the cloud yet.
    public var pending: Int
    /// The bytes of contents that are still to be sent; nil where they are too many to be added up.
    public var pendingBytes: Int64?
    /// The bytes of this disk that the contents of the cloud's documents take.
    public var cloudBytesHere: Int64 = 0
    /// The number of unresolved conflict versions of all documents of the cloud.
    public var conflicts: Int
    /// How much the last check of store and container left to repair; nil if there is nothing, or none was made since the mount began.
    public var findings: Int?
    /// The names of the actions that would be undone and done again next; nil if there are none.
    public var undo: String?
    /// The name of the action that would be done again next.
    public var redo: String?
    /// Removed documents that can be brought back, and their contents in bytes.
    public var trashedDocuments: Int
    /// The contents of the removed documents, in bytes.
    public var trashedBytes: Int64
    /// This device's name.
    public var device: String

    public init(
        preferred: Location, localDocuments: Int, cloudDocuments: Int, connection: String,
        pending: Int, conflicts: Int, undo: String? = nil, redo: String? = nil, trashedDocuments: Int = 0,
        trashedBytes: Int64 = 0, device: String
    ) {
        self.preferred = preferred
        self.localDocuments = localDocuments
        self.cloudDocuments = cloudDocuments
        self.connection = connection
        self.pending = pending
        self.conflicts = conflicts
        self.undo = undo
        self.redo = redo
        self.trashedDocuments = trashedDocuments
        self.trashedBytes = trashedBytes
        self.device = device
    }

    private static let noCopy = "none elsewhere: the container is on the disk of the documents themselves"

    /// The text of the file: one `key: value` a line. Only `preferred.stayed` may occur more than once.
    public var text: String {
        var lines = StateLines()
        lines.add("preferred", preferred.rawValue)
        lines.add("preferred.moving", preferredMove.done.map { "\($0) of \(preferredMove.total)" })
        for stayed in preferredMove.stayed { lines.add("preferred.stayed", "\(stayed.name): \(stayed.reason)") }
        lines.add("local.documents", String(localDocuments))
        lines.add("cloud.documents", String(cloudDocuments))
        lines.add("cloud.url", cloudURL)
        lines.add("cloud.copy", isCloudBesideStore ? Self.noCopy : nil)
        lines.add("cloud.encrypted", isCloudEncrypted ? "yes" : nil)
        lines.add("cloud.connection", connection)
        lines.add("cloud.error", connectionError)
        lines.add("cloud.pending", String(pending))
        lines.add("cloud.unsent", pendingBytes.map(String.init))
        lines.add("cloud.room", String(cloudBytesHere))
        lines.add("cloud.conflicts", String(conflicts))
        lines.add("store.error", storeError)
        lines.add("check.findings", findings.map(String.init))
        lines.add("undo", undo ?? "-")
        lines.add("redo", redo ?? "-")
        lines.add("trash", "\(trashedBytes) in \(trashedDocuments) document\(trashedDocuments == 1 ? "" : "s")")
        lines.add("device", device)
        return lines.text
    }
}

/// Collects `key: value` lines; a key without a value has no line.
private struct StateLines {
    var text = ""

    mutating func add(_ key: String, _ value: String?) {
        guard let value else { return }
        text += key + ": " + value.onOneLine + "\n"
    }
}

extension String {
    /// Escapes control characters: names may contain line feeds and tabs, which would break the line.
    var onOneLine: String {
        guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return self }
        return unicodeScalars.map { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\t": "\\t"
            case "\r": "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f: "\\x" + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }.joined()
    }
}
