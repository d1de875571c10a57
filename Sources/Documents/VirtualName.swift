/// The names that resolve without being listed (PRODUCT 1).
public enum VirtualName: Equatable, Sendable {
    /// `.state`: of the folder it is looked up in.
    case folderState
    /// `F.state`: of the document that `F` names.
    case documentState(of: String)
    /// `F.conflicts` and `F.versions`: folders of versions of the document that `F` names.
    case versions(VersionFolder, of: String)

    public static let stateSuffix = ".state"

    public init?(_ name: String) {
        if name.isIdentical(to: Self.stateSuffix) {
            self = .folderState
        } else if let document = Self.stem(of: name, before: Self.stateSuffix) {
            self = .documentState(of: document)
        } else if let folder = VersionFolder.allCases.first(where: { name.utf8Ends(with: $0.suffix) }),
            let document = Self.stem(of: name, before: folder.suffix)
        {
            self = .versions(folder, of: document)
        } else {
            return nil
        }
    }

    private static func stem(of name: String, before suffix: String) -> String? {
        guard name.utf8Ends(with: suffix), name.utf8.count > suffix.utf8.count else { return nil }
        return String(decoding: name.utf8.dropLast(suffix.utf8.count), as: UTF8.self)
    }
}

/// The folders of a document's versions (PRODUCT 6).
public enum VersionFolder: Sendable, Hashable, CaseIterable {
    /// Versions that nobody has chosen among yet.
    case conflicts
    /// What the document was before.
    case history

    public var suffix: String {
        switch self {
        case .conflicts: ".conflicts"
        case .history: ".versions"
        }
    }
}
