import CLinux
import Glibc
import SystemPackage

/// Objects as plain files below a folder: another disk, a NAS share, or just a folder.
///
/// A put writes a temporary file, makes it durable, and gives it its name with link(2), which fails
/// when the name exists: that is the one condition. The folder is created on first use and never
/// again: where a disk is not mounted, its empty mountpoint must not be filled.
public struct DirectoryStore: ObjectStore {
    let root: String
    private static let incoming = ".incoming"
    /// Its presence shows that the folder is a store, and not the mountpoint of one that is away.
    private static let marker = ".docfs-cloud"

    /// Opens the store below `root`.
    ///
    /// - Parameter creates: whether the store may be made; only before it was ever used.
    /// - Throws: `unreachable` where it is not there, or cannot be made.
    public init(root: String, creates: Bool) throws(ObjectStoreError) {
        self.root = root
        guard creates, !isPresent else { return }
        try Self.makeFolders(root)
        try Self.makeFolders(root + "/" + Self.incoming)
        let file = open(root + "/" + Self.marker, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.unreachable(root, errno) }
        close(file)
    }

    /// Whether the store is where it should be.
    public var isPresent: Bool { access(root + "/" + Self.marker, F_OK) == 0 }

    private static func makeFolders(_ path: String) throws(ObjectStoreError) {
        var partial = ""
        for component in path.split(separator: "/") {
            partial += "/" + component
            if mkdir(partial, 0o700) != 0, errno != EEXIST, access(partial, X_OK) != 0 {
                throw unreachable(partial, errno)
            }
        }
    }

    private static func unreachable(_ path: String, _ number: Int32) -> ObjectStoreError {
        .unreachable("\(path): \(Errno(rawValue: number))")
    }

    private func path(_ key: ObjectKey) -> String { root + "/" + key.description }

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

    public func list(
        _ prefix: ObjectKey, after: ObjectKey?, limit: Int
    ) async throws(ObjectStoreError) -> [ObjectKey] {
        try await onBlockingThread { () throws(ObjectStoreError) in
            try requirePresence()
            var found: [ObjectKey] = []
            try collect(prefix, into: &found)
            let later = found.filter { key in after.map { $0 < key } ?? true }
            return Array(later.sorted().prefix(limit))
        }
    }

    public func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
        try await onBlockingThread { () throws(ObjectStoreError) in
            try requirePresence()
            if unlink(path(key)) != 0, errno != ENOENT { throw failure(key, errno) }
        }
    }

    // MARK: Files

    private func requirePresence() throws(ObjectStoreError) {
        if !isPresent { throw .unreachable("the folder \(root) is not there") }
    }

    private func openObject(_ key: ObjectKey) throws(ObjectStoreError) -> Int32 {
        let file = open(path(key), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if file >= 0 { return file }
        let number = errno
        if number == ENOENT {
            try requirePresence()
            throw .notFound(key)
        }
        throw failure(key, number)
    }

    private func put(
        _ key: ObjectKey, _ fill: (Int32) throws(ObjectStoreError) -> Void
    ) throws(ObjectStoreError) -> PutOutcome {
        try requirePresence()
        if access(path(key), F_OK) == 0 { return .alreadyExists }
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
        let folder = root + "/" + key.components.dropLast().joined(separator: "/")
        var made: [String] = []
        var result = link(temporary, path(key))
        if result != 0, errno == ENOENT {
            made = try makeMissing(key)
            result = link(temporary, path(key))
        }
        if result != 0 {
            if errno == EEXIST { return .alreadyExists }
            throw failure(key, errno)
        }
        for folder in [folder] + made { try Self.synchronize(folder) }
        return .created
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

    private func collect(_ prefix: ObjectKey, into found: inout [ObjectKey]) throws(ObjectStoreError) {
        guard let stream = opendir(path(prefix)) else {
            if errno == ENOENT { return }
            throw failure(prefix, errno)
        }
        defer { closedir(stream) }
        while let record = readdir(stream) {
            let name = withUnsafePointer(to: &record.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != "..", let key = ObjectKey(prefix.components + [name]) else { continue }
            if record.pointee.d_type == UInt8(DT_DIR) { try collect(key, into: &found) } else { found.append(key) }
        }
    }

    private func failure(_ key: ObjectKey, _ number: Int32) -> ObjectStoreError {
        switch number {
        case ENOSPC, EDQUOT: .outOfSpace
        case EACCES, EPERM, EROFS: .unauthorized("\(path(key)): \(Errno(rawValue: number))")
        case ENOTCONN, EHOSTDOWN, EHOSTUNREACH, ETIMEDOUT, ESTALE, ENODEV:
            .unreachable("\(path(key)): \(Errno(rawValue: number))")
        case ENOENT where !isPresent: .unreachable("the folder \(root) is not there")
        default: .failed(key, Errno(rawValue: number))
        }
    }
}
