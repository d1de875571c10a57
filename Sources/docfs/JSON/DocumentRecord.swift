import Documents

/// A document as `--json` prints it, the same from each command (`JSONKey`). What a command does not ask for is left out.
struct DocumentRecord: Encodable {
    let path: String
    let displayName: String
    let `extension`: String?
    let filename: String
    let indicator: String
    let state: [String]
    let downloading: String?
    let uploading: String?
    var progress: Int?
    var kept: Bool?
    var size: Int64?
    var modified: String?
    // Only `docfs status` of one document asks for these.
    var id: String?
    var location: String?
    var conflicts: Int?
    var error: String?

    init(_ document: ListedDocument) {
        path = document.path
        displayName = document.displayName
        `extension` = document.pathExtension
        filename = document.line.filename
        indicator = document.line.indicator
        state = document.line.flags
        downloading = document.line.downloading
        uploading = document.line.uploading
        progress = document.progress
        kept = document.size == nil ? nil : document.isKept
        size = document.size
        modified = document.modified.map { Timestamp(seconds: $0, nanoseconds: 0).iso8601 }
    }

    /// - Parameter state: all lines of the document's own state.
    init(_ document: ListedDocument, _ state: StateText) {
        self.init(document)
        id = state["id"]
        location = state["location"]
        conflicts = state["conflicts"].flatMap { Int($0) }
        error = state["error"]
    }
}

/// A change of a document, one line of a stream: the record of the document as it is now, or was before it went.
struct DocumentEvent: Encodable {
    /// What happened, of `docfs watch` and `docfs query --watch`. `ended`: the mount has ended, and nothing follows.
    enum Kind: String, Encodable { case found, added, changed, removed, ended }

    let event: Kind
    var document: DocumentRecord?
    /// The flags before the change.
    var oldState: [String]?

    private enum CodingKeys: String, CodingKey { case event, oldState }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(event, forKey: .event)
        try container.encodeIfPresent(oldState, forKey: .oldState)
        try document?.encode(to: encoder)
    }
}
