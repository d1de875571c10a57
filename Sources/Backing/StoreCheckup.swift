import Catalog
import Documents
import Glibc
import SystemPackage

/// The catalog's file in a store that no mount uses: is it whole, and can it be set aside. A damaged catalog is renamed, never removed, and
/// a new one is made from the files and the container (`Crashes`).
public struct StoreCheckup: Sendable {
    /// The path of the store's folder.
    public let path: String
    /// The faults of the file, one line each.
    public let damage: [String]
    /// No docfs uses the store while this exists.
    private let lock: StoreLock

    /// The write-ahead log belongs to the file, and is of no use without it.
    private static let catalogFiles = ["catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm"]

    /// - Throws: an error if there is no store, a docfs uses it, or its catalog cannot be read.
    public init(path: String) throws(StoreError) {
        guard access(path + "/catalog.sqlite", F_OK) == 0 || access(path + "/local", F_OK) == 0 else {
            throw StoreError("there is no store at \(path); name the folder that `docfs mount --store` was given")
        }
        self.path = path
        lock = try StoreLock(path: path)
        do { damage = try Catalog.damage(at: path + "/catalog.sqlite") } catch {
            throw StoreError("the catalog of the store \(path) cannot be read: \(error)")
        }
    }

    /// Whether there is a catalog at all.
    public var hasCatalog: Bool { access(path + "/catalog.sqlite", F_OK) == 0 }

    /// - Parameter now: becomes a part of the name.
    /// - Returns: the new path of the catalog.
    public func setCatalogAside(at now: Timestamp) throws(StoreError) -> String {
        let suffix = ".damaged-\(now.iso8601)"
        // The file itself last: until it is renamed, the store counts as damaged.
        for name in Self.catalogFiles.reversed() where access("\(path)/\(name)", F_OK) == 0 {
            guard rename("\(path)/\(name)", "\(path)/\(name)\(suffix)") == 0 else {
                throw StoreError("\(path)/\(name) cannot be renamed: \(Errno(rawValue: errno)); move it away")
            }
        }
        return "\(path)/catalog.sqlite\(suffix)"
    }

    /// Copies the catalog to another folder, with what its write-ahead log holds.
    package func copyCatalog(to folder: String) throws(StoreError) {
        for name in Self.catalogFiles where name != "catalog.sqlite-shm" && access("\(path)/\(name)", F_OK) == 0 {
            do throws(Errno) { try Self.copy("\(path)/\(name)", to: "\(folder)/\(name)") } catch {
                throw StoreError("\(path)/\(name) cannot be copied to \(folder): \(error)")
            }
        }
    }

    private static let pieceLength = 1 << 30

    private static func copy(_ path: String, to target: String) throws(Errno) {
        let source = try Descriptor.open(path, O_RDONLY)
        let copy = try Descriptor.open(target, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        while true {
            let count = sendfile(copy.number, source.number, nil, pieceLength)
            if count == 0 { return }
            if count < 0, errno != EINTR { throw Errno(rawValue: errno) }
        }
    }
}
