import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

extension Tree {
    func makeFolder(
        _ name: some Collection<UInt8>, in parent: InodeNumber, by creator: Creator
    ) throws(Refusal) -> Resolved {
        try makeEntry(name, in: parent, kind: .folder, by: creator) { entry, folder, name in
            entry.mode = creator.mode
            entry.nature = .folder(folder.namingContext.folder(name))
        } effect: { directory, name, transaction throws(Errno) in
            try directory.makeFolder(name, mode: creator.mode, transaction)
            try Self.assignOwner(creator, name, in: directory)
        }
    }

    func makeSymbolicLink(
        _ name: some Collection<UInt8>, to target: [UInt8], in parent: InodeNumber, by creator: Creator
    ) throws(Refusal) -> Resolved {
        try makeEntry(name, in: parent, kind: .symbolicLink, by: creator) { entry, _, _ in
            entry.mode = 0o777
            entry.nature = .symbolicLink(target: target)
        } effect: { directory, name, transaction throws(Errno) in
            try directory.makeSymbolicLink(name, target: target, transaction)
            try Self.assignOwner(creator, name, in: directory)
        }
    }

    func readSymbolicLink(_ inode: InodeNumber) throws(Refusal) -> [UInt8] {
        try inspect { rows in
            guard let entry = try rows.entry(inode) ?? orphans.entry(of: inode) else {
                throw Refusal.staleInode
            }
            guard let target = entry.target else { throw Refusal.notSymbolicLink }
            return target
        }
    }

    private func makeEntry(
        _ name: some Collection<UInt8>, in parent: InodeNumber, kind: EntryKind, by creator: Creator,
        prepare: (inout Entry, _ folder: Entry, EntryName) -> Void,
        effect: (BackingFolder, String, Transaction) throws(Errno) -> Void
    ) throws(Refusal) -> Resolved {
        let name = try Namespace.entryName(name)
        transfers.noteChangeOfName()
        return try mutate(makingNew: true, concerning: .only([])) { transaction in
            // In `Documents` itself only documents of the preferred folder resolve: a folder cannot have two paths.
            if parent == .documents { throw Refusal.notCreatableThere }
            let folder = try namespace.receivingFolder(parent, transaction)
            if let found = try namespace.resolve(name.text, in: parent, transaction), !found.isUntitledAlias {
                throw Refusal.nameExists
            }
            try Namespace.requireUnreserved(name)
            var entry = Entry(
                parent: folder.inode, location: folder.location, nature: .scratch, filename: name.text,
                created: surroundings.now(), position: try nextPosition(in: folder.inode, transaction), mode: 0)
            prepare(&entry, folder, name)
            let isScratch =
                kind == .folder ? entry.namingContext.isScratch : folder.namingContext.isScratch(name)
            if !isScratch {
                var random = surroundings.random()
                entry.id = .random(using: &random)
                entry.markPending(.creation)
            }
            let directory = try backing.folder(folder.inode, transaction)
            try effect(directory, name.text, transaction)
            entry.evidence = try directory.identify(name.text).evidence
            entry.inode = try transaction.insert(entry)
            try actions.recordCreation(of: entry, by: creator.caller, transaction)
            if entry.isReplicated { cloud.changesAreWaiting() }
            return Resolved(
                node: .entry(entry.inode), attributes: try fileAttributes.attributes(of: entry, transaction),
                isCacheable: true)
        }
    }

    /// With `--allow-other` an entry belongs to the user who made it. In a set-group-id folder it keeps the folder's group, which the file
    /// system gave it.
    static func assignOwner(
        _ creator: Creator, _ name: String, in directory: BackingFolder, isFile: Bool = false
    ) throws(Errno) {
        guard geteuid() == 0, creator.owner != 0 || creator.group != getegid() else { return }
        let inheritsGroup = try directory.descriptor.status().st_mode & S_ISGID != 0
        try directory.setOwner(name, owner: creator.owner, group: inheritsGroup ? .max : creator.group)
        // The change of owner took them away.
        if isFile, FileMode.hasSetID(creator.mode) { try directory.setFileMode(name, creator.mode) }
    }
}
