import CrashPoints
import Documents
import LinuxFiles
import ObjectStore
import SystemPackage

/// Sends one content of a document to the container. It is there before any commit names it.
public struct Upload: Sendable {
    let store: any ObjectStore

    /// - Parameter store: of the container.
    public init(store: any ObjectStore) { self.store = store }

    /// Hashes the file, then sends it.
    ///
    /// The caller makes sure that nothing writes to the file meanwhile, or drops the result. Only a change of the file's size is noticed
    /// here (`changed`).
    ///
    /// - Parameters:
    ///   - draft: the version, without size and digest.
    ///   - length: bytes of the whole file.
    ///   - progress: is told how many more bytes were sent; returns false to abandon the transfer.
    /// - Returns: the version, with size and digest.
    public func send(
        _ draft: DocumentVersion, of document: EntryID, from file: FileDescriptor, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(TransferError) -> DocumentVersion {
        var version = draft
        version.sha256 = try await onBlockingThread { () throws(TransferError) in
            let (digest, count) = try Digest.sha256(of: file, length: length)
            guard count == length, try Digest.length(of: file) == length else { throw .changed }
            return digest
        }
        version.size = length
        let key: ObjectKey
        do throws(CommitError) { key = try version.key(of: document) } catch { throw .invalidVersion(error) }
        CrashPoint.uploadContent.pass()
        do throws(ObjectStoreError) {
            // The version's id is new. If the object exists, an earlier try of this upload has made it.
            _ = try await store.putIfAbsent(key, contentsOf: file, length: length, progress: progress)
            CrashPoint.contentUploaded.pass()
        } catch {
            if case .failed(_, .canceled) = error { throw .cancelled }
            throw try Digest.length(of: file) == length ? .store(error) : .changed
        }
        guard try Digest.length(of: file) == length else { throw .changed }
        return version
    }

    /// Whether a file holds the content of a version, byte for byte.
    public func isContent(of version: DocumentVersion, in file: FileDescriptor) async throws(TransferError) -> Bool {
        try await onBlockingThread { () throws(TransferError) in try version.isContent(of: file) }
    }
}
