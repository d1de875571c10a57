import Backing
import Documents
import Replication

/// What the library needs of the cloud. None of it waits for the network.
public protocol ContentSource: Sendable {
    /// Whether the cloud can be reached, as of the last attempt.
    var connection: Connection { get }

    /// A transfer of the content of a version, for the caller to run.
    ///
    /// - Parameter file: empty, open for reading and writing. It must stay open until the transfer has ended.
    /// - Throws: `TransferError` for a version that cannot be in a container.
    func download(_ version: DocumentVersion, of document: EntryID, into file: Descriptor) throws -> Download

    /// Somebody looks for what may have changed elsewhere: what other devices do is of interest for a while.
    func changesAreOfInterest()

    /// There is something to send, or there will be soon.
    func changesAreWaiting()
}

extension ContentSource {
    var isReachable: Bool { connection == .online }
}

/// Whether the cloud can be reached, as of the last attempt.
public enum Connection: Sendable, Equatable, CustomStringConvertible {
    case online
    case offline
    case unauthorized
    case failed(String)

    /// As `Documents/.state` shows it.
    public var description: String {
        switch self {
        case .online: "online"
        case .offline: "offline"
        case .unauthorized: "unauthorized"
        case .failed(let reason): reason
        }
    }
}
