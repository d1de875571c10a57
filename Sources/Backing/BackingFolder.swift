import CLinux
import CrashPoints
import Glibc
import LinuxFiles
import SystemPackage

/// One directory of the store, held by descriptor: it stays the same directory when it or a folder above it is renamed, and no path can
/// lead out of it. Names are single components. Symbolic links are never followed.
package final class BackingFolder: Sendable {
    /// Opened with O_PATH: it serves the calls that end in `at`, and fstat(2), but cannot be read or synced.
    package let descriptor: Descriptor

    private init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    private var number: Int32 { descriptor.number }

    /// Opens a directory by its path, in which symbolic links are followed.
    package static func open(path: String) throws(Errno) -> BackingFolder {
        BackingFolder(try Descriptor.open(path, O_PATH | O_DIRECTORY))
    }

    /// Opens a directory in it.
    ///
    /// - Throws: ENOENT; ENOTDIR for anything but a directory, a symbolic link included.
    package func folder(_ name: String) throws(Errno) -> BackingFolder {
        BackingFolder(try openFile(name, O_PATH | O_DIRECTORY))
    }

    /// - Parameters:
    ///   - flags: of open(2). O_NOFOLLOW and O_CLOEXEC are added.
    ///   - mode: of a file that O_CREAT creates. The daemon's umask is 0.
    /// - Throws: ENOENT, ELOOP for a symbolic link, or another errno of open(2).
    package func openFile(_ name: String, _ flags: Int32, mode: UInt16 = 0) throws(Errno) -> Descriptor {
        if flags & O_CREAT != 0 { CrashPoint.makeFile.pass() }
        return Descriptor(
            try Descriptor.check { openat(number, name, flags | O_NOFOLLOW | O_CLOEXEC, mode_t(mode)) })
    }

    /// Opens a file for docfs's own reading, if possible without changing its access time.
    package func openUnnoticed(_ name: String) throws(Errno) -> Descriptor {
        do throws(Errno) {
            return try openFile(name, O_RDONLY | O_NOATIME)
        } catch {
            // Only the owner may use O_NOATIME.
            if error != .notPermitted { throw error }
            return try openFile(name, O_RDONLY)
        }
    }

    /// lstat(2): of the file or link itself.
    package func status(_ name: String) throws(Errno) -> stat {
        var status = stat()
        _ = try Descriptor.check { fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) }
        return status
    }

    /// As `status`, with the birth time, which tells the file from another one with the same inode number.
    package func identify(_ name: String) throws(Errno) -> IdentifiedStatus {
        try IdentifiedStatus(name, in: number, flags: AT_SYMLINK_NOFOLLOW)
    }

    /// - Returns: nil if there is no such name. Any other failure says nothing about the file.
    package func statusIfPresent(_ name: String) throws(Errno) -> stat? {
        do throws(Errno) { return try status(name) } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    /// As `statusIfPresent`, with the birth time.
    package func identifyIfPresent(_ name: String) throws(Errno) -> IdentifiedStatus? {
        do throws(Errno) { return try identify(name) } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    /// Whether anything has the name, even a symbolic link that leads nowhere.
    ///
    /// - Throws: an errno other than ENOENT, which says nothing about the file.
    package func exists(_ name: String) throws(Errno) -> Bool { try statusIfPresent(name) != nil }

    // The row has an entry's mode, and the kernel enforces it. The mode of the backing file always lets its owner read and write, because
    // docfs must be able to when the person may not.
    /// Added to the mode of each backing file.
    package static let fileAccess: UInt16 = 0o600
    private static let folderAccess: UInt16 = 0o700

    /// Whether a backing file can have exactly this mode of its row.
    package static func keepsMode(_ mode: UInt16) -> Bool { mode & fileAccess == fileAccess }

    /// mkdir(2). Its owner may do everything in it, whatever `mode` says.
    ///
    /// - Throws: EEXIST, ENOSPC, or another errno of mkdir(2).
    package func makeFolder(_ name: String, mode: UInt16) throws(Errno) {
        CrashPoint.makeFolder.pass()
        _ = try Descriptor.check { mkdirat(number, name, mode_t(mode | Self.folderAccess)) }
    }

    /// chmod(2) of a directory. Its owner may still do everything in it.
    package func setFolderMode(_ name: String, _ mode: UInt16) throws(Errno) {
        try setMode(name, mode | Self.folderAccess)
    }

    /// chmod(2) of a file. Its owner may still read and write it.
    package func setFileMode(_ name: String, _ mode: UInt16) throws(Errno) {
        try setMode(name, mode | Self.fileAccess)
    }

    /// Creates a file that must not exist yet.
    package func makeFile(_ name: String, _ access: Int32 = O_RDWR, mode: UInt16) throws(Errno) -> Descriptor {
        try openFile(name, access | O_CREAT | O_EXCL, mode: mode | Self.fileAccess)
    }

    /// A new, empty file without a name. It is removed when its descriptor is closed.
    ///
    /// - Parameter name: a name that is used until the file is unlinked. No other file may have it.
    package func openUnnamedFile(_ name: String) throws(Errno) -> Descriptor {
        let file = try openFile(name, O_RDWR | O_CREAT | O_TRUNC, mode: 0o600)
        try removeFile(name)
        return file
    }

    /// - Parameter target: bytes without NUL.
    /// - Throws: EEXIST, ENOSPC, or another errno of symlink(2).
    package func makeSymbolicLink(_ name: String, target: [UInt8]) throws(Errno) {
        let path = target.map(CChar.init(bitPattern:)) + [0]
        CrashPoint.makeLink.pass()
        _ = try Descriptor.check { symlinkat(path, number, name) }
    }

    /// The target of a symbolic link.
    ///
    /// - Throws: EINVAL for anything but a link, ENOENT.
    package func readSymbolicLink(_ name: String) throws(Errno) -> [UInt8] {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(number, name, &path, path.count)
        if count < 0 { throw Errno(rawValue: errno) }
        return path.prefix(count).map(UInt8.init(bitPattern:))
    }

    /// unlink(2) of a file or symbolic link.
    ///
    /// - Throws: ENOENT, EISDIR, or another errno of unlink(2).
    package func removeFile(_ name: String) throws(Errno) {
        CrashPoint.removeFile.pass()
        _ = try Descriptor.check { unlinkat(number, name, 0) }
    }

    /// link(2): gives a file another name.
    ///
    /// - Throws: EEXIST, ENOENT, EPERM on a file system without hard links, or another errno of link(2).
    package func link(_ name: String, to destination: BackingFolder, _ newName: String) throws(Errno) {
        CrashPoint.linkFile.pass()
        _ = try Descriptor.check { linkat(number, name, destination.number, newName, 0) }
    }

    /// rmdir(2).
    ///
    /// - Throws: ENOENT, ENOTEMPTY, ENOTDIR, or another errno of rmdir(2).
    package func removeFolder(_ name: String) throws(Errno) {
        CrashPoint.removeFolder.pass()
        _ = try Descriptor.check { unlinkat(number, name, AT_REMOVEDIR) }
    }

    /// renameat2(2), which is atomic. It replaces a file that has the new name.
    ///
    /// - Parameter flags: `RENAME_NOREPLACE` (EEXIST if something has the new name) or `RENAME_EXCHANGE`.
    package func rename(
        _ name: String, to destination: BackingFolder, _ newName: String, flags: UInt32 = 0
    ) throws(Errno) {
        CrashPoint.rename.pass()
        _ = try Descriptor.check { renameat2(number, name, destination.number, newName, flags) }
    }

    /// - Returns: false when there is nothing of that name to rename.
    package func renameIfPresent(
        _ name: String, to destination: BackingFolder, _ newName: String, flags: UInt32 = 0
    ) throws(Errno) -> Bool {
        do throws(Errno) {
            try rename(name, to: destination, newName, flags: flags)
            return true
        } catch {
            if error == .noSuchFileOrDirectory { return false }
            throw error
        }
    }

    /// - Parameter times: access and modification; `UTIME_OMIT` and `UTIME_NOW` count.
    package func setTimes(_ name: String, _ times: [timespec]) throws(Errno) {
        CrashPoint.changeTimes.pass()
        _ = try Descriptor.check { utimensat(number, name, times, AT_SYMLINK_NOFOLLOW) }
    }

    /// Sets a file's time of modification, and its time of access to the same.
    package func setModified(_ name: String, _ time: timespec) throws(Errno) { try setTimes(name, [time, time]) }

    private func setMode(_ name: String, _ mode: UInt16) throws(Errno) {
        CrashPoint.changeMode.pass()
        _ = try Descriptor.check { fchmodat(number, name, mode_t(mode), 0) }
    }

    /// `UInt32.max` leaves the owner or group as it is.
    package func setOwner(_ name: String, owner: UInt32, group: UInt32) throws(Errno) {
        CrashPoint.changeOwner.pass()
        _ = try Descriptor.check { fchownat(number, name, owner, group, AT_SYMLINK_NOFOLLOW) }
    }

    /// Sets the directory's modification time to now, where the file system has not done so because no name in it changed.
    package func touch() throws(Errno) {
        _ = try Descriptor.check { setOwnModified(timespec(tv_sec: 0, tv_nsec: UTIME_NOW)) }
    }

    /// utimensat(2) of the directory itself.
    private func setOwnModified(_ time: timespec) -> Int32 {
        CrashPoint.changeTimes.pass()
        return utimensat(AT_FDCWD, "/proc/self/fd/\(number)", [timespec(tv_sec: 0, tv_nsec: UTIME_OMIT), time], 0)
    }

    /// Changes a file's st_ctime, and nothing else.
    package func touchChange(of name: String) throws(Errno) {
        try setMode(name, UInt16(try status(name).st_mode & 0o7777))
    }

    /// Runs `body` and restores the directory's modification time, so that people see no change in the folder.
    package func keepingTime<Value>(_ body: () throws(Errno) -> Value) throws(Errno) -> Value {
        var status = stat()
        let isKnown = fstat(number, &status) == 0
        let value = try body()
        // The change was made, so it does not fail if the time cannot be restored.
        if isKnown { _ = setOwnModified(status.st_mtim) }
        return value
    }

    /// Removes a symbolic link, or a folder that has nothing but folders and symbolic links in it at any depth.
    ///
    /// - Returns: false if it is neither; then nothing is removed.
    package func removeEmptyTree(_ name: String) throws(Errno) -> Bool {
        // Paths below `name`, each folder before the entries in it.
        var paths: [[String]] = [[]]
        var next = 0
        while next < paths.count {
            let path = paths[next]
            let (parent, last) = try descend(name, path)
            switch try parent.status(last).st_mode & S_IFMT {
            case S_IFLNK: break
            case S_IFDIR: paths += try parent.folder(last).names().map { path + [$0] }
            default: return false
            }
            next += 1
        }
        for path in paths.reversed() {
            let (parent, last) = try descend(name, path)
            let isFolder = try parent.status(last).st_mode & S_IFMT == S_IFDIR
            if isFolder { try parent.removeFolder(last) } else { try parent.removeFile(last) }
        }
        return true
    }

    private func descend(_ name: String, _ path: [String]) throws(Errno) -> (parent: BackingFolder, name: String) {
        var (folder, last) = (self, name)
        for component in path {
            folder = try folder.folder(last)
            last = component
        }
        return (folder, last)
    }

    /// Makes the names in it durable.
    package func synchronize() throws(Errno) {
        try openFile(".", O_RDONLY | O_DIRECTORY).synchronize(dataOnly: false)
    }

    /// statvfs(3) of the file system that it is in.
    package func fileSystemStatus() throws(Errno) -> statvfs {
        var status = statvfs()
        _ = try Descriptor.check { fstatvfs(number, &status) }
        return status
    }

    /// The names in it, without `.` and `..`, and without names that are not UTF-8, which docfs never writes.
    package func names() throws(Errno) -> [String] {
        let reading = try openFile(".", O_RDONLY | O_DIRECTORY)
        return try FolderRecord.all(in: FileDescriptor(rawValue: reading.number)).map(\.name)
    }
}
