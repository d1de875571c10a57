/// A folder of the trash as file managers expect it at the top of a volume (freedesktop.org, "The FreeDesktop.org Trash specification").
public enum TrashPlace: Sendable, Hashable, CaseIterable {
    /// `.Trash-UID`
    case top
    /// `.Trash-UID/files`: what was thrown away.
    case files
    /// `.Trash-UID/info`: where each of them lay, and when it was thrown away.
    case info
    /// `.Trash-UID/expunged`: gvfs moves there what it removes for good. It is always empty.
    case expunged

    /// The name of `top` in the mountpoint.
    public static func topName(of user: UInt32) -> String { ".Trash-\(user)" }

    /// In `top`; nil for `top` itself.
    public var name: String? {
        switch self {
        case .top: nil
        case .files: "files"
        case .info: "info"
        case .expunged: "expunged"
        }
    }
}

/// A file in `.Trash-UID/info`.
public enum TrashInfo {
    /// Follows the name that the document has in `files`.
    public static let suffix = ".trashinfo"

    /// - Parameters:
    ///   - path: of the document, from the mountpoint on.
    ///   - deleted: when it was thrown away.
    public static func text(path: String, deleted: LocalTime) -> String {
        "[Trash Info]\nPath=\(PercentEncoding.encode(path: path))\nDeletionDate=\(deleted.date)T\(deleted.clock(separator: ":"))\n"
    }

    /// The name in `files` that a name in `info` belongs to; nil for any other name.
    public static func label(of name: String) -> String? {
        guard name.utf8Ends(with: suffix), name.utf8.count > suffix.utf8.count else { return nil }
        return String(decoding: name.utf8.dropLast(suffix.utf8.count), as: UTF8.self)
    }

    /// The name in `files` that docfs gives to a document: its own, or where several have that, `Plan.2.txt`, `Plan.3.txt`. Shortened so that
    /// the name in `info` fits, too.
    public static func label(for name: DocumentName, number: Int) -> String {
        let ending = (number == 1 ? "" : ".\(number)") + (name.pathExtension.isEmpty ? "" : ".\(name.pathExtension)")
        let room = EntryName.maximumLength - suffix.utf8.count - ending.utf8.count
        return name.displayName.prefix(bytes: room) + ending
    }
}
