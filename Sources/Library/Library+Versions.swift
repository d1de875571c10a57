import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

/// `F.conflicts/` and `F.versions/`.
extension Library {
    /// Opens a version for reading: at once if this device holds that content.
    public func openVersion(_ inode: InodeNumber, flags: Int32) throws(Errno) -> Opening {
        try versionFiles.openVersion(inode, flags: flags)
    }

    /// Waits for the first bytes of a version, and opens it.
    public func finishOpeningVersion(_ inode: InodeNumber) async throws(Errno) -> UInt64 {
        try await versionFiles.finishOpeningVersion(inode)
    }

    /// `rm F.conflicts/V`: discards one version.
    public func discardVersion(_ name: some Collection<UInt8>, in folder: VersionFolder, of inode: InodeNumber)
        throws(Errno)
    {
        try versionFiles.discardVersion(name, in: folder, of: inode)
    }

    /// `mv F.conflicts/V F`: makes a version current.
    public func chooseVersion(
        _ name: some Collection<UInt8>, in folder: VersionFolder, of inode: InodeNumber,
        as newName: some Collection<UInt8>, in newParent: InodeNumber, options: RenameOptions
    ) throws(Errno) {
        try versionFiles.chooseVersion(name, in: folder, of: inode, as: newName, in: newParent, options: options)
    }

    public func lookup(_ name: some Collection<UInt8>, in folder: VersionFolder, of inode: InodeNumber) throws(Errno)
        -> Resolved
    {
        try versionFiles.lookup(name, in: folder, of: inode)
    }

    public func list(_ folder: VersionFolder, of inode: InodeNumber) throws(Errno) -> [ListedName] {
        try versionFiles.list(folder, of: inode)
    }
}
