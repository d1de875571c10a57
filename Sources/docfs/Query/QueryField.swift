import Documents

/// A property of a document that a predicate can test.
enum QueryField: Equatable {
    case name, displayName, pathExtension, size, modified, created, state, indicator, location, downloading, uploading,
        conflicts
    /// Display name and extension. Words alone ask for it; it has no name in a predicate.
    case fullName
    /// An extended attribute `user.X`.
    case attribute(String)

    enum Kind { case text, number, time, words }

    private static let named: [(name: String, field: QueryField)] = [
        ("name", .name), ("displayName", .displayName), ("extension", .pathExtension), ("size", .size),
        ("modified", .modified),
        ("created", .created), ("state", .state), ("indicator", .indicator), ("location", .location),
        ("downloading", .downloading), ("uploading", .uploading), ("conflicts", .conflicts),
    ]

    /// The names of all fields, for messages.
    static var names: String { (named.map(\.name) + ["user.X", "and the flags of a state"]).joined(separator: ", ") }

    init?(_ name: String) {
        if let known = Self.named.first(where: { $0.name == name }) {
            self = known.field
        } else if name.hasPrefix("user."), name.utf8.count > "user.".utf8.count {
            self = .attribute(name)
        } else {
            return nil
        }
    }

    var name: String {
        if case .attribute(let name) = self { return name }
        return Self.named.first { $0.field == self }?.name ?? ""
    }

    var kind: Kind {
        switch self {
        case .size, .conflicts: .number
        case .modified, .created: .time
        case .state: .words
        default: .text
        }
    }

    /// The values that the field can have, if there are few; a misspelt one would match nothing.
    var values: [String]? {
        switch self {
        case .state: QueryFlag.all
        case .indicator: [Indicator.green, .yellow, .red].map(\.rawValue)
        case .location: [Location.local, .cloud].map(\.rawValue)
        case .downloading: [DownloadState.notDownloaded, .downloading, .current, .outdated].map(\.rawValue)
        case .uploading: [UploadState.waiting, .uploading, .uploaded].map(\.rawValue)
        default: nil
        }
    }
}

/// The flags of a state, which are predicates by themselves.
enum QueryFlag {
    static let all = StateFlag.allCases.map(\.rawValue) + ["normal"]
}
