/// One change of one document that is followed.
struct DocumentChange: Equatable {
    /// By the filename.
    let path: String
    /// Nil for a document that was not there before.
    let old: FolderStateLine?
    /// Nil for a document that is no longer there.
    let new: FolderStateLine?
    /// Percent, while a transfer is under way.
    var progress: Int?

    /// The changes from one reading of a folder's state to the next, in the order of the folder; what went away comes first.
    static func between(
        _ old: [FolderStateLine], _ new: [FolderStateLine], in folder: String, touched: Set<String> = []
    ) -> [DocumentChange] {
        let before = Dictionary(old.map { ($0.filename, $0) }) { first, _ in first }
        let after = Set(new.map(\.filename))
        let path = { (line: FolderStateLine) in folder + "/" + line.filename }
        let gone = old.filter { !after.contains($0.filename) }.map { DocumentChange(path: path($0), old: $0, new: nil) }
        let rest = new.compactMap { line -> DocumentChange? in
            let earlier = before[line.filename]
            if earlier == line, !touched.contains(line.filename) { return nil }
            return DocumentChange(path: path(line), old: earlier, new: line)
        }
        return gone + rest
    }

    /// `PATH  OLD → NEW  TRANSFER  PROGRESS  DISPLAY NAME`
    var text: String {
        let states = [old?.state ?? "new", new?.state ?? "removed"]
        let line = new ?? old
        return [
            path, states[0] == states[1] ? states[0] : states.joined(separator: " → "), line?.transfer ?? "-",
            progress.map { "\($0) %" } ?? "-", line?.displayName ?? "",
        ].map(\.printable).joined(separator: "  ")
    }

    /// For `--json`.
    var record: DocumentEvent {
        var document = (new ?? old).map { DocumentRecord(ListedDocument($0, path: path, new == nil ? .line : .name)) }
        // The one that was seen: it may have gone on since.
        if let progress { document?.progress = progress }
        return DocumentEvent(
            event: old == nil ? .added : new == nil ? .removed : .changed, document: document, oldState: old?.flags)
    }
}
