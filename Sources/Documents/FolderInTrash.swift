/// A folder of the trash as file managers expect it at the top of a volume (freedesktop.org, "The FreeDesktop.org Trash specification").
public enum FolderInTrash: Sendable, Hashable {
    /// `.Trash-UID`
    case top
    /// `.Trash-UID/files`: what was thrown away.
    case files
    /// A folder that was thrown away, in `files` or deeper.
    case folder(Int64)
    /// `.Trash-UID/info`: where each of them lay, and when it was thrown away.
    case info
    /// `.Trash-UID/expunged`: gvfs moves there what it removes for good. It is always empty.
    case expunged

    /// The places in `top`.
    public static let named = [files, info, expunged]

    /// The name of `top` in the mountpoint.
    public static func topName(of user: UInt32) -> String { ".Trash-\(user)" }

    /// In `top`; nil for `top` itself, and for what was thrown away.
    public var name: String? {
        switch self {
        case .top, .folder: nil
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
        label(name.displayName, number, ending: name.pathExtension.isEmpty ? "" : ".\(name.pathExtension)")
    }

    /// The name in `files` that docfs gives to a folder: its own, or `Trip.2`, `Trip.3`.
    public static func label(forFolder name: String, number: Int) -> String { label(name, number, ending: "") }

    private static func label(_ name: String, _ number: Int, ending: String) -> String {
        let ending = (number == 1 ? "" : ".\(number)") + ending
        return name.prefix(bytes: EntryName.maximumLength - suffix.utf8.count - ending.utf8.count) + ending
    }
}
