import GRDB

/// Why the catalog could not do what was asked.
public enum CatalogError: Error, CustomStringConvertible, Sendable {
    /// No space is left on the store's file system.
    case full
    /// SQLite's own words.
    case failed(String)

    init(_ error: DatabaseError) {
        self = error.resultCode == .SQLITE_FULL ? .full : .failed(error.description)
    }

    public var description: String {
        switch self {
        case .full: "no space is left for the catalog"
        case .failed(let words): "the catalog failed: \(words)"
        }
    }
}
