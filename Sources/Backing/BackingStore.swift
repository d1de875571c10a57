import CLinux
import Catalog
import CrashPoints
import Dispatch
import Documents
import Glibc
import Synchronization
import SystemPackage

/// The plain files of the store: `STORE/local/…` and `STORE/cloud/…` mirror the tree, each document under its filename, so that documents
/// can be read without docfs (Semantics, "The store").
///
/// `STORE/staging` holds files for a short time: contents that are being downloaded, and files whose removal is not certain yet.
/// `STORE/trash` holds the files of documents that were removed and can be brought back.
package final class BackingStore: Sendable {
    /// The store's folder. It stands for the mountpoint and `Documents` as well, which have no folders of their own.
    package let root: BackingFolder
    /// The folder `staging`. Its names are those of `isOwnStagingName`.
    package let staging: BackingFolder
    /// The folder `trash` (`throwAway`).
    package let trash: BackingFolder

    /// Open directories. The mutex guards this cache only, and is taken inside the tree's lock, never around it.
    private let folders = Mutex<[InodeNumber: BackingFolder]>([:])
    private let maximumOpenFolders: Int

    /// Opens the folders of a store and makes those that are missing.
    ///
    /// - Parameter path: of the store's folder, which must exist.
    package init(path: String) throws(Errno) {
        maximumOpenFolders = Self.mostOpenFolders
        root = try BackingFolder.open(path: path)
        for name in [Location.local.rawValue, Location.cloud.rawValue, "staging", "trash"]
        where try !root.exists(name) {
            try root.makeFolder(name, mode: 0o700)
        }
        staging = try root.folder("staging")
        trash = try root.folder("trash")
    }

    /// A small part of the descriptors that this process may have.
    private static var mostOpenFolders: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 16 }
        return Int(min(2048, max(16, limit.rlim_cur / 8)))
    }

    /// Whether the file system takes no changes. One that the kernel made read-only after an error says so only to who tries.
    package var isReadOnly: Bool {
        do throws(Errno) { try root.touch() } catch { return error == .readOnlyFileSystem }
        return false
    }

    /// The directory that holds the children of a folder.
    ///
    /// - Throws: ESTALE if the folder has no row, or the error of opening the directory.
    package func folder(_ inode: InodeNumber, _ rows: Rows) throws -> BackingFolder {
        rows.willUseFiles(of: inode)
        if let folder = folders.withLock({ $0[inode] }) { return folder }
        // Opens the directories from the nearest open one down. A loop, because folders may be nested deeply.
        var (below, nearest) = ([Entry](), inode)
        while true {
            if let top = try topFolder(nearest) ?? folders.withLock({ $0[nearest] }) {
                return try below.reversed().reduce(top) { try open($1.filename, in: $0, as: $1.inode) }
            }
            guard let entry = try rows.entry(nearest), entry.kind == .folder else { throw Errno.staleNFSFileHandle }
            below.append(entry)
            nearest = entry.parent
        }
    }

    /// As `folder`, and nil if there is no such directory or no row. Any other failure says nothing about the files in it.
    package func folderIfPresent(_ inode: InodeNumber, _ rows: Rows) throws -> BackingFolder? {
        let absent: Set<Errno> = [
            .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels, .staleNFSFileHandle,
        ]
        do { return try folder(inode, rows) } catch let error as Errno where absent.contains(error) { return nil }
    }

    private func topFolder(_ inode: InodeNumber) throws(Errno) -> BackingFolder? {
        switch inode {
        case .root, .documents: root
        case .local, .cloud:
            if let folder = folders.withLock({ $0[inode] }) {
                folder
            } else {
                try open((inode == .local ? Location.local : .cloud).rawValue, in: root, as: inode)
            }
        default: nil
        }
    }

    private func open(_ name: String, in parent: BackingFolder, as inode: InodeNumber) throws(Errno) -> BackingFolder {
        let opened = try parent.folder(name)
        folders.withLock { folders in
            if folders.count >= maximumOpenFolders { folders.removeAll() }
            folders[inode] = opened
        }
        return opened
    }

    /// Closes the directory of a folder that was removed.
    package func forget(_ folder: InodeNumber) {
        folders.withLock { _ = $0.removeValue(forKey: folder) }
    }

    /// Closes all directories, because the names of rows may stand for other directories now.
    package func forgetFolders() { folders.withLock { $0 = [:] } }

    /// Has the file system of the store write its cache to the disk.
    ///
    /// - Parameter seconds: how long that may take.
    /// - Returns: whether it succeeded in that time.
    package func synchronizeAll(within seconds: Int) -> Bool {
        let outcome = SynchronizationOutcome()
        DispatchQueue.global().async { [root] in
            // A store that cannot be opened counts as not synchronized.
            let succeeded = (try? root.openFile(".", O_RDONLY | O_DIRECTORY)).map { syncfs($0.number) == 0 } ?? false
            outcome.succeeded.store(succeeded, ordering: .releasing)
            outcome.ended.signal()
        }
        return outcome.ended.wait(timeout: .now() + .seconds(seconds)) == .success
            && outcome.succeeded.load(ordering: .acquiring)
    }

    /// Copies the display name to an extended attribute of the backing file, for people who have the files without docfs. It is
    /// optional where the row is committed at once, and some file systems have no extended attributes. A row that is committed late is rebuilt
    /// from it after a crash.
    ///
    /// - Parameter displayName: nil removes the attribute, for a file that belongs to no document.
    /// - Returns: whether the attribute is as it should be now.
    @discardableResult
    package func writeDisplayName(_ displayName: String?, of name: String, in folder: BackingFolder) -> Bool {
        guard let file = try? folder.openFile(name, O_RDONLY | O_NONBLOCK) else { return false }
        if let displayName { return writeDisplayName(displayName, on: file) }
        do throws(Errno) {
            try file.removeExtendedAttribute(Self.displayNameAttribute)
            return true
        } catch { return error == .noData }
    }

    /// Copies the display name to the attribute of an open file.
    ///
    /// - Returns: whether the file has the attribute now.
    @discardableResult
    package func writeDisplayName(_ displayName: String, on file: Descriptor) -> Bool {
        if !Protection.nameOnFile.isOn { return true }
        return (try? file.setExtendedAttribute(Self.displayNameAttribute, Array(displayName.utf8))) != nil
    }

    /// The attribute of a backing file that carries its document's display name. The mount shows one of the same name.
    package static let displayNameAttribute = "user.displayName"

    // MARK: Removal in two steps

    /// Moves a file to `staging`, from where it can be put back.
    package func setAside(_ name: String, of inode: InodeNumber, in folder: BackingFolder) throws(Errno) {
        // A placeholder has no file.
        _ = try folder.renameIfPresent(name, to: staging, Self.asideName(inode))
    }

    /// Moves a file that was set aside back to its folder. Does nothing if none was.
    package func putBack(_ name: String, of inode: InodeNumber, in folder: BackingFolder) throws(Errno) {
        _ = try staging.renameIfPresent(Self.asideName(inode), to: folder, name)
    }

    /// Unlinks a file that was set aside.
    package func discard(_ inode: InodeNumber) throws(Errno) {
        do throws(Errno) { try staging.removeFile(Self.asideName(inode)) } catch .noSuchFileOrDirectory {}
    }

    private static let asidePrefix = "removed-"

    static func asideName(_ inode: InodeNumber) -> String { asidePrefix + String(inode.number) }

    /// Whether `staging` has the file that was set aside for an inode.
    package func hasSetAside(_ inode: InodeNumber) throws(Errno) -> Bool { try staging.exists(Self.asideName(inode)) }

    /// How the names begin under which files are made in `staging`: contents that are being downloaded, and files that lose their
    /// name at once.
    private static let ownPrefixes = [asidePrefix, "arriving-", "trial-", "sending-", "checkpoint"]

    /// Whether docfs may have made a file of that name in `staging`.
    package static func isOwnStagingName(_ name: String) -> Bool { ownPrefixes.contains { name.hasPrefix($0) } }

    /// The inode that a name in `staging` was set aside for.
    package static func inode(setAsideAs name: String) -> InodeNumber? {
        guard name.hasPrefix(asidePrefix) else { return nil }
        return Int64(name.dropFirst(asidePrefix.count)).map(InodeNumber.init)
    }
}

private final class SynchronizationOutcome: Sendable {
    let ended = DispatchSemaphore(value: 0)
    let succeeded = Atomic<Bool>(false)
}

extension BackingFolder {
    /// The display name in the extended attribute of a file; nil if it has none or cannot be opened.
    package func displayName(of name: String) -> String? {
        guard let file = try? openFile(name, O_RDONLY | O_NONBLOCK) else { return nil }
        var bytes = [UInt8](repeating: 0, count: EntryName.maximumLength)
        let count = fgetxattr(file.number, BackingStore.displayNameAttribute, &bytes, bytes.count)
        return count > 0 ? String(validating: bytes.prefix(count), as: UTF8.self) : nil
    }

    /// The bytes of the extended attribute that carries a display name, read without opening the file; nil if it has none or cannot be
    /// read.
    package func carriedName(of name: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4 * EntryName.maximumLength)
        let path = "/proc/self/fd/\(descriptor.number)/\(name)"
        let count = lgetxattr(path, BackingStore.displayNameAttribute, &bytes, bytes.count)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }
}
