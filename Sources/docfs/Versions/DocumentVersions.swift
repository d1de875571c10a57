import CLinux
import Documents
import Glibc
import SystemPackage

/// One version of a document, as a file in `F.versions` or `F.conflicts`.
struct ListedVersion: Encodable, Equatable {
    enum Kind: String, Encodable { case version, conflict }

    let kind: Kind
    let name: String
    let path: String
    /// Nil if the name does not say it.
    let device: String?
    let size: Int64
    /// ISO 8601 in UTC, whole seconds.
    let modified: String
    let modifiedSeconds: Int

    private enum CodingKeys: String, CodingKey { case kind, name, path, device, size, modified }

    init(kind: Kind, name: String, path: String, size: Int64, modifiedSeconds: Int) {
        self.kind = kind
        self.name = name
        self.path = path
        self.size = size
        self.modifiedSeconds = modifiedSeconds
        device = name.firstMatch(of: /^(.+) \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d/).map { String($0.1) }
        modified = Timestamp(seconds: modifiedSeconds, nanoseconds: 0).iso8601
    }

    static func == (first: Self, second: Self) -> Bool { first.path == second.path }
}

/// The other versions of a document: those in conflict, and what it was before.
struct DocumentVersions {
    /// The document.
    let path: String
    let state: StateText
    let conflicts: [ListedVersion]
    /// The latest first.
    let versions: [ListedVersion]
}

extension DocumentVersions {
    /// - Throws: where there is no document.
    init(of path: String) throws {
        _ = try MountedTree(holding: path)
        if try Listing.isFolder(path) { throw CommandFailure("\(path) is a folder; only documents have versions") }
        state = StateText(try readState(ofDocument: path))
        // The versions of a symbolic link's target lie beside the target.
        self.path = try MountedTree.resolved(path)
        conflicts = try Self.list(.conflict, self.path + ".conflicts")
        versions = try Self.list(.version, self.path + ".versions")
    }

    var all: [ListedVersion] { conflicts + versions }

    /// Without the folder if there are none of the kind. A version may go away while the folder is read.
    private static func list(_ kind: ListedVersion.Kind, _ folder: String) throws -> [ListedVersion] {
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return [] }
        return try FolderContent.entries(of: folder).compactMap { entry in
            let path = folder + "/" + entry.name
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            return ListedVersion(
                kind: kind, name: entry.name, path: path, size: Int64(status.st_size),
                modifiedSeconds: status.st_mtim.tv_sec)
        }
    }

    /// - Parameter text: a name, its beginning, or the number in the list.
    func version(_ text: String) throws -> ListedVersion {
        try Self.choose(text, from: all, of: path)
    }

    /// - Parameter name: the whole name.
    func version(_ kind: ListedVersion.Kind, _ name: String) throws -> ListedVersion {
        guard let found = all.first(where: { $0.kind == kind && $0.name == name }) else {
            throw CommandFailure("that version of \(state["displayName"] ?? path) has gone")
        }
        return found
    }

    /// Gives the document the content of a version. Undo brings the content back that the document has now, so that it must be here. A conflict
    /// version becomes the current one; the others stay in conflict.
    func restore(_ version: ListedVersion) throws {
        switch version.kind {
        case .version: try ContentCopy.replace(path, with: version.path)
        case .conflict: try Resolving(self).makeCurrent(version)
        }
    }

    static func choose(_ text: String, from all: [ListedVersion], of path: String) throws -> ListedVersion {
        if let exact = all.first(where: { $0.name == text }) { return exact }
        if let number = Int(text), (1...max(1, all.count)).contains(number), !all.isEmpty { return all[number - 1] }
        let begun = all.filter { $0.name.hasPrefix(text) }
        if begun.count == 1 { return begun[0] }
        let reason = begun.isEmpty ? "no version \(text)" : "several versions that begin with \(text)"
        throw CommandFailure("\(path) has \(reason); `docfs versions` lists them")
    }

    /// The row of a version in a list for people.
    static func row(_ version: ListedVersion, number: Int) -> [StyledText] {
        [
            StyledText("\(number)"), StyledText(version.kind.rawValue, version.kind == .conflict ? .yellow : nil),
            StyledText(HumanText.size(version.size)),
            StyledText(HumanText.localTime(secondsSince1970: version.modifiedSeconds)), StyledText(version.name),
        ]
    }
}
