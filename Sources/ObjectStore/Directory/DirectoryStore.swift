import CLinux
import Documents
import Glibc
import SystemPackage

/// Objects as plain files below a folder: another disk, a NAS share, or just a folder.
///
/// A put writes a temporary file, makes it durable, and gives it its name with link(2), which fails
/// when the name exists: that is the one condition. The folder is created on first use, and again only when
/// a person says so: where a disk is not mounted, its empty mountpoint must not be filled.
///
/// The folder may be one that others write to, so what is found in it is not trusted: only plain files
/// count as objects.
public struct DirectoryStore: ObjectStore {
    let root: String
    let calls: FileSystemCalls

    /// Opens the store below `root`.
    ///
    /// - Parameter creates: whether the store may be made; only before it was ever used.
    /// - Throws: `unreachable` where it cannot be made, `unusable` where it would be of no use.
    public init(root: String, creates: Bool) throws(ObjectStoreError) {
        try self.init(root: root, creates: creates, calls: .system)
    }

    init(root: String, creates: Bool, calls: FileSystemCalls) throws(ObjectStoreError) {
        self.root = root
        self.calls = calls
        if isPresent {
            removeStaleTemporaries()
        } else if creates {
            try create()
        }
    }

    /// The store's own files, which begin with a dot, are no objects.
    func path(_ key: ObjectKey) throws(ObjectStoreError) -> String {
        guard key.components[0].utf8.first != UInt8(ascii: ".") else { throw .failed(key, .invalidArgument) }
        return root + "/" + key.description
    }

    // MARK: ObjectStore

    public func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        try await onBlockingThread { () throws(ObjectStoreError) in
            try put(key) { file throws(ObjectStoreError) in
                try Self.write(bytes[...], to: file, key)
            }
        }
    }

    public func putIfAbsent(
        _ key: ObjectKey, contentsOf file: FileDescriptor, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        try await onBlockingThread { () throws(ObjectStoreError) in
            try put(key) { target throws(ObjectStoreError) in
                try Self.copy(file.rawValue, to: target, length: length, key, progress)
            }
        }
    }

    public func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        try await onBlockingThread { () throws(ObjectStoreError) in
            let file = try openObject(key)
            defer { close(file) }
            let bytes = try Self.read(file, 0..<Int64(limit) + 1, key)
            guard bytes.count <= limit else {
                throw .corrupted(key, "it is larger than \(limit) bytes")
            }
            return bytes
        }
    }

    public func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        try await onBlockingThread { () throws(ObjectStoreError) in
            let file = try openObject(key)
            defer { close(file) }
            return try Self.read(file, range, key)
        }
    }

    public func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
        try await onBlockingThread { () throws(ObjectStoreError) in
            try requirePresence()
            let path = try path(key)
            if unlink(path) != 0, errno != ENOENT, errno != ENOTDIR { throw failure(key, errno) }
        }
    }

    public func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp {
        try await onBlockingThread { () throws(ObjectStoreError) in
            let file = try openObject(key)
            defer { close(file) }
            do throws(Errno) { return try calls.modified(file).get() } catch { throw failure(key, error.rawValue) }
        }
    }

    // MARK: Files

    private func openObject(_ key: ObjectKey) throws(ObjectStoreError) -> Int32 {
        let file = open(try path(key), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            let number = errno
            if number == ENOENT || number == ENOTDIR {
                try requirePresence()
                throw .notFound(key)
            }
            if number == ELOOP { throw .corrupted(key, "it is not a plain file") }
            throw failure(key, number)
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw .corrupted(key, "it is not a plain file")
        }
        return file
    }

    private func put(
        _ key: ObjectKey, _ fill: (Int32) throws(ObjectStoreError) -> Void
    ) throws(ObjectStoreError) -> PutOutcome {
        try requirePresence()
        if access(try path(key), F_OK) == 0 { return try found(key) }
        return try withTemporary(for: key) { file, temporary throws(ObjectStoreError) in
            try fill(file)
            guard fdatasync(file) == 0 else { throw failure(key, errno) }
            return try publish(temporary, as: key)
        }
    }

    private func publish(_ temporary: String, as key: ObjectKey) throws(ObjectStoreError) -> PutOutcome {
        let path = try path(key)
        var made: [String] = []
        var refusal = calls.link(temporary, path)
        if refusal == .noSuchFileOrDirectory {
            made = try makeMissing(key)
            refusal = calls.link(temporary, path)
        }
        if let refusal {
            if refusal == .fileExists { return try found(key) }
            throw refusal.tellsOfNoHardLinks ? withoutHardLinks(refusal) : failure(key, refusal.rawValue)
        }
        for folder in [folder(of: key)] + made { try Self.synchronize(folder) }
        return .created
    }

    /// Another try of the same writer may have made the object and been killed before it was durable;
    /// who finds it relies on it.
    private func found(_ key: ObjectKey) throws(ObjectStoreError) -> PutOutcome {
        try Self.synchronize(folder(of: key))
        return .alreadyExists
    }

    private func folder(of key: ObjectKey) -> String {
        ([root] + key.components.dropLast()).joined(separator: "/")
    }

    /// Makes the folders of a key, and returns those that got a new name in them.
    private func makeMissing(_ key: ObjectKey) throws(ObjectStoreError) -> [String] {
        var changed: [String] = []
        var folder = root
        for component in key.components.dropLast() {
            let next = folder + "/" + component
            if mkdir(next, 0o700) == 0 {
                changed.append(folder)
            } else if errno != EEXIST {
                throw failure(key, errno)
            }
            folder = next
        }
        return changed
    }

    static func synchronize(_ folder: String) throws(ObjectStoreError) {
        let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw unreachable(folder, errno) }
        defer { close(file) }
        // Some network file systems cannot sync a folder (EINVAL); they write names through.
        if fsync(file) != 0, errno != EINVAL { throw unreachable(folder, errno) }
    }

    func failure(_ key: ObjectKey, _ number: Int32) -> ObjectStoreError {
        switch number {
        case ENOSPC, EDQUOT: .outOfSpace
        case EACCES, EPERM, EROFS: .unauthorized("\(root)/\(key): \(Errno(rawValue: number))")
        case ENOTCONN, EHOSTDOWN, EHOSTUNREACH, ETIMEDOUT, ESTALE, ENODEV:
            .unreachable("\(root): \(Errno(rawValue: number))")
        case ENOENT, ENOTDIR: absence ?? .failed(key, Errno(rawValue: number))
        default: .failed(key, Errno(rawValue: number))
        }
    }
}
