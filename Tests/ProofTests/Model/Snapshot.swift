import Glibc
import MountSupport
import SystemPackage

/// The plain folder as it was, with what the ledger knew of it.
struct Snapshot {
    struct Entry {
        let path: String
        let look: Look
        let modified: timespec
        let inode: UInt64
        let document: Int?
        let scratch: Int?
        let position: Int?
        let folder: Int?
    }

    /// Folders before what is in them.
    let entries: [Entry]

    init(of root: TreePath, _ ledger: Ledger) throws {
        var entries: [Entry] = []
        func visit(_ folder: TreePath, _ prefix: String) throws {
            for name in try folder.entries().map(\.name).sorted() {
                let path = folder / name
                let status = try path.linkStatus()
                let inode = UInt64(status.st_ino)
                let look = try path.look()
                if look.isFile, ledger.documents[inode] == nil, ledger.scratch[inode] == nil {
                    ledger.scratch[inode] = ledger.newNumber()
                }
                entries.append(
                    Entry(
                        path: prefix + name, look: look, modified: status.st_mtim, inode: inode,
                        document: ledger.documents[inode],
                        scratch: ledger.scratch[inode], position: ledger.positions[inode],
                        folder: ledger.folders[inode]))
                if look.isFolder { try visit(path, prefix + name + "/") }
            }
        }
        try visit(root, "")
        self.entries = entries
    }

    /// Makes the plain folder what it was. *Scratch files take part in no action*: those that were removed since then do not come back.
    func restore(in root: TreePath, _ ledger: Ledger, instead present: Snapshot) throws {
        for entry in present.entries.reversed() {
            let path = root / entry.path
            if entry.look.isFolder { try path.removeFolder() } else { try path.remove() }
            ledger.documents[entry.inode] = nil
            ledger.scratch[entry.inode] = nil
            ledger.positions[entry.inode] = nil
            ledger.folders[entry.inode] = nil
        }
        let scratch = Set(present.entries.compactMap(\.scratch))
        let documents = Set(present.entries.compactMap(\.document))
        let folders = Set(present.entries.compactMap(\.folder))
        for entry in entries {
            if let number = entry.scratch, !scratch.contains(number) { continue }
            let path = root / entry.path
            try entry.make(path)
            guard let inode = path.inode else { continue }
            ledger.documents[inode] = entry.document
            ledger.scratch[inode] = entry.scratch
            ledger.positions[inode] = entry.position
            if let folder = entry.folder {
                ledger.folders[inode] = folders.contains(folder) ? folder : ledger.newNumber()
            }
        }
        // What was away is no backup of anything any more.
        for (name, removed) in ledger.removed where removed.hasBackup && !documents.contains(removed.identity) {
            ledger.removed[name] = nil
        }
    }
}

extension Snapshot.Entry {
    fileprivate func make(_ path: TreePath) throws {
        if look.isFolder {
            try path.makeFolder()
        } else if let target = look.target {
            try path.makeLink(to: target)
        } else {
            try FilePath(path.string).write(look.content?.bytes ?? [])
        }
        if look.target == nil {
            try path.setUserAttributes(look.attributes)
            try path.call { chmod($0, look.mode & 0o7777) }
        }
        try path.call { utimensat(AT_FDCWD, $0, [modified, modified], AT_SYMLINK_NOFOLLOW) }
    }
}
