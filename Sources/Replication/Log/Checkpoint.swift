import ObjectStore
import SystemPackage

/// Why a checkpoint cannot be used. An older one, or the log from its start, says the same.
public enum CheckpointError: Error, Sendable, CustomStringConvertible {
    case store(ObjectStoreError)
    case invalid(String)

    public var description: String {
        switch self {
        case .store(let error): error.description
        case .invalid(let reason): "a checkpoint of the cloud is invalid: \(reason)"
        }
    }
}

/// A checkpoint that was fetched into a file. The digest of each part is verified; the entries are not decoded yet. It stays in a file
/// because a checkpoint of a million entries is too large for memory.
public struct FetchedCheckpoint: Sendable {
    /// The head of the log for a device that begins here.
    public let head: LogHead
    let count: Int
    let file: FileDescriptor
    /// Where each part is in the file, in the order in which they are to be read.
    let parts: [Range<Int64>]
}
