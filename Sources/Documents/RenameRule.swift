/// What of an entry matters to the rules of renaming.
public struct RenamedEntry: Sendable, Equatable {
    public var kind: EntryKind
    public var filename: String
    /// Whether the filename was generated (and is kept for life) rather than given.
    public var hasGeneratedFilename: Bool
    /// Whether the filename was generated so lately that nobody relies on it yet (`SavingInterval`).
    public var isFilenameFresh: Bool
    /// Nil for what is no document.
    public var name: DocumentName?
    public var naming: Naming

    public init(
        kind: EntryKind, filename: String, hasGeneratedFilename: Bool, isFilenameFresh: Bool = false,
        name: DocumentName?,
        naming: Naming
    ) {
        self.kind = kind
        self.filename = filename
        self.hasGeneratedFilename = hasGeneratedFilename
        self.isFilenameFresh = isFilenameFresh
        self.name = name
        self.naming = naming
    }
}

/// What of a folder matters to the names of what is put into it.
public struct NamingPlace: Sendable, Equatable {
    /// Inside a dot folder: filenames are the names that are given.
    public var keepsNames: Bool
    /// Inside a trash folder: all files are scratch.
    public var isScratch: Bool

    public init(keepsNames: Bool, isScratch: Bool) {
        self.keepsNames = keepsNames
        self.isScratch = isScratch
    }

    /// Whether a file called `name` is scratch here.
    public func isScratch(_ name: EntryName) -> Bool { isScratch || ScratchName.matches(name.text) }

    /// Whether a document called `name` has that for its filename here.
    public func keepsName(_ name: EntryName) -> Bool { keepsNames || name.isHidden }

    /// The place that a folder called `name` makes here.
    public func folder(_ name: EntryName) -> NamingPlace {
        NamingPlace(
            keepsNames: keepsNames || name.isHidden,
            isScratch: isScratch || ScratchName.matchesFolder(name.text))
    }
}

/// Where an entry's filename comes from after a rename.
public enum FilenameChoice: Sendable, Equatable {
    case keep
    case exactly(String)
    case generate
}

/// What an entry is called, and is, after a rename.
public struct Renaming: Sendable, Equatable {
    public var kind: EntryKind
    public var filename: FilenameChoice
    /// The new name and who chose it; nil where both stay.
    public var name: DocumentName?
    public var naming: Naming?

    public init(kind: EntryKind, filename: FilenameChoice, name: DocumentName? = nil, naming: Naming? = nil) {
        self.kind = kind
        self.filename = filename
        self.name = name
        self.naming = naming
    }
}

/// Why a rename is refused.
public enum RenameRefusal: Error, Equatable, Sendable {
    /// EEXIST: RENAME_NOREPLACE, or another document across containers.
    case exists
    /// EISDIR: a file over a folder.
    case isFolder
    /// ENOTDIR: a folder over a file.
    case notFolder
    /// EINVAL: RENAME_EXCHANGE across containers, or with what has no content to swap.
    case cannotExchange
}

/// What a rename does.
public enum RenamePlan: Equatable, Sendable {
    /// Both names mean the same entry.
    case nothing
    /// The source goes to a name that nothing had.
    case relocate(Renaming)
    /// The source's content becomes the content of the target document, whose identity stays.
    case replaceContent
    /// The target goes; the source takes its name.
    case replaceEntry(Renaming)
    /// Both swap their contents; names and identities stay.
    case exchange
}

public struct RenameOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// RENAME_NOREPLACE
    public static let noReplace = RenameOptions(rawValue: 1)
    /// RENAME_EXCHANGE
    public static let exchange = RenameOptions(rawValue: 2)
}

