import Glibc
import MountSupport
import SystemPackage

/// A path and the calls on it, over texts alone: hundreds of calls a millisecond must not wait for a library that was built for debugging.
struct TreePath: Equatable {
    /// What readdir tells.
    struct Entry {
        let name: String
        let inode: UInt64
        let type: UInt8
    }

    let string: String

    /// Without slashes at the end.
    init(_ string: String) {
        var text = string[...]
        while text.utf8.count > 1, text.utf8.last == UInt8(ascii: "/") { text = text.dropLast() }
        self.string = String(text)
    }

    init(_ path: FilePath) { string = path.string }

    static func / (folder: TreePath, name: String) -> TreePath { TreePath(folder.string + "/" + name) }

    private var lastSlash: String.Index? { string.utf8.lastIndex(of: UInt8(ascii: "/")) }

    /// The last name; nil where it is none, as in `a/.`.
    var name: String? {
        guard let slash = lastSlash else { return nil }
        let name = String(string[string.utf8.index(after: slash)...])
        return name == "." || name == ".." ? nil : name
    }

    var folder: TreePath { TreePath(lastSlash.map { String(string[..<$0]) } ?? ".") }

    @discardableResult
    func call<Value: SignedInteger>(_ function: (UnsafePointer<CChar>) -> Value) throws(Errno) -> Value {
        let (value, code) = string.withCString { path in
            let value = function(path)
            return (value, errno)
        }
        guard value != -1 else { throw Errno(rawValue: code) }
        return value
    }

    // MARK: Looking

    func linkStatus() throws(Errno) -> stat {
        var status = Glibc.stat()
        try call { lstat($0, &status) }
        return status
    }

    func status() throws(Errno) -> stat {
        var status = Glibc.stat()
        try call { fstatat(AT_FDCWD, $0, &status, 0) }
        return status
    }

    var exists: Bool { (try? linkStatus()) != nil }
    /// Also by a link.
    var isFolder: Bool { (try? status()).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }
    var inode: UInt64? { (try? linkStatus()).map { UInt64($0.st_ino) } }

    var target: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard let count = try? call({ readlink($0, &buffer, buffer.count) }) else { return nil }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func bytes() throws(Errno) -> [UInt8] {
        let descriptor = try call { open($0, O_RDONLY | O_CLOEXEC) }
        defer { close(descriptor) }
        var status = Glibc.stat()
        guard fstat(descriptor, &status) == 0 else { throw Errno(rawValue: errno) }
        var code: CInt = 0
        // One byte more than there should be.
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size) + 1) { buffer, filled in
            let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            code = count < 0 ? errno : 0
            filled = max(0, count)
        }
        if code != 0 { throw Errno(rawValue: code) }
        return bytes
    }

    func entries() throws(Errno) -> [Entry] {
        guard let directory = opendir(string) else { throw Errno(rawValue: errno) }
        defer { closedir(directory) }
        var entries: [Entry] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                guard errno == 0 else { throw Errno(rawValue: errno) }
                return entries
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            entries.append(
                Entry(name: name, inode: UInt64(entry.pointee.d_ino), type: entry.pointee.d_type))
        }
    }

    // MARK: Attributes

    func attributeBytes(_ name: String) throws(Errno) -> [UInt8] {
        var value = [UInt8](repeating: 0, count: 1024)
        let count = try call { glibcGetAttribute($0, name, &value, value.count) }
        return Array(value[..<count])
    }

    func attribute(_ name: String) throws(Errno) -> String { String(decoding: try attributeBytes(name), as: UTF8.self) }

    func userAttributes() throws(Errno) -> [String: [UInt8]] {
        var list = [CChar](repeating: 0, count: 1024)
        let count = try call { glibcListAttributes($0, &list, list.count) }
        var attributes: [String: [UInt8]] = [:]
        for name in list[..<count].split(separator: 0) {
            let name = String(decoding: name.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if name.hasPrefix("user.") { attributes[name] = try attributeBytes(name) }
        }
        return attributes
    }

    /// Gives the entry these attributes and no others.
    func setUserAttributes(_ attributes: [String: [UInt8]]) throws(Errno) {
        let present = try userAttributes()
        for name in present.keys where attributes[name] == nil { try call { glibcRemoveAttribute($0, name) } }
        for (name, value) in attributes where present[name] != value { try setAttribute(name, value) }
    }

    func setAttribute(_ name: String, _ value: [UInt8]) throws(Errno) {
        try call { glibcSetAttribute($0, name, value, value.count, 0) }
    }

    func filename() throws(Errno) -> String { try attribute("user.document.filename") }

    func identifier() throws(Errno) -> String { try attribute("user.document.id") }

    // MARK: Changing

    /// Writes the whole content as the shell's `>` does: create or truncate, write, close.
    func write(_ bytes: [UInt8]) throws(Errno) {
        let file = try call { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
        var (written, code) = (0, CInt(0))
        while written < bytes.count, code == 0 {
            let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress! + written, $0.count - written) }
            if count < 0 { code = errno } else { written += count }
        }
        if close(file) != 0, code == 0 { code = errno }
        if code != 0 { throw Errno(rawValue: code) }
    }

    func setPermissions(_ mode: mode_t) throws(Errno) { try call { chmod($0, mode) } }
    func makeFolder() throws(Errno) { try call { mkdir($0, 0o755) } }
    func makeLink(to target: String) throws(Errno) { try call { symlink(target, $0) } }
    func remove() throws(Errno) { try call { unlink($0) } }
    func removeFolder() throws(Errno) { try call { rmdir($0) } }
    func rename(to path: TreePath) throws(Errno) { try call { Glibc.rename($0, path.string) } }

    func removeTree() throws(Errno) {
        for entry in try entries() {
            let path = self / entry.name
            if entry.type == DT_DIR { try path.removeTree() } else { try path.remove() }
        }
        try removeFolder()
    }
}
