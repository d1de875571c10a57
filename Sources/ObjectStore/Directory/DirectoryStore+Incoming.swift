import CLinux
import Documents
import Glibc
import SystemPackage

/// The folder in which objects are written before they get their names.
extension DirectoryStore {
    /// Old enough that whoever wrote it is gone: seconds.
    private static let staleAge = 24 * 60 * 60

    var incoming: String { root + "/.incoming" }

    /// Runs `body` with a new, empty file that has no other use afterwards.
    func withTemporary<Value>(
        for key: ObjectKey, _ body: (_ file: Int32, _ path: String) throws(ObjectStoreError) -> Value
    ) throws(ObjectStoreError) -> Value {
        let path = incoming + "/" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(key, errno) }
        defer {
            close(file)
            unlink(path)
        }
        return try body(file, path)
    }

    public func now() async throws(ObjectStoreError) -> Timestamp {
        try await onBlockingThread { () throws(ObjectStoreError) in try storeTime() }
    }

    /// The time that a file gets which is made just now.
    private func storeTime() throws(ObjectStoreError) -> Timestamp {
        try requirePresence()
        let key = ObjectKey(valid: ["clock"])
        return try withTemporary(for: key) { file, _ throws(ObjectStoreError) in
            do throws(Errno) { return try calls.modified(file).get() } catch { throw failure(key, error.rawValue) }
        }
    }

    /// Removes what writers left that were killed before they could give it a name. By the store's clock: if this
    /// device's is ahead, another device's upload that is under way would look old.
    func removeStaleTemporaries() {
        guard let now = try? storeTime() else { return }
        for record in (try? Self.records(in: incoming)) ?? [] {
            let path = incoming + "/" + record.name
            var status = stat()
            if lstat(path, &status) == 0, status.st_mtim.tv_sec < now.seconds - Self.staleAge { unlink(path) }
        }
    }
}
