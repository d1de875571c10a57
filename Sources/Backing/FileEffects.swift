import Documents
import CLinux
import Catalog
import Glibc
import SystemPackage

// The changes of the store's files that a transaction makes. Each says beside what it does how it is undone, which happens if the transaction
// fails. If undoing fails as well, the folders that the transaction used are compared with their rows (`StoreComparison.undoFileChanges`).

extension BackingFolder {
    /// Creates a file that must not exist yet.
    package func makeFile(
        _ name: String, _ access: Int32, mode: UInt16, _ transaction: Transaction
    ) throws(Errno) -> Descriptor {
        let file = try makeFile(name, access, mode: mode)
        transaction.ifFailed { try self.removeFile(name) }
        return file
    }

    package func makeFolder(_ name: String, mode: UInt16, _ transaction: Transaction) throws(Errno) {
        try makeFolder(name, mode: mode)
        transaction.ifFailed { try self.removeFolder(name) }
    }

    package func makeSymbolicLink(_ name: String, target: [UInt8], _ transaction: Transaction) throws(Errno) {
        try makeSymbolicLink(name, target: target)
        transaction.ifFailed { try self.removeFile(name) }
    }

    /// Renames a file or folder to a name that nothing has.
    ///
    /// - Throws: EEXIST if something has the new name, ENOENT.
    package func move(
        _ name: String, to destination: BackingFolder, _ newName: String, _ transaction: Transaction
    ) throws(Errno) {
        try rename(name, to: destination, newName, flags: RENAME_NOREPLACE)
        transaction.ifFailed { try destination.rename(newName, to: self, name, flags: RENAME_NOREPLACE) }
    }

    /// As `move`, also where something has the new name, which is then lost.
    package func moveOver(
        _ name: String, to destination: BackingFolder, _ newName: String, _ transaction: Transaction
    ) throws(Errno) {
        try rename(name, to: destination, newName)
        transaction.ifFailed { try destination.rename(newName, to: self, name, flags: RENAME_NOREPLACE) }
    }

    /// As `move`.
    ///
    /// - Returns: false when there is nothing of that name to rename.
    package func moveIfPresent(
        _ name: String, to destination: BackingFolder, _ newName: String, _ transaction: Transaction
    ) throws(Errno) -> Bool {
        do throws(Errno) { try move(name, to: destination, newName, transaction) } catch {
            if error == .noSuchFileOrDirectory { return false }
            throw error
        }
        return true
    }

    /// Swaps two names.
    package func exchange(
        _ name: String, with other: BackingFolder, _ otherName: String, _ transaction: Transaction
    ) throws(Errno) {
        try rename(name, to: other, otherName, flags: RENAME_EXCHANGE)
        transaction.ifFailed { try self.rename(name, to: other, otherName, flags: RENAME_EXCHANGE) }
    }

    /// rmdir(2). The directory that is made again if the transaction fails is another one, of which its row is told when files and rows are
    /// compared next.
    package func removeFolder(_ name: String, _ transaction: Transaction) throws(Errno) {
        let former = try status(name)
        try removeFolder(name)
        transaction.ifFailed {
            try self.makeFolder(name, mode: UInt16(former.st_mode & 0o7777))
            try self.setTimes(name, [former.st_atim, former.st_mtim])
        }
    }

    /// chmod(2) of a directory (`setFolderMode`) or of a file (`setFileMode`).
    package func setMode(
        _ mode: UInt16, of name: String, isFolder: Bool, _ transaction: Transaction
    ) throws(Errno) {
        let former = UInt16(try status(name).st_mode & 0o7777)
        func set(_ mode: UInt16) throws(Errno) {
            if isFolder { try setFolderMode(name, mode) } else { try setFileMode(name, mode) }
        }
        try set(mode)
        transaction.ifFailed { try set(former) }
    }

