/// The rules of renaming (Semantics, "Two names", "Saving" and "Moving between local and cloud"). What a rename does is decided here alone.
public enum RenameRule {
    /// Decides the effect of a rename. Pure: the request has all facts.
    ///
    /// - Throws: `RenameRefusal`; then nothing is to change.
    public static func plan(_ asked: RenameRequest) throws(RenameRefusal) -> RenamePlan {
        var request = asked
        if request.isTargetAlias && !savesOverAlias(request) || takesNameBack(request) {
            (request.target, request.isSame) = (nil, false)
        }
        if request.target == nil, VirtualName.isReserved(request.name.text) { throw .reservedName }
        try requireAllowedFolders(request)
        let plan = try planByKinds(request)
        if plan == .nothing { return plan }
        if let obstacle = request.obstacle, leavesContainer(plan, request) { throw .migration(obstacle) }
        if plan == .exchange, !request.source.isContentHere || request.target?.isContentHere == false {
            throw .contentNotHere
        }
        return plan
    }

    /// The kind and the names of a file that is created as `name` in `destination`.
    ///
    /// - Parameter couldBeGenerated: as of a `RenameRequest`.
    public static func creation(
        of name: EntryName, in destination: NamingContext, couldBeGenerated: Bool
    ) -> Renaming {
        if destination.isScratch(name) { return Renaming(kind: .scratch, filename: .exactly(name.text)) }
        return newDocument(called: name, in: destination, couldBeGenerated: couldBeGenerated)
    }

    /// The names of a new document, also one whose name looks like that of a scratch file.
    ///
    /// - Parameter couldBeGenerated: as of a `RenameRequest`.
    public static func newDocument(
        called name: EntryName, in destination: NamingContext, couldBeGenerated: Bool
    ) -> Renaming {
        let documentName = DocumentName(splitting: name)
        return Renaming(
            kind: .document, identity: .begins,
            filename: destination.keepsName(name)
                ? .exactly(name.text) : generated(documentName, couldBeGenerated: couldBeGenerated),
            name: documentName, naming: Naming(createdAs: documentName))
    }

    /// The filename of a document that had none that was generated.
    private static func generated(_ name: DocumentName, couldBeGenerated: Bool) -> FilenameChoice {
        couldBeGenerated ? .restored(name.full) : .generate
    }

    /// Whether an entry is scratch when it is called `name` in `destination`: it then stays on this device, and takes part in no undo.
    public static func isScratch(_ entry: RenamedEntry, as name: EntryName, in destination: NamingContext) -> Bool {
        switch entry.kind {
        case .folder: destination.folder(name).isScratch
        case .scratch: destination.isScratch(name)
        // A link that travels under such a name came so from another device, and keeps it.
        case .symbolicLink:
            destination.isScratch
                || destination.isScratch(name) && (entry.isScratch || !name.text.isIdentical(to: entry.filename))
        case .document: destination.isScratch || destination.isScratch(name) && !isOwnName(name, of: entry)
        }
    }

    /// Refuses to move `Documents`, `local` and `cloud`. Called before the destination is looked up, since no destination is valid.
    public static func requireMovable(_ source: RenamedEntry) throws(RenameRefusal) {
        if source.isOfTheTree { throw .isOfTheTree }
    }

    /// Whether the source leaves its location: it moves to the other one, or becomes scratch, by its name or in a trash folder.
    private static func leavesContainer(_ plan: RenamePlan, _ request: RenameRequest) -> Bool {
        if request.migrates { return true }
        switch plan {
        case .relocate(let renaming), .replaceEntry(let renaming):
            // Editors rename what they save to a backup, and the document goes on under its name: so it can be saved in conflict, too.
            if request.obstacle == .inConflict, mayBeBackup(request.name.text, of: request.source) { return false }
            return renaming.identity == .ends
                || renaming.kind == .folder && request.destination.folder(request.name).isScratch
        case .nothing, .replaceContent, .restoreVersion, .exchange: return false
        }
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
        if target.kind == .document, source.kind != .symbolicLink, source.isContentHere {
            if restoresVersion(request.source, target) { return .restoreVersion }
            return .replaceContent(backsUp: target.name.map { mayBeBackup($0.full, of: source) } ?? false)
        }
        return .replaceEntry(renaming(request))
    }

    /// Whether a file that is renamed to `Untitled.EXT` is a save of the document that this means. Anything else finds the name free, as a file
    /// that is created with O_EXCL does: also what continues another document that was just called so, and a document that is called so itself.
    private static func savesOverAlias(_ request: RenameRequest) -> Bool {
        let source = request.source
        return (source.kind == .document || source.kind == .scratch) && source.isContentHere
            && !request.canContinue && !isOwnName(request.name, of: source) && !request.migrates
            && request.options.isEmpty
    }

    /// Whether a backup gets its former name back, by which another document of that name answers meanwhile.
    private static func takesNameBack(_ request: RenameRequest) -> Bool {
        guard request.former != nil, let target = request.target else { return false }
        return request.options.isEmpty && !request.isSame && !target.filename.isIdentical(to: request.name.text)
    }

    /// Of a placeholder, and of a document whose newest version is not here, there is no file to keep: that is a save, and
    /// `docfs versions restore` downloads the document first.
    private static func restoresVersion(_ source: RenamedEntry, _ target: RenamedEntry) -> Bool {
        source.kind == .scratch && RestoredVersionName.matches(source.filename) && target.isContentHere
    }