/// The rules of renaming (PRODUCT 2 "Two names" and "Saving as programs really do it", PRODUCT 4).
public enum RenameRule {
    /// - Parameters:
    ///   - target: what `name` means in the destination; nil for nothing.
    ///   - isSame: whether source and target are one entry.
    ///   - migrates: whether source and destination are in different containers.
    public static func plan(
        source: RenamedEntry, target: RenamedEntry?, isSame: Bool, name: EntryName,
        destination: NamingPlace, migrates: Bool, options: RenameOptions
    ) throws(RenameRefusal) -> RenamePlan {
        guard let target else {
            var source = source
            // Between containers the filename stays.
            if migrates { source.isFilenameFresh = false }
            return .relocate(renaming(source, to: name, in: destination))
        }
        if options.contains(.noReplace) { throw .exists }
        if isSame { return .nothing }
        if options.contains(.exchange) {
            let isAlike = [EntryKind.folder, .symbolicLink].allSatisfy { (source.kind == $0) == (target.kind == $0) }
            if migrates || !isAlike { throw .cannotExchange }
            return .exchange
        }
        if source.kind == .folder, target.kind != .folder { throw .notFolder }
        if source.kind != .folder, target.kind == .folder { throw .isFolder }
        if migrates, source.kind != .scratch || target.kind != .scratch { throw .exists }
        if target.kind == .document, source.kind != .symbolicLink { return .replaceContent }
        return .replaceEntry(renaming(source, to: name, in: destination))
    }

    /// What becomes of `source` when it is called `name` in `destination`.
    public static func renaming(_ source: RenamedEntry, to name: EntryName, in destination: NamingPlace) -> Renaming {
        switch source.kind {
        case .folder, .symbolicLink:
            return Renaming(kind: source.kind, filename: .exactly(name.text))
        case .document where destination.isScratch,
            .document where destination.isScratch(name) && !isOwnName(name, of: source),
            .scratch where destination.isScratch(name):
            return Renaming(kind: .scratch, filename: .exactly(name.text))
        case .scratch:
            let documentName = DocumentName(splitting: name)
            return Renaming(
                kind: .document,
                filename: destination.keepsName(name) ? .exactly(name.text) : .generate,
                name: documentName, naming: Naming(createdAs: documentName))
        case .document:
            return documentRenaming(source, to: name, in: destination)
        }
    }

    /// Whether what gets a name that nothing has becomes the document that was deleted from there, or set aside, a moment ago: so
    /// `zip` saves, which removes the archive and renames a temporary file. Between containers a document stays itself.
    public static func takesDepartedIdentity(_ source: EntryKind, as renaming: Renaming, migrates: Bool) -> Bool {
        renaming.kind == .document && (source == .scratch || source == .document && !migrates)
    }

    private static func documentRenaming(
        _ source: RenamedEntry, to name: EntryName, in destination: NamingPlace
    ) -> Renaming {
        let keepsName = destination.keepsName(name)
        let filename: FilenameChoice =
            if keepsName { name.text.isIdentical(to: source.filename) ? .keep : .exactly(name.text) } else {
                source.hasGeneratedFilename ? .keep : .generate
            }
        if isOwnName(name, of: source) { return Renaming(kind: .document, filename: filename) }
        let newName = DocumentName(splitting: name)
        let isAnew =
            filename == .keep && !keepsName && source.isFilenameFresh && !hasExtension(newName.pathExtension, source)
        return Renaming(kind: .document, filename: isAnew ? .generate : filename, name: newName, naming: .given)
    }

    /// Whether a filename was generated for a name with that extension.
    private static func hasExtension(_ pathExtension: String, _ source: RenamedEntry) -> Bool {
        if pathExtension.isEmpty { return source.name?.pathExtension.isEmpty == true }
        return source.filename.utf8Ends(with: "." + pathExtension)
    }

    /// Moving under a name that the document has already names nothing anew: its filename, its
    /// display name, or the `Untitled.EXT` by which a document without a name is reached.
    private static func isOwnName(_ name: EntryName, of source: RenamedEntry) -> Bool {
        guard let current = source.name else { return false }
        let asked = DocumentName(splitting: name)
        let isAlias =
            source.naming == .untitled && asked.displayName == Naming.untitledName
            && asked.pathExtension.isIdentical(to: current.pathExtension)
        return isAlias || name.text.isIdentical(to: source.filename)
            || name.text.isIdentical(to: current.full)
    }
}