    /// chown(2). `UInt32.max` leaves the owner or group as it is.
    package func setOwner(
        _ name: String, owner: UInt32, group: UInt32, _ transaction: Transaction
    ) throws(Errno) {
        let former = try status(name)
        try setOwner(name, owner: owner, group: group)
        transaction.ifFailed { try self.setOwner(name, owner: former.st_uid, group: former.st_gid) }
    }
}

extension BackingStore {
    /// Moves a file to `staging` (`setAside`).
    package func setAside(
        _ name: String, of inode: InodeNumber, in folder: BackingFolder, _ transaction: Transaction
    ) throws(Errno) {
        try setAside(name, of: inode, in: folder)
        transaction.ifFailed { try self.putBack(name, of: inode, in: folder) }
    }

    /// After the transaction, unlinks a file that was set aside.
    package func discardSetAside(_ inode: InodeNumber, after transaction: Transaction) {
        transaction.whenDone { try self.discard(inode) }
    }

    /// After the transaction, moves a file that was set aside to the trash.
    package func keepSetAside(_ inode: InodeNumber, after transaction: Transaction) {
        transaction.whenDone { try self.keepSetAside(inode) }
    }

    /// Moves the file of a removed document to the trash (`throwAway`).
    ///
    /// - Returns: false if there is no such file.
    package func throwAway(
        _ name: String, of inode: InodeNumber, in folder: BackingFolder, _ transaction: Transaction
    ) throws(Errno) -> Bool {
        guard try throwAway(name, of: inode, in: folder) else { return false }
        transaction.ifFailed { _ = try self.takeBack(name, of: inode, to: folder) }
        return true
    }

    /// Moves a file from the trash to a folder (`takeBack`).
    ///
    /// - Returns: false if it is not in the trash.
    package func takeBack(
        _ name: String, of inode: InodeNumber, to folder: BackingFolder, _ transaction: Transaction
    ) throws(Errno) -> Bool {
        guard try takeBack(name, of: inode, to: folder) else { return false }
        transaction.ifFailed { _ = try self.throwAway(name, of: inode, in: folder) }
        return true
    }

    /// Gives a file in the trash a name in a folder as well. The trash has it until the transaction has succeeded: at each moment a kill or a
    /// failure leaves it there.
    ///
    /// - Throws: ENOENT if it is not in the trash.
    package func linkFromTrash(
        _ inode: InodeNumber, to folder: BackingFolder, _ name: String, _ transaction: Transaction
    ) throws(Errno) {
        try linkFromTrash(inode, to: folder, name)
        transaction.ifFailed { try folder.removeFile(name) }
    }

    /// Gives a file a second name (`keep`), before another one is renamed over it. Undoing gives both their names back, if that
    /// was done, and takes the second name away.
    ///
    /// - Parameter newName: of the file that is to get the name, in `newFolder`.
    package func keep(
        _ name: String, of inode: InodeNumber, in folder: BackingFolder, _ second: SecondName,
        whileReplacedBy newName: String, in newFolder: BackingFolder, _ transaction: Transaction
    ) throws(Errno) {
        try keep(name, of: inode, in: folder, second)
        transaction.ifFailed {
            try self.undoReplacement(of: name, inode, in: folder, second, by: newName, in: newFolder)
        }
    }

    /// Copies the display name to an extended attribute of a file (`writeDisplayName`).
    ///
    /// - Returns: whether the attribute is as it should be now.
    @discardableResult
    package func writeDisplayName(
        _ displayName: String?, of name: String, in folder: BackingFolder, _ transaction: Transaction
    ) -> Bool {
        // Without opening the file once more: each rename and save comes by here.
        let former = folder.carriedName(of: name).flatMap { String(validating: $0, as: UTF8.self) }
        let isWritten = writeDisplayName(displayName, of: name, in: folder)
        // A name that cannot be written back is written when files and rows are compared.
        transaction.ifFailed { self.writeDisplayName(former, of: name, in: folder) }
        return isWritten
    }
}
