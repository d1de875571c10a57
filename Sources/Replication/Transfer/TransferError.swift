import ObjectStore
import SystemPackage

/// Why a content could not be fetched or sent. The description is one line for a person.
public enum TransferError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The object store failed, or has no such content.
    case store(ObjectStoreError)
    /// The content that arrived has another SHA-256 or length than its version.
    case damaged
    /// The document changed while it was being sent. It is sent again.
    case changed
    /// Reading or writing the file on this device failed.
    case file(Errno)
    /// The version cannot be in a container: its filename cannot be part of a key.
    case invalidVersion(CommitError)
    /// The task was cancelled, or the document went away or was saved again.
    case cancelled

    /// One line for a person.
    public var description: String {
        switch self {
        case .store(.notFound):
            "the content is missing in the cloud; `docfs check --repair` on a device that has it sends it again"
        case .store(let error): error.description
        case .damaged: "the content in the cloud is damaged: its SHA-256 differs"
        case .changed: "the document changed while it was sent"
        case .file(let errno): "a file of the store cannot be read or written: \(errno)"
        case .invalidVersion(let error): error.description
        case .cancelled: "the transfer was cancelled"
        }
    }

    /// Whether the store does not answer. A later try may succeed.
    public var isStoreOutOfReach: Bool {
        switch self {
        case .store(.unreachable), .store(.gone): true
        default: false
        }
    }

    /// Whether the store does not admit this device.
    public var isStoreForbidden: Bool {
        switch self {
        case .store(.unauthorized), .store(.forbidden): true
        default: false
        }
    }

    /// Whether the object store has no room for the content.
    public var isStoreFull: Bool { self == .store(.outOfSpace) }
}
