/// The names of scratch files, which programs leave while they work (Semantics, "Dotfiles and scratch files").
public enum ScratchName {
    private static let suffixes = ["~", ".swp", ".swo", ".swx", ".tmp", ".part", ".crdownload"]
    private static let prefixes = [".#", "~$", ".goutputstream-", ".fuse_hidden", ".nfs", folderPrefix]
    private static let folderPrefix = ".Trash-"

    /// Whether a file of this name is scratch.
    public static func matches(_ name: String) -> Bool {
        let utf8 = name.utf8
        return suffixes.contains { name.utf8Ends(with: $0) }
            || prefixes.contains { utf8.starts(with: $0.utf8) }
            || (utf8.count >= 2 && utf8.first == hash && utf8.last == hash)
            || (utf8.starts(with: ".~lock.".utf8) && utf8.last == hash)
            || (utf8.starts(with: "sed".utf8) && name.unicodeScalars.count == 9)
            || name.isIdentical(to: "4913")
            || name.isIdentical(to: ".DS_Store")
    }

    /// Whether a folder of this name is scratch, with everything in it. Only the trash of file managers is: a person's folder called
    /// `Old~` must not be left out of the cloud without a word.
    public static func matchesFolder(_ name: String) -> Bool {
        name.utf8.starts(with: folderPrefix.utf8)
    }

    private static let hash = UInt8(ascii: "#")
}

/// The names to which programs rename the old file before they write the new one.
public enum BackupName {
    private static let endings = [".bak", ".old", ".orig", ".backup", ".save"]

    /// Whether `name` is that of a backup of a document called `original`: the whole name and more (`a.txt.bak`, `a.txt~`), or the
    /// display name with a usual ending (`a.bak`).
    public static func isBackup(_ name: String, of original: DocumentName) -> Bool {
        let full = original.full
        if name.utf8.count > full.utf8.count, name.utf8.starts(with: full.utf8) { return true }
        return hasUsualEnding(name, of: original)
    }

    /// Whether it is that of a backup also where nothing else tells. A temporary file `Plan` that becomes `Plan.txt` is no backup, and neither is
    /// `Untitled song` one of `Untitled`.
    static func isCertainBackup(_ name: String, of original: DocumentName) -> Bool {
        isBackup(name, of: original)
            && (!original.pathExtension.isEmpty || hasUsualEnding(name, of: original)
                || name.isIdentical(to: original.full + "~"))
    }

    /// Whether `name` is the display name with a usual ending of backups.
    private static func hasUsualEnding(_ name: String, of original: DocumentName) -> Bool {
        endings.contains { name.isIdentical(to: original.displayName + $0) }
    }
}

extension String {
    func utf8Ends(with suffix: String) -> Bool {
        utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
