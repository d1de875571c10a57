import Glibc
import SystemPackage

extension FilePath {
    public static func / (folder: FilePath, name: String) -> FilePath { folder / Array(name.utf8) }

    /// A name of arbitrary bytes, for what is not UTF-8. Made of bytes alone: in a debug build `appending` takes 340 µs, twice as long.
    public static func / (folder: FilePath, name: [UInt8]) -> FilePath {
        let bytes = folder.withPlatformString {
            Array(UnsafeBufferPointer(start: $0, count: strlen($0)))
        }
        let slash = CChar(bitPattern: UInt8(ascii: "/"))
        return FilePath(platformString: bytes + [slash] + name.map(CChar.init(bitPattern:)) + [0])
    }

    /// Calls C with this path and turns -1 into the errno behind it.
    @discardableResult
    public func call<Value: SignedInteger>(_ function: (UnsafePointer<CChar>) -> Value) throws(Errno)
        -> Value
    {
        let (value, code) = withPlatformString { path in
            let value = function(path)
            return (value, errno)
        }
        guard value != -1 else { throw Errno(rawValue: code) }
        return value
    }

    public var exists: Bool { (try? stat(followTargetSymlink: false)) != nil }

    public func makeFolder() throws(Errno) { try call { mkdir($0, 0o755) } }

    public func removeFolder() throws(Errno) { try call { rmdir($0) } }

    public func remove() throws(Errno) { try call { unlink($0) } }

    public func rename(to target: FilePath, _ flags: RenameFlags = []) throws(Errno) {
        try call { old in
            target.withPlatformString { new in
                glibcRenameat2(AT_FDCWD, old, AT_FDCWD, new, flags.rawValue)
            }
        }
    }

    public func makeSymbolicLink(to target: String) throws(Errno) {
        try call { path in target.withCString { symlink($0, path) } }
    }

    public var symbolicLinkTarget: FilePath? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard let count = try? call({ readlink($0, &buffer, buffer.count - 1) }) else { return nil }
        return FilePath(platformString: Array(buffer[..<count]) + [0])
    }

    public func setPermissions(_ permissions: FilePermissions) throws(Errno) {
        try call { chmod($0, permissions.rawValue) }
    }

    /// lstat(2)
    public func linkStatus() throws(Errno) -> Glibc.stat {
        var status = Glibc.stat()
        try call { lstat($0, &status) }
        return status
    }

    public func setOwner(_ user: UInt32, group: UInt32) throws(Errno) {
        try call { chown($0, user, group) }
    }

    /// Sets the times of last access and modification.
    public func setTimes(accessed: timespec, modified: timespec) throws(Errno) {
        try call { path in
            let times = [accessed, modified]
            return utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW)
        }
    }

    // MARK: Listings

    /// The names in a folder in the order of readdir, without `.` and `..`.
    public func listing() throws(Errno) -> [String] {
        try entries().map(\.name)
    }

    /// The listing without the state files, which only the three upper folders show.
    public func documentNames() throws(Errno) -> [String] {
        try listing()
    }

    public func entries() throws(Errno) -> [DirectoryEntry] {
        let directory = try OpenDirectory(self)
        var entries: [DirectoryEntry] = []
        while let entry = try directory.next() { entries.append(entry) }
        return entries
    }
}

public struct DirectoryEntry: Equatable, Sendable {
    public let name: String
    public let inode: UInt64
    public let type: UInt8
}

/// A directory being read, entry by entry.
public final class OpenDirectory {
    private let stream: OpaquePointer

    public init(_ path: FilePath) throws(Errno) {
        guard let stream = path.withPlatformString({ opendir($0) }) else {
            throw Errno(rawValue: errno)
        }
        self.stream = stream
    }

    deinit { closedir(stream) }

    public var descriptor: FileDescriptor { FileDescriptor(rawValue: dirfd(stream)) }

    public var position: Int {
        get { telldir(stream) }
        set { seekdir(stream, newValue) }
    }

    /// The next entry that is neither `.` nor `..`.
    public func next() throws(Errno) -> DirectoryEntry? {
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw Errno(rawValue: errno) }
                return nil
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            return DirectoryEntry(
                name: name, inode: UInt64(entry.pointee.d_ino), type: entry.pointee.d_type)
        }
    }
}
