import Documents
import CLinux
import Catalog
import SystemPackage

/// The trash: each file is called by the inode number that its document had. No other entry gets that number again.
extension BackingStore {
    /// Moves the file of a removed document from its folder to the trash.
    ///
    /// - Returns: false if there is no such file: another program may have removed it.
    @discardableResult
    package func throwAway(_ name: String, of inode: InodeNumber, in folder: BackingFolder) throws(Errno) -> Bool {
        try folder.renameIfPresent(name, to: trash, Self.trashName(inode))
    }

    /// Gives a file in the trash a name in a folder as well.
    ///
    /// - Throws: ENOENT if it is not in the trash.
    package func linkFromTrash(_ inode: InodeNumber, to folder: BackingFolder, _ name: String) throws(Errno) {
        try trash.link(Self.trashName(inode), to: folder, name)
    }

    /// Moves a file that was set aside to the trash.
    package func keepSetAside(_ inode: InodeNumber) throws(Errno) {
        _ = try staging.renameIfPresent(Self.asideName(inode), to: trash, Self.trashName(inode))
    }

    /// Moves a file from the trash to a folder, in which nothing has the name.
    ///
    /// - Returns: false if it is not in the trash.
    package func takeBack(_ name: String, of inode: InodeNumber, to folder: BackingFolder) throws(Errno) -> Bool {
        try trash.renameIfPresent(Self.trashName(inode), to: folder, name, flags: RENAME_NOREPLACE)
    }

    /// Gives a file in the trash another number.
    package func renumberInTrash(_ inode: InodeNumber, as new: InodeNumber) throws(Errno) {
        try trash.rename(Self.trashName(inode), to: trash, Self.trashName(new), flags: RENAME_NOREPLACE)
    }

    /// Unlinks a file in the trash, if it is there.
    package func removeFromTrash(_ inode: InodeNumber) throws(Errno) {
        do throws(Errno) { try trash.removeFile(Self.trashName(inode)) } catch .noSuchFileOrDirectory {}
    }

    /// The files in the trash. Other names, which docfs never gives, are left out.
    package func inodesInTrash() throws(Errno) -> [InodeNumber] {
        try trash.names().compactMap(Self.inode(inTrash:))
    }

    /// The inode number that a file in the trash is called by; nil for a name that docfs does not give.
    package static func inode(inTrash name: String) -> InodeNumber? {
        Int64(name).flatMap { $0 > 0 && String($0) == name ? InodeNumber($0) : nil }
    }

    /// The name of a file in the trash.
    package static func trashName(_ inode: InodeNumber) -> String { String(inode.number) }
}
