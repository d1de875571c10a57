import Backing
import CLinux
import Catalog
import Documents
import Glibc
import Logging
import SystemPackage

/// Compares the names in a folder with its rows. Files without a row become strays, rows without a file become missing.
extension Reconciliation {
    mutating func compareFolders() throws {
        while let folder = unvisited.popLast() { try compare(folder) }
    }

    mutating func compare(_ folder: InodeNumber) throws {
        if visited.contains(folder) { return }
        let directory: BackingFolder
        let names: [String]
        do {
            directory = try comparison.backing.folder(folder, transaction)
            // Another folder may have been moved to its path. That one is matched with its own row first.
            if try isOther(directory, than: folder) {
                comparison.backing.forget(folder)
                return unreadable.append(folder)
            }
            names = try directory.names()
        } catch {
            // Its rows do not count as missing: their files may be there.
            unreadable.append(folder)
            comparison.logger.warning(
                "a folder of the store cannot be read", metadata: ["inode": "\(folder)", "error": "\(error)"])
            return
        }
        visited.insert(folder)
        var rows = Dictionary(try transaction.children(of: folder).map { (ExactName($0.filename), $0) }) { first, _ in
            first
        }
        for name in names {
            guard let found = try identifyIfPresent(name, in: directory) else { continue }
            if let row = rows[ExactName(name)], row.kind.backingType == found.type, !isOtherFolder(row, found) {
                rows[ExactName(name)] = nil
                if isSubstitute(found, for: row) {
                    substitutes.append(Substitute(row: row.inode, found: found))
                    continue
                }
                try match(row, found, in: directory)
                if found.type == S_IFDIR, isRecursive { unvisited.append(row.inode) }
            } else {
                strays.append(Stray(folder: folder, name: name, found: found))
            }
        }
        for row in rows.values where row.hasFile {
            // Ask the file system once more before a row is treated as missing. Another folder at a row's path is no match.
            if try identifyIfPresent(row.filename, in: directory)?.type != row.kind.backingType || row.kind == .folder {
                missing.insert(row)
            }
        }
    }

    func isOther(_ directory: BackingFolder, than folder: InodeNumber) throws -> Bool {
        guard occasion.knowsInodes, let known = try transaction.entry(folder)?.evidence, known.birth != 0 else {
            return false
        }
        return try directory.descriptor.identify().evidence != known
    }

    /// Whether the folder at the path of a row is another one. A folder that was moved brings its own files along.
    func isOtherFolder(_ row: Entry, _ found: IdentifiedStatus) -> Bool {
        guard row.kind == .folder, occasion.knowsInodes, let known = row.evidence, known.birth != 0 else {
            return false
        }
        return known != found.evidence
    }

    /// - Returns: nil only if there certainly is no file of that name.
    func identifyIfPresent(_ name: String, in folder: BackingFolder) throws(Errno) -> IdentifiedStatus? {
        do throws(Errno) { return try folder.identify(name) } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }
}
