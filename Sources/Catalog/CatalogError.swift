import GRDB

/// Why a read or write of the catalog failed.
public enum CatalogError: Error, CustomStringConvertible, Sendable {
    /// No space is left on the store's file system.
    case full
    /// SQLite's message.
    case failed(String)

    init(_ error: DatabaseError) {
        self = error.resultCode == .SQLITE_FULL ? .full : .failed(error.description)
    }

    public var description: String {
        switch self {
        case .full: "no space is left for the catalog; free some on the store's disk"
        case .failed(let words): "the catalog failed: \(words)"
        }
    }
}
