/// The names of scratch files: what programs leave while they work, and no documents (PRODUCT 2).
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

    /// Whether a folder of this name, and all in it, is scratch. Only the trash of file managers is:
    /// a person's folder that happens to be called `Old~` must not silently stay off the cloud.
    public static func matchesFolder(_ name: String) -> Bool {
        name.utf8.starts(with: folderPrefix.utf8)
    }

    private static let hash = UInt8(ascii: "#")
}

/// The names under which programs set the old content aside before they write the new one.
public enum BackupName {
    private static let endings = [".bak", ".old", ".orig", ".backup", ".save"]

    /// Whether `name` reads as a backup of a document called `original`:
    /// the whole name and more (`a.txt.bak`, `a.txt~`) or the stem with a usual ending (`a.bak`).
    public static func isBackup(_ name: String, of original: DocumentName) -> Bool {
        let full = original.full
        if name.utf8.count > full.utf8.count, name.utf8.starts(with: full.utf8) { return true }
        return endings.contains { name.isIdentical(to: original.displayName + $0) }
    }
}

extension String {
    func utf8Ends(with suffix: String) -> Bool {
        utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
