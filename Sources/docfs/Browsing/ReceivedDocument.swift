import Browse
import CLinux
import Documents
import Glibc
import Synchronization
import SystemPackage

/// A document that comes from a page, under a scratch name in its folder until it is whole.
final class ReceivedDocument: IncomingDocument {
    private let name: IncomingName
    /// Of the folder that it goes to.
    private let folder: FileDescriptor
    private let scratchName: String
    private let file: Mutex<FileDescriptor?>

    /// - Parameters:
    ///   - documents: the path of the mount's documents.
    ///   - folder: the path below it, of a folder that is there. Folders of the name are made in it. No link is followed.
    init(_ name: IncomingName, into folder: String, of documents: String) throws(BrowseRefusal) {
        self.name = name
        var random = SystemRandomNumberGenerator()
        scratchName = ".docfs-add-\(String(UInt64.random(in: 0...UInt64.max, using: &random), radix: 16)).tmp"
        self.folder = try Self.open(name.path.dropLast(), in: folder, of: documents)
        do throws(BrowseRefusal) {
            if !name.isNumbered, faccessat(self.folder.rawValue, name.last, F_OK, AT_SYMLINK_NOFOLLOW) == 0 {
                throw Self.taken(name)
            }
            let made = openat(self.folder.rawValue, scratchName, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard made >= 0 else { throw Self.failure(name) }
            file = Mutex(FileDescriptor(rawValue: made))
        } catch {
            Glibc.close(self.folder.rawValue)
            throw error
        }
    }

    deinit {
        cancel()
        Glibc.close(folder.rawValue)
    }

    private static func open(
        _ names: ArraySlice<String>, in folder: String, of documents: String
    ) throws(BrowseRefusal) -> FileDescriptor {
        let root = Glibc.open(documents, O_PATH | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { throw failure(folder) }
        defer { Glibc.close(root) }
        let flags = UInt64(O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        var current = docfs_open_beneath(root, folder, flags)
        guard current >= 0 else { throw failure(folder) }
        for name in names {
            let outer = current
            defer { Glibc.close(outer) }
            guard mkdirat(outer, name, 0o777) == 0 || errno == EEXIST else { throw failure(name) }
            let inner = docfs_open_beneath(outer, name, flags)
            guard inner >= 0 else { throw failure(name) }
            current = inner
        }
        return FileDescriptor(rawValue: current)
    }

    func add(_ bytes: [UInt8]) throws(BrowseRefusal) {
        guard let file = file.withLock({ $0 }) else { throw BrowseRefusal("it is no longer being added") }
        do { try file.writeAll(bytes) } catch { throw BrowseRefusal("\(name.last.printable): \(error)") }
    }

    func finish() throws(BrowseRefusal) {
        guard let file = file.withLock({ $0 }) else { throw BrowseRefusal("it is no longer being added") }
        if let modified = name.modified {
            let time = timespec(tv_sec: modified, tv_nsec: 0)
            guard futimens(file.rawValue, [time, time]) == 0 else { throw Self.failure(name) }
        }
        guard closeFile() else { throw Self.failure(name) }
        var number = 1
        while renameat2(folder.rawValue, scratchName, folder.rawValue, numbered(number), RENAME_NOREPLACE) != 0 {
            guard errno == EEXIST else { throw Self.failure(name) }
            if !name.isNumbered { throw Self.taken(name) }
            number += 1
        }
    }

    func cancel() {
        guard file.withLock({ $0 != nil }) else { return }
        _ = closeFile()
        // It may be a document already; then there is no such name.
        unlinkat(folder.rawValue, scratchName, 0)
    }

    /// - Returns: whether all that was written is kept; else `errno` says why not.
    private func closeFile() -> Bool {
        file.withLock { file in
            defer { file = nil }
            return file.map { Glibc.close($0.rawValue) == 0 } ?? true
        }
    }

    /// `Plan 2.txt`.
    private func numbered(_ number: Int) -> String {
        guard number > 1, let whole = try? EntryName(name.last) else { return name.last }
        let parts = DocumentName(splitting: whole)
        return "\(parts.displayName) \(number)" + (parts.pathExtension.isEmpty ? "" : "." + parts.pathExtension)
    }

    private static func taken(_ name: IncomingName) -> BrowseRefusal {
        BrowseRefusal("\(name.last.printable): there is one of this name already", isNameTaken: true)
    }

    private static func failure(_ name: IncomingName) -> BrowseRefusal { failure(name.last) }

    private static func failure(_ name: String) -> BrowseRefusal {
        BrowseRefusal("\(name.printable): \(String(cString: strerror(errno)))")
    }
}

extension IncomingName {
    /// Its own name.
    fileprivate var last: String { path.last ?? "" }
}
