import CLinux
import Documents
import Glibc
import SystemPackage

/// Objects as plain files below a folder: another disk, a NAS share, or just a folder.
///
/// A put writes a temporary file, makes it durable, and gives it its name with link(2), which fails
/// when the name exists: that is the one condition. The folder is created on first use and never
/// again: where a disk is not mounted, its empty mountpoint must not be filled.
///
/// The folder may be one that others write to, so what is found in it is not trusted: only plain files
/// count as objects.
public struct DirectoryStore: ObjectStore {
    let root: String
    private static let incoming = ".incoming"
    /// Old enough that whoever wrote it is gone: seconds.
    private static let staleAge = 24 * 60 * 60
    /// Its presence shows that the folder is a store, and not the mountpoint of one that is away.
    private static let marker = ".docfs-cloud"

    /// Opens the store below `root`.
    ///
    /// - Parameter creates: whether the store may be made; only before it was ever used.
    /// - Throws: `unreachable` where it cannot be made.
    public init(root: String, creates: Bool) throws(ObjectStoreError) {
        self.root = root
        if isPresent {
            removeStaleTemporaries()
        } else if creates {
            try create()
        }
    }

    private func create() throws(ObjectStoreError) {
        try Self.makeFolders(root)
        try Self.makeFolders(root + "/" + Self.incoming)
        let file = open(root + "/" + Self.marker, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.unreachable(root, errno) }
        close(file)
        // Without its marker the store would count as away after a power failure, for good.
        try Self.synchronize(root)
    }

    /// What writers left that were killed before they could give it a name.
    private func removeStaleTemporaries() {
        let folder = root + "/" + Self.incoming
        let oldest = time(nil) - Self.staleAge
        for record in (try? Self.records(in: folder)) ?? [] {
            let path = folder + "/" + record.name
            var status = stat()
            if lstat(path, &status) == 0, status.st_mtim.tv_sec < oldest { unlink(path) }
        }
    }

    /// Whether the store is where it should be.
    public var isPresent: Bool { access(root + "/" + Self.marker, F_OK) == 0 }

    private static func makeFolders(_ path: String) throws(ObjectStoreError) {
        var partial = ""
        for component in path.utf8.split(separator: UInt8(ascii: "/")) {
            partial += "/" + String(decoding: component, as: UTF8.self)
            if mkdir(partial, 0o700) != 0, errno != EEXIST, access(partial, X_OK) != 0 {
                throw unreachable(partial, errno)
            }
        }
    }

    private static func unreachable(_ path: String, _ number: Int32) -> ObjectStoreError {
        .unreachable("\(path): \(Errno(rawValue: number))")
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
            var status = stat()
            guard fstat(file, &status) == 0 else { throw failure(key, errno) }
            return Timestamp(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
        }
    }

    // MARK: Files

    func requirePresence() throws(ObjectStoreError) {
        if !isPresent { throw .unreachable("the folder \(root) is not there") }
    }

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
        let temporary = root + "/" + Self.incoming + "/" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let file = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(key, errno) }
        defer {
            close(file)
            unlink(temporary)
        }
        try fill(file)
        guard fdatasync(file) == 0 else { throw failure(key, errno) }
        return try publish(temporary, as: key)
    }

    private func publish(_ temporary: String, as key: ObjectKey) throws(ObjectStoreError) -> PutOutcome {
        let path = try path(key)
        var made: [String] = []
        var result = link(temporary, path)
        if result != 0, errno == ENOENT {
            made = try makeMissing(key)
            result = link(temporary, path)
        }
        if result != 0 {
            if errno == EEXIST { return try found(key) }
            throw failure(key, errno)
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

    private static func synchronize(_ folder: String) throws(ObjectStoreError) {
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
        case ENOENT where !isPresent, ENOTDIR where !isPresent:
            .unreachable("the folder \(root) is not there")
        default: .failed(key, Errno(rawValue: number))
        }
    }
}
