import Backing
import Documents
import Replication

/// The cloud as the library uses it. No call waits for the network.
public protocol ContentSource: Sendable {
    /// Whether the cloud can be reached, as of the last attempt.
    var connection: Connection { get }

    /// Where the container is; nil where nobody could know.
    var address: ContainerAddress? { get }

    /// The download of a version's content. The caller runs it.
    ///
    /// - Parameters:
    ///   - file: empty, open for reading and writing. It must stay open until the transfer has ended.
    ///   - moved: called when its percentage has changed.
    /// - Throws: `invalidVersion` for a version that cannot be in a container.
    func download(
        _ version: DocumentVersion, of document: EntryID, into file: Descriptor, moved: @escaping @Sendable () -> Void
    ) throws(TransferError) -> Download

    /// A person or program looks at the tree: the log is asked more often for other devices' changes, for a while.
    func changesAreOfInterest()

    /// There are changes to send, or will be soon.
    func changesAreWaiting()
}

extension ContentSource {
    var isReachable: Bool { connection == .online }

    /// - Throws: EHOSTUNREACH, or EACCES where the cloud refuses the credentials.
    func requireReachable() throws(Refusal) {
        switch connection {
        case .online: return
        case .unauthorized: throw .cloudRefuses
        case .offline, .failed, .moving: throw .cloudUnreachable
        }
    }
}

/// Where the container is.
public struct ContainerAddress: Sendable, Equatable {
    public var url: String
    /// Whether it is a folder in the file system that the store is in: then it is no copy elsewhere. False as long as that is not known.
    public var isBesideStore: Bool
    /// Whether its keeper cannot read it.
    public var isEncrypted: Bool

    public init(url: String, isBesideStore: Bool, isEncrypted: Bool = false) {
        self.url = url
        self.isBesideStore = isBesideStore
        self.isEncrypted = isEncrypted
    }
}

/// Whether the cloud can be reached, as of the last attempt.
public enum Connection: Sendable, Equatable, CustomStringConvertible {
    /// The last attempt succeeded, or there was none yet.
    case online
    /// The store cannot be reached. The reason is one line for a person.
    case offline(String)
    /// The store refuses the credentials. The reason is one line for a person.
    case unauthorized(String)
    /// The container or its log cannot be used. The reason is one line for a person.
    case failed(String)
    /// The documents are being sent to this container, to which the store will belong.
    case moving

    /// As `Documents/.state` shows it.
    public var description: String {
        switch self {
        case .online: "online"
        case .offline: "offline"
        case .unauthorized: "unauthorized"
        case .failed(let reason): reason
        case .moving: "the documents are being sent to this cloud"
        }
    }

    /// Why the cloud cannot be used, where `description` does not say it.
    public var reason: String? {
        switch self {
        case .online, .failed, .moving: nil
        case .offline(let reason), .unauthorized(let reason): reason
        }
    }
}