    /// Whether a document of this name may be a backup of the source, whichever of its names the program goes by.
    private static func mayBeBackup(_ name: String, of source: RenamedEntry) -> Bool {
        source.name.map { BackupName.isBackup(name, of: $0) } ?? false
            || otherNames(of: source).contains { BackupName.isCertainBackup(name, of: $0) }
    }

    /// The names besides its own by which a program may know a document: its filename, and `Untitled.EXT` where the program called it so.
    private static func otherNames(of source: RenamedEntry) -> [DocumentName] {
        guard let own = source.name else { return [] }
        let alias = source.isCalledByAlias ? source.naming.alias(extension: own.pathExtension) : nil
        return [alias, filename(of: source)].compactMap(\.self)
    }

    private static func filename(of source: RenamedEntry) -> DocumentName? {
        // `try?`: another program may have put a file with another name into the store.
        (try? EntryName(source.filename)).map { DocumentName(splitting: $0) }
    }

    private static func renaming(_ request: RenameRequest) -> Renaming {
        var source = request.source
        // A filename stays on the way between containers.
        if request.migrates, request.target == nil { source.isFilenameFresh = false }
        var renaming = renaming(
            source, to: request.name, in: request.destination, couldBeGenerated: request.couldBeGenerated)
        if request.canContinue, renaming.kind == .document, continuesRemoved(request) {
            return Renaming(kind: .document, identity: .continues, filename: .keep)
        }
        guard renaming.identity == .none, let name = renaming.name else { return renaming }
        if let former = request.former, renaming.kind == .document { return takingBack(former, source) }
        if mayBeBackup(name.full, of: source) {
            renaming.identity = .backsUp
            if givesUpFilename(for: renaming, request) { renaming.filename = .generate }
        }
        return renaming
    }

    /// A backup becomes the document again that it was a moment ago: the save has failed.
    private static func takingBack(_ former: RenamedEntry, _ source: RenamedEntry) -> Renaming {
        let filename: FilenameChoice =
            former.filename.isIdentical(to: source.filename)
            ? .keep : former.hasGeneratedFilename ? .restored(former.filename) : .exactly(former.filename)
        return Renaming(kind: .document, filename: filename, name: former.name, naming: former.naming)
    }

    /// Whether a backup gives its filename up: the program goes by it, and will write a new file under it.
    private static func givesUpFilename(for renaming: Renaming, _ request: RenameRequest) -> Bool {
        guard renaming.filename == .keep, request.staysInFolder, let name = renaming.name,
            let filename = filename(of: request.source)
        else { return false }
        return BackupName.isCertainBackup(name.full, of: filename)
    }

    /// Whether a source that is a document afterwards continues the one that had the name.
    private static func continuesRemoved(_ request: RenameRequest) -> Bool {
        let source = request.source
        // A document that moves between containers continues no other one.
        // A scratch file whose content is still to come was a placeholder, and may become that one again.
        return (source.kind == .scratch || source.kind == .document && source.isContentHere && !request.migrates)
            && !isCertainlyBackup(request.name, of: source)
    }

    /// Whether a document becomes a backup of itself. It continues no older backup that was deleted a moment ago: a file that is written in
    /// its own place will want its identity back.
    private static func isCertainlyBackup(_ name: EntryName, of source: RenamedEntry) -> Bool {
        // A temporary file `Plan` that becomes `Plan.txt` is no backup.
        guard let own = source.name else { return false }
        return ([own] + otherNames(of: source)).contains { BackupName.isCertainBackup(name.text, of: $0) }
    }

    /// The kind and the names of `source` if it is renamed to `name` in `destination`, where nothing was removed a moment ago.
    static func renaming(
        _ source: RenamedEntry, to name: EntryName, in destination: NamingContext, couldBeGenerated: Bool = false
    ) -> Renaming {
        let isScratch = isScratch(source, as: name, in: destination)
        switch source.kind {
        case .folder:
            return Renaming(kind: .folder, filename: .exactly(name.text))
        case .symbolicLink:
            // The lock of emacs is a link with a scratch name.
            let identity: IdentityChange = isScratch == source.isScratch ? .none : isScratch ? .ends : .begins
            return Renaming(kind: .symbolicLink, identity: identity, filename: .exactly(name.text))
        case .document where isScratch:
            return Renaming(kind: .scratch, identity: .ends, filename: .exactly(name.text))
        case .scratch:
            return creation(of: name, in: destination, couldBeGenerated: couldBeGenerated)
        case .document:
            return documentRenaming(source, to: name, in: destination, couldBeGenerated: couldBeGenerated)
        }
    }

    private static func documentRenaming(
        _ source: RenamedEntry, to name: EntryName, in destination: NamingContext, couldBeGenerated: Bool
    ) -> Renaming {
        let keepsName = destination.keepsName(name)
        let filename: FilenameChoice =
            if keepsName { name.text.isIdentical(to: source.filename) ? .keep : .exactly(name.text) } else {
                source.hasGeneratedFilename
                    ? .keep : generated(DocumentName(splitting: name), couldBeGenerated: couldBeGenerated)
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
        let alias = source.naming.alias(extension: current.pathExtension)
        return alias?.full.isIdentical(to: name.text) == true || name.text.isIdentical(to: source.filename)
            || name.text.isIdentical(to: current.full)
    }
}
