import MountSupport
import Testing

/// Over which tree the suite runs: both must behave alike.
enum Ground: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case library = "the library in process"
    case mount = "a mount"

    static let all = allCases

    var testDescription: String { rawValue }
}

/// Runs `body` with an empty tree of its own, and removes it.
func withTree(
    on ground: Ground, showing listing: Listing = .filenames,
    perform body: (any DocumentTree) async throws -> Void
) async throws {
    switch ground {
    case .library:
        try await withLibraryTree(showsDisplayNames: listing == .displayNames) { try await body($0) }
    case .mount:
        try await withDevice(MountOptions(listing: listing)) { try await body(MountedTree(documents: $0.documents)) }
    }
}
