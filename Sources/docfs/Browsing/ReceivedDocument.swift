import Browse
import CLinux
import Documents
import Glibc
import Synchronization
import SystemPackage

/// A document that comes from a page, under a scratch name in its folder until it is whole.
final class ReceivedDocument: IncomingDocument {
    private enum State {
        /// So many bytes have come.
        case coming(FileDescriptor, count: Int64)
        /// It has come, and has no name yet.
        case whole
        /// It is a document, or was given up.
        case over
    }

    private let name: IncomingName
    /// Of the folder that it goes to.
    private let folder: FileDescriptor
    private let scratchName: String
    /// Holds the lock that tells that the scratch file is not abandoned.
    private let holder: Int32
    private let state: Mutex<State>

    /// - Parameters:
    ///   - folder: the path below the documents, of a folder that is there. Folders of the name are made in it. No link is followed.
    ///   - documents: the path of the mount's documents.
    ///   - abandoned: removes what earlier servers left in the folder.
    init(
        _ name: IncomingName, into folder: String, of documents: String, _ abandoned: AbandonedDocuments
    ) throws(BrowseRefusal) {
        self.name = name
        if name.path.contains(where: { ScratchName.matches($0) || ScratchName.matchesFolder($0) }) {
            throw BrowseRefusal(
                "\(name.last.printable): programs use such names for working files, which stay out of the table; rename it first"
            )
        }
        var random = SystemRandomNumberGenerator()
        scratchName =
            AbandonedDocuments.prefix + String(UInt64.random(in: 0...UInt64.max, using: &random), radix: 16)
            + AbandonedDocuments.suffix
        self.folder = try Self.open(name.path.dropLast(), in: folder, of: documents)
        abandoned.remove(from: self.folder)
        do throws(BrowseRefusal) {
            if !name.isNumbered, faccessat(self.folder.rawValue, name.last, F_OK, AT_SYMLINK_NOFOLLOW) == 0 {
                throw Self.taken(name)
            }
            let made = openat(self.folder.rawValue, scratchName, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard made >= 0 else { throw Self.failure(name) }
            // Nobody else knows the name.
            holder = openat(self.folder.rawValue, scratchName, O_RDONLY | O_CLOEXEC)
            _ = flock(holder, LOCK_EX | LOCK_NB)
            state = Mutex(.coming(FileDescriptor(rawValue: made), count: 0))
        } catch {
            Glibc.close(self.folder.rawValue)
            throw error
        }
    }

    deinit {
        cancel()
        Glibc.close(holder)
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

    func add(_ bytes: [UInt8], at offset: Int64) throws(BrowseRefusal) {
        try state.withLock { state throws(BrowseRefusal) in
            guard case .coming(let file, let count) = state, count == offset else { throw Self.disordered }
            do { try file.writeAll(bytes) } catch { throw BrowseRefusal("\(name.last.printable): \(error)") }
            state = .coming(file, count: count + Int64(bytes.count))
        }
    }

    func finish(size: Int64, isNumbered: Bool) throws(BrowseRefusal) {
        try state.withLock { state throws(BrowseRefusal) in
            if case .coming(let file, let count) = state {
                guard count == size else { throw Self.disordered }
                try close(file, &state)
            }
            guard case .whole = state else { throw Self.disordered }
            try giveName(isNumbered: isNumbered)
            state = .over
        }
    }

    private func close(_ file: FileDescriptor, _ state: inout State) throws(BrowseRefusal) {
        if let modified = name.modified {
            let time = timespec(tv_sec: modified, tv_nsec: 0)
            guard futimens(file.rawValue, [time, time]) == 0 else { throw Self.failure(name) }
        }
        state = .whole
        guard Glibc.close(file.rawValue) == 0 else { throw Self.failure(name) }
    }

    private func giveName(isNumbered: Bool) throws(BrowseRefusal) {
        var number = 1
        while renameat2(folder.rawValue, scratchName, folder.rawValue, numbered(number), RENAME_NOREPLACE) != 0 {
            guard errno == EEXIST else { throw Self.failure(name) }
            if !isNumbered { throw Self.taken(name) }
            number += 1
        }
    }

    func cancel() {
        state.withLock { state in
            if case .over = state { return }
            if case .coming(let file, _) = state { Glibc.close(file.rawValue) }
            unlinkat(folder.rawValue, scratchName, 0)
            state = .over
        }
    }

    /// `Plan 2.txt`.
    private func numbered(_ number: Int) -> String {
        guard number > 1, let whole = try? EntryName(name.last) else { return name.last }
        let parts = DocumentName(splitting: whole)
        return "\(parts.displayName) \(number)" + (parts.pathExtension.isEmpty ? "" : "." + parts.pathExtension)
    }

    private static let disordered = BrowseRefusal("a piece of it is missing; add it again")

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
