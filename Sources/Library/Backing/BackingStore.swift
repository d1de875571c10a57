import CLinux
import Catalog
import Documents
import Glibc
import Synchronization
import SystemPackage

/// The plain files of the store: `STORE/local/…` and `STORE/cloud/…` mirror the tree, each document
/// under its filename, so that with docfs gone nothing is locked in (PRODUCT 10).
///
/// Besides them `STORE/staging` holds what is on its way: content that is being downloaded, and
/// content whose removal is not yet certain.
final class BackingStore: Sendable {
    let root: BackingFolder
    let staging: BackingFolder

    /// Guards nothing but the cache itself; taken inside the catalog's queue, never around it.
    private let folders = Mutex<[InodeNumber: BackingFolder]>([:])
    private static let maximumOpenFolders = 2048

    init(path: String) throws(Errno) {
        root = try BackingFolder.open(path: path)
        for name in [Container.local.rawValue, Container.cloud.rawValue, "staging"] {
            do throws(Errno) { try root.makeFolder(name, mode: 0o700) } catch .fileExists {}
        }
        staging = try root.folder("staging")
    }

    /// The directory that holds the children of a folder.
    func folder(_ inode: InodeNumber, _ catalog: CatalogTransaction) throws -> BackingFolder {
        if let folder = folders.withLock({ $0[inode] }) { return folder }
        let opened: BackingFolder
        switch inode {
        case .root, .documents: return root
        case .local: opened = try root.folder(Container.local.rawValue)
        case .cloud: opened = try root.folder(Container.cloud.rawValue)
        default:
            guard let entry = try catalog.entry(inode), entry.kind == .folder else { throw Errno.staleNFSFileHandle }
            opened = try folder(entry.parent, catalog).folder(entry.filename)
        }
        folders.withLock { folders in
            if folders.count >= Self.maximumOpenFolders { folders.removeAll() }
            folders[inode] = opened
        }
        return opened
    }

    /// Closes the directory of a folder that was removed.
    func forget(_ folder: InodeNumber) {
        folders.withLock { _ = $0.removeValue(forKey: folder) }
    }

    /// Puts the display name on the backing file, for the day when docfs is gone. Store file systems
    /// without extended attributes do not get it: the catalog is what counts.
    ///
    /// - Returns: whether the file has it, if there is any.
    @discardableResult
    func mirror(displayName: String?, of name: String, in folder: BackingFolder) -> Bool {
        guard let displayName else { return true }
        guard let file = try? folder.openFile(name, O_RDONLY | O_NONBLOCK) else { return false }
        return mirror(displayName: displayName, on: file)
    }

    /// - Returns: whether the file has it.
    @discardableResult
    func mirror(displayName: String, on file: Descriptor) -> Bool {
        (try? file.setExtendedAttribute(Self.displayNameAttribute, Array(displayName.utf8))) != nil
    }

    static let displayNameAttribute = "user.displayName"

    // MARK: Removal in two steps

    /// Takes a file out of the tree so that it can still be put back.
    func setAside(_ name: String, of inode: InodeNumber, in folder: BackingFolder) throws(Errno) {
        // A placeholder has no file.
        _ = try folder.renameIfPresent(name, to: staging, Self.asideName(inode))
    }

    func putBack(_ name: String, of inode: InodeNumber, in folder: BackingFolder) throws(Errno) {
        _ = try staging.renameIfPresent(Self.asideName(inode), to: folder, name)
    }

    /// - Throws: ESTALE when it was removed for good.
    func openSetAside(_ inode: InodeNumber) throws(Errno) -> Descriptor {
        do throws(Errno) {
            return try staging.openFile(Self.asideName(inode), O_RDONLY)
        } catch {
            throw error == .noSuchFileOrDirectory ? .staleNFSFileHandle : error
        }
    }

    /// Removes for good what was set aside.
    func discard(_ inode: InodeNumber) throws(Errno) {
        do throws(Errno) { try staging.removeFile(Self.asideName(inode)) } catch .noSuchFileOrDirectory {}
    }

    private static let asidePrefix = "removed-"

    private static func asideName(_ inode: InodeNumber) -> String { asidePrefix + String(inode.number) }

    /// The inode that a name in `staging` was set aside for.
    static func inode(setAsideAs name: String) -> InodeNumber? {
        guard name.hasPrefix(asidePrefix) else { return nil }
        return Int64(name.dropFirst(asidePrefix.count)).map(InodeNumber.init)
    }
}

extension BackingFolder {
    /// The display name that a file carries for the day when docfs is gone.
    func displayName(of name: String) -> String? {
        guard let file = try? openFile(name, O_RDONLY | O_NONBLOCK) else { return nil }
        var bytes = [UInt8](repeating: 0, count: EntryName.maximumLength)
        let count = fgetxattr(file.number, BackingStore.displayNameAttribute, &bytes, bytes.count)
        return count > 0 ? String(validating: bytes.prefix(count), as: UTF8.self) : nil
    }
}
