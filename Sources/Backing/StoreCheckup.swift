import Catalog
import Documents
import Glibc
import SystemPackage

/// `docfs check --store`: looks for damage in a store that no mount uses. The documents' files are not touched. A damaged catalog can be set
/// aside: it is renamed, never removed, and the next mount makes a new one from the files and the container (`Crashes`).
public struct StoreCheckup {
    /// One line for each finding and for each repair.
    public private(set) var findings: [String] = []
    /// Whether the store can be mounted, perhaps after a repair.
    public private(set) var isSound = true

    /// The write-ahead log belongs to the file, and is of no use without it.
    private static let catalogFiles = ["catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm"]

    /// - Parameters:
    ///   - now: becomes a part of the name of a catalog that is set aside.
    ///   - repairs: whether to set a damaged catalog aside.
    /// - Throws: an error if there is no store, a docfs uses it, or its catalog cannot be read.
    public init(path: String, at now: Timestamp, repairs: Bool) throws(StoreError) {
        guard access(path + "/catalog.sqlite", F_OK) == 0 || access(path + "/local", F_OK) == 0 else {
            throw StoreError("there is no store at \(path); name the folder that `docfs mount --store` was given")
        }
        let lock = try StoreLock(path: path)
        defer { withExtendedLifetime(lock) {} }
        do { findings = try Catalog.damage(at: path + "/catalog.sqlite").map { "catalog: \($0)" } } catch {
            throw StoreError("the catalog of the store \(path) cannot be read: \(error)")
        }
        isSound = findings.isEmpty
        if !isSound, repairs { try setCatalogAside(path, now) }
    }

    private mutating func setCatalogAside(_ path: String, _ now: Timestamp) throws(StoreError) {
        let suffix = ".damaged-\(now.iso8601)"
        // The file itself last: until it is renamed, the store counts as damaged.
        for name in Self.catalogFiles.reversed() where access("\(path)/\(name)", F_OK) == 0 {
            guard rename("\(path)/\(name)", "\(path)/\(name)\(suffix)") == 0 else {
                throw StoreError("\(path)/\(name) cannot be renamed: \(Errno(rawValue: errno)); move it away")
            }
        }
        findings.append(
            "catalog: set aside as \(path)/catalog.sqlite\(suffix); the next mount makes a new one from the documents' files"
        )
        isSound = true
    }
}
