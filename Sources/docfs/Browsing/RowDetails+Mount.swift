import Browse

extension RowDetails {
    /// What a row shows, by the attributes of its document or folder.
    init(of row: TableRow, at path: String) {
        self.init()
        if row.kind == .newDocument { return }
        guard row.kind == .document else {
            if attributeText(CloudDocument.keep, of: path) == "always" {
                kept = true
                words = [DocumentWords.Word.kept.rawValue]
            }
            return
        }
        guard let line = FolderStateLine(text: row.state) else { return }
        let document = ListedDocument(line, path: path, .all)
        name = document.displayName
        kind = document.pathExtension
        size = document.size
        modified = document.modified
        indicator = line.indicator
        words = document.words.words.map(\.rawValue)
        isHere = line.isHere
        progress = document.progress
        kept = document.isKept ? true : nil
        filename = line.filename
        preview = Preview(ofName: "." + (document.pathExtension ?? "")).kind
    }
}
