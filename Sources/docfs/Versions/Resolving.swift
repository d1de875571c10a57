import CLinux
import Glibc
import SystemPackage

/// Resolves the conflict of a document, through its folder of conflict versions. Versions that come meanwhile stay in conflict.
struct Resolving {
    private let versions: DocumentVersions

    init(_ versions: DocumentVersions) { self.versions = versions }

    func keepCurrent() throws { try discard(versions.conflicts) }

    /// Makes a conflict version the document's content. The other conflict versions are discarded.
    func keep(_ version: ListedVersion) throws {
        try makeCurrent(version)
        try discard(versions.conflicts.filter { $0 != version })
    }

    /// Makes each conflict version a document of its own, beside the document. None is discarded before all are copied.
    ///
    /// - Returns: the paths of the new documents.
    func keepAll() throws -> [String] {
        let displayName = versions.state["displayName"] ?? ""
        let copies = try versions.conflicts.map { version in
            try ContentCopy.makeDocument(of: version, beside: versions.path) {
                ContentCopy.name(displayName, version: version.name, number: $0)
            }
        }
        try discard(versions.conflicts)
        return copies
    }

    func makeCurrent(_ version: ListedVersion) throws {
        guard rename(version.path, versions.path) == 0 else {
            throw CommandFailure("cannot make \(version.name) current: \(Errno(rawValue: errno))")
        }
    }

    /// A version that is gone was discarded elsewhere.
    private func discard(_ discarded: [ListedVersion]) throws {
        for version in discarded where unlink(version.path) != 0 && errno != ENOENT {
            throw CommandFailure("cannot discard \(version.name): \(Errno(rawValue: errno))")
        }
    }
}
