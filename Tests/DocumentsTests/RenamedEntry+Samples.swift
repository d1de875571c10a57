import Documents

/// The entries that the tests of renaming use.
extension RenamedEntry {
    static let generatedFilename = "2026-11-21-041233-7f3a.txt"

    static func document(
        _ displayName: String, _ pathExtension: String = "txt", filename: String = generatedFilename,
        isGenerated: Bool = true, isFresh: Bool = false, naming: Naming = .given
    ) -> RenamedEntry {
        RenamedEntry(
            kind: .document, filename: filename, hasGeneratedFilename: isGenerated, isFilenameFresh: isFresh,
            name: DocumentName(storedDisplayName: displayName, pathExtension: pathExtension), naming: naming)
    }

    static let groceries = document("Groceries")
    static let plan = document("Plan", filename: "2026-11-22-101500-00ff.txt")
    /// The name of `zip`'s temporary file.
    static let temporary = document("ziAbC123", "", filename: "2026-11-22-101501-a0b1", isFresh: true)
    static let scratch = other(.scratch, "4913")
    static let folder = other(.folder, "Folder")
    static let link = other(.symbolicLink, "Link")
    static let scratchLink = RenamedEntry(
        kind: .symbolicLink, filename: ".#Link", hasGeneratedFilename: false, name: nil, naming: .given, isScratch: true
    )

    static func other(_ kind: EntryKind, _ filename: String) -> RenamedEntry {
        RenamedEntry(kind: kind, filename: filename, hasGeneratedFilename: false, name: nil, naming: .given)
    }
}

extension NamingContext {
    static let ordinary = NamingContext(keepsNames: false, isScratch: false)
    /// Inside a dot folder such as `.git`.
    static let hidden = NamingContext(keepsNames: true, isScratch: false)
    static let trash = NamingContext(keepsNames: true, isScratch: true)
}

extension DocumentName {
    static func named(_ displayName: String, _ pathExtension: String = "txt") -> DocumentName {
        DocumentName(storedDisplayName: displayName, pathExtension: pathExtension)
    }
}
