import CLinux
import Glibc
import LinuxFiles
import SystemPackage

/// The one condition of the store is link(2)'s, and not every file system has that: vfat, exFAT, some shares and
/// a mount of docfs do not.
extension DirectoryStore {
    public func probe() async throws(ObjectStoreError) {
        try await onBlockingThread { () throws(ObjectStoreError) in
            let root = try openRoot()
            try requireMarker(in: root)
            try requireHardLinks(in: root)
        }
    }

    /// Tries whether a file can get a second name, once.
    ///
    /// - Throws: `unusable` where it cannot, or where the name can be given twice.
    func requireHardLinks(in root: OpenDescriptor) throws(ObjectStoreError) {
        let key = ObjectKey(valid: ["probe"])
        try withTemporary(in: root, for: key) { _, temporary throws(ObjectStoreError) in
            let name = FolderName(folder: temporary.folder, name: temporary.name + "-linked")
            // If this fails, `removeStaleTemporaries` removes the file later.
            defer { try? name.folder.removeFile(name.name) }
            if let refusal = calls.link(temporary, name) {
                throw refusal.tellsOfNoHardLinks ? withoutHardLinks(refusal) : failure(key, refusal.rawValue)
            }
            switch calls.link(temporary, name) {
            case .fileExists: return
            case nil:
                throw .unusable(
                    "the file system of \(self.root) gives one name to two files (link(2)), so two devices could overwrite each "
                        + "other; \(Self.remedy)")
            case let refusal?: throw failure(key, refusal.rawValue)
            }
        }
    }

    func withoutHardLinks(_ refusal: Errno) -> ObjectStoreError {
        .unusable(
            "the file system of \(root) has no hard links (link(2): \(refusal)), without which two devices could overwrite "
                + "each other; \(Self.remedy)")
    }

    private static let remedy = "choose a folder on another file system, or an S3 store"
}
