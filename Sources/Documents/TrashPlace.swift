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
        "[Trash Info]\nPath=\(encoded(path))\nDeletionDate=\(deleted.date)T\(deleted.clock(separator: ":"))\n"
    }

    /// The name in `files` that a name in `info` belongs to; nil for any other name.
    public static func label(of name: String) -> String? {
        guard name.utf8Ends(with: suffix), name.utf8.count > suffix.utf8.count else { return nil }
        return String(decoding: name.utf8.dropLast(suffix.utf8.count), as: UTF8.self)
    }

    /// As in a URL; slashes stay.
    private static func encoded(_ path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            let character = Character(UnicodeScalar(byte))
            let isPlain = character.isASCII && (character.isLetter || character.isNumber || "/-._~".contains(character))
            if isPlain {
                text.append(character)
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }
}

extension EntryName {
    /// The names that several things of one name get where only one can have it: `Plan.txt`, `Plan.2.txt`, `Plan.3.txt`.
    public static func numbered(_ name: String, _ number: Int) -> String {
        if number == 1 { return name }
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else {
            return "\(name).\(number)"
        }
        return "\(name[..<dot]).\(number)\(name[dot...])"
    }
}
