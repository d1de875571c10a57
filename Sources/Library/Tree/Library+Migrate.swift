import Backing
import CLinux
import Catalog
import Documents
import SystemPackage

/// Moving between local and cloud: setUbiquitous YES or NO (PRODUCT 4). The rename itself is local and
/// returns at once; `Synchronizer` sends or fetches what follows from it.
extension Library {
    /// Brings what lies in a folder along after the folder itself was moved or renamed.
    ///
    /// - Parameter place: what names in the folder mean from now on.
    func carryDescendants(
        of folder: Entry, from source: Entry, to place: NamingPlace, migrates: Bool, _ catalog: CatalogTransaction
    ) throws {
        guard migrates || place != source.place else { return }
        var places = [folder.inode: place]
        var moved = folder
        moved.place = place
        if place.isScratch != source.place.isScratch { try changeReplication(of: &moved, isScratch: place.isScratch, catalog) }
        try catalog.update(moved)
        for var entry in try catalog.descendants(of: folder.inode) {
            guard let above = places[entry.parent], let name = try? EntryName(entry.filename) else { continue }
            if entry.kind == .folder {
                entry.place = above.folder(name)
                places[entry.inode] = entry.place
            }
            let isScratch = entry.kind == .folder ? entry.place.isScratch : above.isScratch
            entry.container = folder.container
            try changeReplication(of: &entry, isScratch: isScratch, catalog)
            try catalog.update(entry)
        }
        // What lies in them may be called otherwise from now on.
        if place.isScratch != source.place.isScratch { places.keys.forEach { catalog.announce(.listingChanged(of: $0)) } }
    }

    /// What enters a trash folder stops being anyone's document; what leaves it becomes one.
    private func changeReplication(of entry: inout Entry, isScratch: Bool, _ catalog: CatalogTransaction) throws {
        if isScratch, entry.id != nil {
            try withdraw(entry, step: nil, catalog)
            let kind = entry.kind
            try takeFullName(&entry, catalog)
            entry.dropIdentity()
            if kind != .document { entry.kind = kind }
        } else if !isScratch, entry.id == nil, entry.kind != .scratch || !ScratchName.matches(entry.filename) {
            var random = surroundings.random()
            entry.id = .random(using: &random)
            if entry.kind == .scratch {
                entry.kind = .document
                entry.name = DocumentName(splitting: try EntryName(entry.filename))
            }
            entry.notePending(entry.kind == .document ? [.creation, .content] : .creation)
        }
    }

    /// What is no document any more has one name only: let it be the one that its owner knows.
    private func takeFullName(_ entry: inout Entry, _ catalog: CatalogTransaction) throws {
        guard let name = entry.name?.full, entry.isHere,
            try catalog.entry(in: entry.parent, filename: name) == nil
        else { return }
        let directory = try backing.folder(entry.parent, catalog)
        if try directory.renameIfPresent(entry.filename, to: directory, name, flags: RENAME_NOREPLACE) {
            catalog.announce(.nameChanged(entry.filename, in: entry.parent))
            entry.filename = name
        }
    }

    /// Completes a move across containers for the entry and all it holds, as one step.
    func migrate(_ top: Entry, from source: Entry, _ catalog: CatalogTransaction) throws {
        let moved = [top] + (top.kind == .folder ? try catalog.descendants(of: top.inode) : [])
        switch top.container {
        case .cloud: try migrateIntoCloud(moved, catalog)
        case .local: try migrateOutOfCloud(moved, catalog)
        case nil: break
        }
        transfers.wake.signal()
    }

    /// More than this would not fit into the one commit that a step is; it goes in several.
    private static let largestStep = 40_000

    private func migrateIntoCloud(_ moved: [Entry], _ catalog: CatalogTransaction) throws {
        let step = moved.count <= Self.largestStep ? try catalog.next(.stepNumber) : nil
        for var entry in moved where entry.id != nil {
            if !entry.isHere { throw Errno.resourceBusy }  // its content is still on the way out
            entry.container = .cloud
            entry.pending = entry.kind == .document ? [.creation, .content] : .creation
            entry.revision += 1
            entry.step = step
            if entry.kind == .document { try noteBackingContent(&entry, catalog) }
            if let id = entry.id { try catalog.deleteWithdrawal(id) }
            try catalog.update(entry)
            // Moving is no writing: only what was written just now may be written to again at once.
            transfers.noteMoved(entry.inode, modified: entry.modified, now: surroundings.now())
        }
    }

    private func migrateOutOfCloud(_ moved: [Entry], _ catalog: CatalogTransaction) throws {
        if moved.contains(where: { !$0.inCloud.isBackingCurrent }), !transfers.isReachable { throw Errno.noRouteToHost }
        let step = try catalog.next(.stepNumber)
        for var entry in moved where entry.id != nil {
            // An older version that is here is not what leaves the cloud.
            if entry.inCloud.isBackingCurrent {
                try withdraw(entry.inCloud, step: step, catalog)
            } else {
                entry.isHere = false
            }
            entry.container = .local
            entry.pending = []
            entry.revision += 1
            entry.step = entry.isHere ? nil : step
            entry.error = nil
            try catalog.update(entry)
            if entry.isHere { transfers.forget(entry.inode) }
        }
    }
}
