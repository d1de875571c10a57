import Backing
import Catalog
import Documents
import SystemPackage

/// rename(2), from top to bottom: gather the facts and let `RenameRule` decide (`plan`), change files and rows (`carryOut`), and say which
/// names changed their meaning (`announce`).
extension Tree {
    /// rename(2) and renameat2(2): names a document, moves it, replaces its content, exchanges two entries, or moves one between `local`
    /// and `cloud`. It never waits for the network: the kernel locks both directories until this returns.
    ///
    /// - Throws: ENOENT, EEXIST, EISDIR, ENOTDIR, ENOTEMPTY, EBUSY, EINVAL, EPERM for virtual names,
    ///   EHOSTUNREACH when content that is not here would have to leave a cloud that cannot be reached.
    func rename(
        _ name: some Collection<UInt8>, in parent: InodeNumber, to newName: some Collection<UInt8>,
        in newParent: InodeNumber, options: RenameOptions, by caller: Caller = .unknown
    ) throws(Refusal) {
        let newName = try Namespace.entryName(newName)
        // Before and after: a file that is opened meanwhile may see either state.
        openFiles.requireSaves()
        defer { openFiles.requireSaves() }
        let names = [(String(validating: name, as: UTF8.self), parent), (newName.text, newParent)]
        try mutate(names: names) { transaction, require in
            guard
                let move = try plan(name, in: parent, to: newName, in: newParent, options: options, transaction)
            else { return }
            for entry in [move.source, move.target].compactMap(\.self) { try require(entry) }
            let changed = try carryOut(move, by: caller, transaction)
            try announce(
                move, changed, from: UsedName(name, in: parent), to: UsedName(newName.text.utf8, in: newParent),
                transaction
            )
            // A rename within `Documents` changes names in the preferred folder, which the kernel has not locked.
            if parent == .documents, newParent == .documents { transaction.announce(.callAwaitsNames) }
        }
    }

    /// Gathers the facts that decide about a rename, and lets `RenameRule` decide.
    ///
    /// - Returns: nil when there is nothing to do.
    private func plan(
        _ name: some Collection<UInt8>, in parent: InodeNumber, to newName: EntryName, in newParent: InodeNumber,
        options: RenameOptions, _ rows: Rows
    ) throws -> Move? {
        let now = surroundings.now()
        let source = try namespace.existing(name, in: parent, rows)
        var renamed = source.renamed(at: now)
        renamed.isCalledByAlias = source.isCalledByAlias(name)
        try RenameRule.requireMovable(renamed)
        let folder = try namespace.receivingFolder(newParent, rows)
        let found = try namespace.resolve(newName.text, in: newParent, rows)
        let migrates = source.location != folder.location
        let continuation = try identities.continuation(
            called: newName, in: folder.inode, by: source, over: found?.entry, rows)
        let plan = try RenameRule.plan(
            RenameRequest(
                source: renamed, target: found?.entry.renamed(at: now),
                isSame: source.inode == found?.entry.inode, isTargetAlias: found?.isUntitledAlias == true,
                name: newName, destination: folder.namingContext, isIntoDocuments: newParent == .documents,
                isIntoItself: try source.kind == .folder && rows.isInside(folder.inode, ancestor: source.inode),
                staysInFolder: source.parent == folder.inode, migrates: migrates, canContinue: continuation != nil,
                former: identities.former(of: source, called: newName, in: folder.inode)?.renamed(at: now),
                couldBeGenerated: namespace.couldHaveGenerated(DocumentName(splitting: newName)),
                obstacle: try migrates || folder.namingContext.mayBeScratch(newName)
                    ? migration.obstacle(toMigrating: source, rows) : nil,
                options: options))
        if plan == .nothing { return nil }
        return Move(
            source: source, isSourceCalledByAlias: renamed.isCalledByAlias, target: found?.entry,
            isTargetNameListed: found?.isListedName == true, folder: folder,
            name: newName, plan: plan, migrates: migrates, continuation: continuation)
    }

    /// Changes files and rows as the plan says.
    ///
    /// - Returns: the entries whose names changed their meaning, as they were before.
    private func carryOut(_ move: Move, by caller: Caller, _ transaction: Transaction) throws -> [Entry] {
        let source = move.source
        switch move.plan {
        case .relocate, .replaceEntry, .exchange: try transaction.requireWritten(source.inode)
        case .nothing, .replaceContent, .restoreVersion: break
        }
        switch move.plan {
        case .nothing:
            return []
        case .relocate(let renaming):
            try relocate(source, as: renaming, move, by: caller, transaction)
            return [source]
        case .replaceContent(let backsUp):
            guard let target = move.target else { return [] }
            try replaceContent(of: target, with: source, by: caller, transaction)
            // A program that renames a document over an older backup of it will make the document anew.
            if backsUp {
                identities.recentlyRemoved.add(
                    source, byAlias: move.isSourceCalledByAlias, isBackup: false, now: surroundings.now(), transaction)
            }
            return [source, target]
        case .restoreVersion:
            guard let target = move.target else { return [] }
            try restoreVersion(of: target, with: source, by: caller, transaction)
            return [source, target]
        case .replaceEntry(let renaming):
            guard let target = move.target else { return [] }
            try replaceEntry(target, by: source, caller: caller, transaction) {
                try relocate(source, as: renaming, move, by: caller, transaction)
            }
            return [source, target]
        case .exchange:
            guard let target = move.target else { return [] }
            try exchange(source, target, by: caller, transaction)
            return [source, target]
        }
    }

    /// Announces the names that the kernel must forget. It moves its cache entry of the old name to the new name by itself.
    private func announce(
        _ move: Move, _ changed: [Entry], from oldName: UsedName, to newName: UsedName, _ transaction: Transaction
    ) throws {
        for entry in changed {
            // In an exchange every name changes its meaning. Else the kernel has updated one name of each file by itself.
            let used = entry.inode == move.source.inode ? oldName : newName
            transaction.announce(.entryChanged(EntryNames(entry), besides: move.plan == .exchange ? nil : used))
        }
        for name in [oldName, newName] where name.folder == .documents {
            transaction.announce(.listingChanged(of: namespace.preferredFolder))
        }
        if try !isNewNameCacheable(after: move, in: newName.folder, transaction) {
            transaction.announce(.nameChanged(move.name.text, in: newName.folder))
        }
    }

    private func isNewNameCacheable(
        after move: Move, in newParent: InodeNumber, _ rows: Rows
    ) throws -> Bool {
        // The source has taken over the target's names.
        switch move.plan {
        case .replaceContent where move.isTargetNameListed, .restoreVersion where move.isTargetNameListed: return true
        default: break
        }
        guard let found = try namespace.resolve(move.name.text, in: newParent, rows),
            found.entry.inode == move.source.inode
        else { return false }
        return namespace.isCacheable(found, as: move.name.text, in: newParent)
    }
}
