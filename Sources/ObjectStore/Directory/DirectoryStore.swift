import CLinux
import Documents
import Glibc
import LinuxFiles
import SystemPackage

/// Objects as plain files below a folder: another disk, a NAS share, or just a folder.
///
/// A put writes a temporary file, makes it durable, and gives it its name with link(2), which fails
/// when the name exists: that is the one condition. The folder is created on first use, and again only when
/// a person says so: where a disk is not mounted, its empty mountpoint must not be filled.
///
/// The folder may be one that others write to, so what is found in it is not trusted: only plain files
/// count as objects, and no symbolic link in it is followed.
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
    static func requireObjectName(_ key: ObjectKey) throws(Errno) {
        if key.components[0].utf8.first == UInt8(ascii: ".") { throw .invalidArgument }
    }

    // MARK: ObjectStore

    public func putIfAbsent(_ key: ObjectKey, _ bytes: [UInt8]) async throws(ObjectStoreError) -> PutOutcome {
        try await onBlockingThread { () throws(ObjectStoreError) in
            try put(key) { file throws(ObjectStoreError) in
                try write(bytes[...], to: file, key)
            }
        }
    }

    public func putIfAbsent(
        _ key: ObjectKey, _ content: any ObjectContent, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        try await onBlockingThread { () throws(ObjectStoreError) in
            try put(key) { target throws(ObjectStoreError) in
                try copy(content, to: target, length: length, key, progress)
            }
        }
    }

    public func get(_ key: ObjectKey, limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        try await onBlockingThread { () throws(ObjectStoreError) in
            let file = try openObject(key)
            let bytes = try read(file, 0..<Int64(limit) + 1, key)
            guard bytes.count <= limit else {
                throw .corrupted(key, "it is larger than \(limit) bytes")
            }
            return bytes
        }
    }

    public func get(_ key: ObjectKey, range: Range<Int64>) async throws(ObjectStoreError) -> [UInt8] {
        try await onBlockingThread { () throws(ObjectStoreError) in
            let file = try openObject(key)
            return try read(file, range, key)
        }
    }

    public func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
        try await onBlockingThread { () throws(ObjectStoreError) in
            let root = try openRoot()
            try requireMarker(in: root)
            do throws(Errno) {
                try Self.requireObjectName(key)
                let folder = try openFolder(key.components.dropLast(), in: root)
                try folder.removeFile(key.last)
            } catch {
                if error != .noSuchFileOrDirectory, error != .notDirectory { throw failure(key, error.rawValue) }
            }
        }
    }

    public func modified(_ key: ObjectKey) async throws(ObjectStoreError) -> Timestamp {
        try await onBlockingThread { () throws(ObjectStoreError) in
            let file = try openObject(key)
            do throws(Errno) { return try calls.modified(file).get() } catch { throw failure(key, error.rawValue) }
        }
    }

    // MARK: Files

    private func openObject(_ key: ObjectKey) throws(ObjectStoreError) -> OpenDescriptor {
        let root = try openRoot()
        do throws(Errno) {
            try Self.requireObjectName(key)
            let file = try root.open(key.description, O_RDONLY)
            if try file.status().isPlainFile { return file }
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory {
                try requireMarker(in: root)
                throw .notFound(key)
            }
            // A link in the place of the object is told from one on the way to it.
            if error == .tooManySymbolicLinkLevels { _ = try exists(key, in: root) }
            throw failure(key, error.rawValue)
        }
        throw .corrupted(key, Self.notPlain)
    }

    private static let notPlain = "it is not a plain file"

    /// - Throws: `corrupted` where something else than a plain file is in the place of the object.
    private func exists(_ key: ObjectKey, in root: OpenDescriptor) throws(ObjectStoreError) -> Bool {
        do throws(Errno) {
            try Self.requireObjectName(key)
            let file = try root.open(key.description, O_PATH | O_NOFOLLOW)
            if try file.status().isPlainFile { return true }
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return false }
            throw failure(key, error.rawValue)
        }
        throw .corrupted(key, Self.notPlain)
    }

    private func put(
        _ key: ObjectKey, _ fill: (OpenDescriptor) throws(ObjectStoreError) -> Void
    ) throws(ObjectStoreError) -> PutOutcome {
        let root = try openRoot()
        try requireMarker(in: root)
        if try exists(key, in: root) { return try found(key, in: root) }
        return try withTemporary(in: root, for: key) { file, temporary throws(ObjectStoreError) in
            try fill(file)
            do throws(Errno) { try file.synchronize(dataOnly: true) } catch { throw failure(key, error.rawValue) }
            return try publish(temporary, as: key, in: root)
        }
    }

    private func publish(
        _ temporary: FolderName, as key: ObjectKey, in root: OpenDescriptor
    ) throws(ObjectStoreError) -> PutOutcome {
        let refusal: Errno?
        do throws(Errno) {
            let folder = try makeFolder(key.components.dropLast(), in: root)
            refusal = calls.link(temporary, FolderName(folder: folder, name: key.last))
            if refusal == nil { try Self.synchronize(folder) }
        } catch { throw failure(key, error.rawValue) }
        switch refusal {
        case nil: return .created
        case .fileExists:
            _ = try exists(key, in: root)
            return try found(key, in: root)
        case let refusal?: throw refusal.tellsOfNoHardLinks ? withoutHardLinks(refusal) : failure(key, refusal.rawValue)
        }
    }

    /// Makes an object durable that was found. An earlier try of the same writer may have been killed before it did so, and
    /// the caller relies on the object from now on.
    private func found(_ key: ObjectKey, in root: OpenDescriptor) throws(ObjectStoreError) -> PutOutcome {
        do throws(Errno) {
            try Self.synchronize(try openFolder(key.components.dropLast(), in: root))
        } catch { throw failure(key, error.rawValue) }
        return .alreadyExists
    }

    func failure(_ key: ObjectKey, _ number: Int32) -> ObjectStoreError {
        switch number {
        case ENOSPC, EDQUOT: .outOfSpace
        case EACCES, EPERM, EROFS: .forbidden("\(root)/\(key): \(Errno(rawValue: number))")
        case ENOTCONN, EHOSTDOWN, EHOSTUNREACH, ETIMEDOUT, ESTALE, ENODEV:
            .unreachable("\(root): \(Errno(rawValue: number))")
        case ELOOP: linked(key.description)
        case ENOSYS: .unusable("\(root): it takes openat2(2), which Linux has since 5.6")
        case ENOENT, ENOTDIR: absence ?? .failed(key, Errno(rawValue: number))
        default: .failed(key, Errno(rawValue: number))
        }
    }
}
