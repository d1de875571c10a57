import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import SystemPackage

/// Assigns stray files and folders to rows, or adopts them.
extension Reconciliation {
    mutating func assignFolders() throws {
        while true {
            let folders = strays.filter(\.isFolder)
            if folders.isEmpty { return }
            strays.removeAll(where: \.isFolder)
            try expandMissingFolders()
            var unmatched: [Stray] = []
            for stray in folders {
                guard let row = try owner(of: stray), try unite(stray, with: row) else {
                    unmatched.append(stray)
                    continue
                }
            }
            // A folder may have to wait for the folder that it is moved back to.
            if unmatched.count < folders.count {
                strays += unmatched
            } else {
                try unmatched.forEach { try matchOrAdoptFolder($0) }
            }
            try compareFolders()
        }
    }

    /// A folder that no rule recognised belongs to the missing folder at its path, or is new.
    mutating func matchOrAdoptFolder(_ stray: Stray) throws {
        guard let row = try transaction.entry(in: stray.folder, filename: stray.name), missing[row.inode] != nil,
            row.kind == .folder
        else { return try adopt(stray) }
        markFound(row.inode)
        try match(row, stray.found, in: try comparison.backing.folder(stray.folder, transaction))
        unvisited.append(row.inode)
    }

    mutating func assignFiles() throws {
        try expandMissingFolders()
        // By time of modification: new documents get positions in about the order in which they were made.
        let files = strays.sorted {
            (Timestamp($0.found.status.st_mtim), $0.name) < (Timestamp($1.found.status.st_mtim), $1.name)
        }
        strays = []
        for stray in files {
            if let row = try owner(of: stray), try unite(stray, with: row) { continue }
            try adopt(stray)
        }
    }

    /// Gives a row and its file the same path, and takes over into the row what the file says.
    ///
    /// - Returns: false where that cannot be done, or not yet.
    mutating func unite(_ stray: Stray, with row: Entry) throws -> Bool {
        guard let folder = try transaction.entry(stray.folder) else { return false }
        // Scratch files are never sent: they may leave the cloud's folder.
        let leavesCloud = row.isReplicated && folder.location == .local
        // A file in `local` is never moved into the cloud's folder, from which it would be sent.
        let isMovedBack = occasion == .failedWrite || occasion == .uncleanEnd && !leavesCloud
        if leavesCloud, occasion == .copy, row.currentVersion != nil { return false }
        let matched: (row: Entry, folder: BackingFolder)?
        matched = isMovedBack ? try moveBack(stray, to: row) : try follow(row, to: stray, in: folder)
        guard let matched else { return false }
        markFound(row.inode)
        guard let found = try identifyIfPresent(matched.row.filename, in: matched.folder) else { return true }
        try match(matched.row, found, in: matched.folder)
        if stray.isFolder { unvisited.append(row.inode) }
        return true
    }

    /// The file of a row was found. If it is a folder, its descendants are not missing either: the folder is compared anew.
    mutating func markFound(_ inode: InodeNumber) {
        var forgotten = [inode]
        while let next = forgotten.popLast() {
            missing.remove(next)
            if expanded.remove(next) != nil { forgotten += missing.children(of: next) }
        }
    }

    mutating func adopt(_ stray: Stray) throws {
        // The file was there before the write that failed: the write has removed the files that it made itself (`ifFailed`).
        if occasion == .failedWrite { return }
        var stray = stray
        var directory = try comparison.backing.folder(stray.folder, transaction)
        // An undo or a redo was about to give a content back (`Tree.exchangeContent`), and was not committed: the trash has it still.
        if stray.found.type == S_IFREG, RestoredVersionName.matches(stray.name), stray.found.status.st_nlink > 1 {
            return try directory.removeFile(stray.name)
        }
        let isCloud = try transaction.entry(stray.folder)?.location == .cloud
        // A crash while the log was applied may have left it. The log makes folders and links again if they are wanted.
        if isCloud, !isCatalogNew, occasion != .edits, try directory.removeEmptyTree(stray.name) { return }
        if isCloud, stray.found.type == S_IFREG,
            let twin = try transaction.entries(generatedFilename: stray.name).first,
            twin.location == .local, let id = twin.id, try transaction.replicaIsDeleted(id) != nil
        {
            // The document was moved out of the cloud and has a newer file in `local`. This older file must not be sent: it becomes a local
            // document as well.
            let local = try comparison.backing.folder(.local, transaction)
            let filename = try comparison.namespace.newFilename(twin.name?.pathExtension ?? "", in: .local, transaction)
            try directory.move(stray.name, to: local, filename, transaction)
            if let name = twin.name?.displayName {
                comparison.backing.writeDisplayName(name, of: filename, in: local, transaction)
            }
            (stray, directory) = (Stray(folder: .local, name: filename, found: stray.found), local)
        }
        try freeName(stray.name, in: stray.folder)
        guard let adopted = try comparison.foundFiles.adopt(stray, directory, transaction) else {
            comparison.logger.warning(
                "the store holds something that is no file, folder or link; it was left alone",
                metadata: ["name": "\(stray.name)"])
            return
        }
        comparison.logger.notice("a file without a row was adopted", metadata: ["filename": "\(adopted.filename)"])
        if adopted.kind == .folder { unvisited.append(adopted.inode) }
    }

    /// Renames a row without a file, so that a file can have its filename.
    mutating func freeName(_ filename: String, in folder: InodeNumber, besides inode: InodeNumber? = nil) throws {
        guard let row = try transaction.entry(in: folder, filename: filename), row.inode != inode else { return }
        var entry = row
        entry.filename = try comparison.namespace.distinctFilename(of: row, transaction)
        entry.markPending(.place)
        try transaction.update(entry)
        if missing[row.inode] != nil { missing.insert(entry) }
    }
}
