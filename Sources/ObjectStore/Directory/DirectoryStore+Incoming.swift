import LinuxFiles
import CLinux
import Documents
import Glibc
import SystemPackage

/// The folder in which objects are written before they get their names.
extension DirectoryStore {
    /// Seconds after which the writer of a temporary file is certainly gone.
    private static let staleAge = 24 * 60 * 60

    static let incoming = ".incoming"

    private func openIncoming(in root: OpenDescriptor) throws(ObjectStoreError) -> OpenDescriptor {
        do throws(Errno) { return try openFolder([Self.incoming], in: root) } catch {
            if error == .tooManySymbolicLinkLevels { throw linked(Self.incoming) }
            throw failure(ObjectKey(valid: [Self.incoming]), error.rawValue)
        }
    }

    /// Runs `body` with a new, empty file that has no other use afterwards.
    func withTemporary<Value>(
        in root: OpenDescriptor, for key: ObjectKey,
        _ body: (_ file: OpenDescriptor, _ name: FolderName) throws(ObjectStoreError) -> Value
    ) throws(ObjectStoreError) -> Value {
        let name = FolderName(
            folder: try openIncoming(in: root), name: String(UInt64.random(in: 0...UInt64.max), radix: 16))
        let file: OpenDescriptor
        do throws(Errno) {
            file = try name.folder.open(name.name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        } catch { throw failure(key, error.rawValue) }
        // If this fails, `removeStaleTemporaries` removes the file later.
        defer { try? name.folder.removeFile(name.name) }
        return try body(file, name)
    }

    public func now() async throws(ObjectStoreError) -> Timestamp {
        try await onBlockingThread { () throws(ObjectStoreError) in try storeTime() }
    }

    /// The time that a file gets if it is created now.
    private func storeTime() throws(ObjectStoreError) -> Timestamp {
        let root = try openRoot()
        try requireMarker(in: root)
        let key = ObjectKey(valid: ["clock"])
        return try withTemporary(in: root, for: key) { file, _ throws(ObjectStoreError) in
            do throws(Errno) { return try calls.modified(file).get() } catch { throw failure(key, error.rawValue) }
        }
    }

    /// Removes temporary files of writers that were killed. Their age is measured by the store's clock: if this device's
    /// clock is ahead, another device's upload under way would look old. Failures are ignored: the next start tries again.
    func removeStaleTemporaries() {
        guard let now = try? storeTime(), let root = try? openRoot(), let folder = try? openIncoming(in: root),
            let records = try? Self.records(in: folder)
        else { return }
        for name in records.map(\.name) {
            guard let status = try? folder.status(of: name), status.st_mtim.tv_sec < now.seconds - Self.staleAge else {
                continue
            }
            try? folder.removeFile(name)
        }
    }
}
