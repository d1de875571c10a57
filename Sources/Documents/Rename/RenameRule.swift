/// The rules of renaming (Semantics, "Two names", "Saving" and "Moving between local and cloud"). They decide what a rename does; the
/// page Architecture says which few decisions are made outside it.
public enum RenameRule {
    /// Decides the effect of a rename. Pure: the request has all facts.
    ///
    /// - Throws: `RenameRefusal`; then nothing is to change.
    public static func plan(_ request: RenameRequest) throws(RenameRefusal) -> RenamePlan {
        try requireAllowedFolders(request)
        let plan = try planByKinds(request)
        if plan == .nothing { return plan }
        if request.migrates, let obstacle = request.obstacle { throw .migration(obstacle) }
        if plan == .exchange, !request.source.isContentHere || request.target?.isContentHere == false {
            throw .contentNotHere
        }
        return plan
    }

    /// Refuses to move `Documents`, `local` and `cloud`. Called before the destination is looked up, since no destination is valid.
    public static func requireMovable(_ source: RenamedEntry) throws(RenameRefusal) {
        if source.isOfTheTree { throw .isOfTheTree }
    }

    private static func requireAllowedFolders(_ request: RenameRequest) throws(RenameRefusal) {
        try requireMovable(request.source)
        if request.target?.isOfTheTree == true { throw .isOfTheTree }
        guard request.source.kind == .folder else { return }
        if request.isIntoDocuments { throw .folderIntoDocuments }
        if request.isIntoItself { throw .intoItself }
    }

    private static func planByKinds(_ request: RenameRequest) throws(RenameRefusal) -> RenamePlan {
        let (source, options) = (request.source, request.options)
        guard let target = request.target else {
            if options.contains(.exchange) { throw .nothingToExchange }
            return .relocate(renaming(request))
        }
        if options.contains(.noReplace) { throw .exists }
        if request.isSame { return .nothing }
        if options.contains(.exchange) {
            let isAlike = [EntryKind.folder, .symbolicLink].allSatisfy { (source.kind == $0) == (target.kind == $0) }
            if request.migrates || !isAlike { throw .cannotExchange }
            return .exchange
        }
        if source.kind == .folder, target.kind != .folder { throw .notFolder }
        if source.kind != .folder, target.kind == .folder { throw .isFolder }
        if request.migrates, source.kind != .scratch || target.kind != .scratch { throw .exists }
        // A placeholder has no content here that the target could get, so it replaces the target as an entry.
        if target.kind == .document, source.kind != .symbolicLink, source.isContentHere { return .replaceContent }
        return .replaceEntry(renaming(request))
    }

    private static func renaming(_ request: RenameRequest) -> Renaming {
        var source = request.source
        // A filename stays on the way between containers.
        if request.migrates, request.target == nil { source.isFilenameFresh = false }
        var renaming = renaming(source, to: request.name, in: request.destination)
        // A document that moves between containers continues no other one.
        renaming.continuesRemoved =
            renaming.kind == .document && source.isContentHere
            && (source.kind == .scratch || source.kind == .document && !request.migrates)
        return renaming
    }

    /// The kind and the names of `source` if it is renamed to `name` in `destination`.
    static func renaming(_ source: RenamedEntry, to name: EntryName, in destination: NamingContext) -> Renaming {
        switch source.kind {
        case .folder, .symbolicLink:
            return Renaming(kind: source.kind, filename: .exactly(name.text))
        case .document where destination.isScratch,
            .document where destination.isScratch(name) && !isOwnName(name, of: source):
            return Renaming(kind: .scratch, identity: .ends, filename: .exactly(name.text))
        case .scratch where destination.isScratch(name):
            return Renaming(kind: .scratch, filename: .exactly(name.text))
        case .scratch:
            let documentName = DocumentName(splitting: name)
            return Renaming(
                kind: .document, identity: .begins,
                filename: destination.keepsName(name) ? .exactly(name.text) : .generate,
                name: documentName, naming: Naming(createdAs: documentName))
        case .document:
            return documentRenaming(source, to: name, in: destination)
        }
    }

    private static func documentRenaming(
        _ source: RenamedEntry, to name: EntryName, in destination: NamingContext
    ) -> Renaming {
        let keepsName = destination.keepsName(name)
        let filename: FilenameChoice =
            if keepsName { name.text.isIdentical(to: source.filename) ? .keep : .exactly(name.text) } else {
                source.hasGeneratedFilename ? .keep : .generate
            }
        if isOwnName(name, of: source) { return Renaming(kind: .document, filename: filename) }
        let newName = DocumentName(splitting: name)
        let needsFilename =
            filename == .keep && !keepsName && source.isFilenameFresh && !hasExtension(newName.pathExtension, source)
        return Renaming(kind: .document, filename: needsFilename ? .generate : filename, name: newName, naming: .given)
    }

    /// Whether the filename has that extension.
    private static func hasExtension(_ pathExtension: String, _ source: RenamedEntry) -> Bool {
        if pathExtension.isEmpty { return source.name?.pathExtension.isEmpty == true }
        return source.filename.utf8Ends(with: "." + pathExtension)
    }

    /// Whether the document has this name already, so that the rename gives it no new one: its filename, its display name, or the
    /// `Untitled.EXT` under which an untitled document resolves.
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
