import Documents

/// How far a device has read the log of a container, and all that the next entry must match (ContainerFormat).
public struct LogHead: Codable, Sendable, Equatable {
    /// The container whose log it is.
    public var container: ContainerID
    /// The first entry of the chain: 1, or more where a damaged log was begun anew (`Reunion`).
    public var root: LogPosition
    /// The first entry that this device can vouch for. The entries before it are in the checkpoint that the device began with.
    public var readFrom: LogPosition
    /// The last entry that was applied.
    public var position: LogPosition
    /// The hash of that entry; at the beginning of the chain, what the first entry must name as the object before it.
    public var hash: ObjectHash
    /// The id of the commit in that entry; nil at the beginning of the chain.
    public var commit: CommitID?
    /// The hash of the replica after that entry.
    public var state: StateHash

    public init(
        container: ContainerID, root: LogPosition, readFrom: LogPosition, position: LogPosition, hash: ObjectHash,
        commit: CommitID?, state: StateHash
    ) {
        self.container = container
        self.root = root
        self.readFrom = readFrom
        self.position = position
        self.hash = hash
        self.commit = commit
        self.state = state
    }

    /// The link of an entry that follows this head.
    public var link: ChainLink { ChainLink(container: container, previous: hash, state: state) }

    /// Checks that an entry is the next one.
    ///
    /// - Throws: `ContainerFault` if it belongs to another chain, or if its writer had another state.
    public func check(_ entry: LogEntry) throws(ContainerFault) {
        let next = position.next
        guard entry.link.container == container else { throw .replaced }
        guard entry.link.previous == hash else { throw .otherHistory(at: next) }
        guard entry.link.state == state else { throw .otherState(at: next) }
    }

    /// The head after an entry.
    ///
    /// - Parameter state: the hash of the replica after it.
    public func advanced(by entry: LogEntry, state: StateHash) -> LogHead {
        var head = self
        head.position = position.next
        head.hash = entry.hash
        head.commit = entry.commit.id
        head.state = state
        return head
    }
}

/// The part of a log entry that says what the entry follows.
public struct ChainLink: Codable, Sendable, Equatable {
    /// The container for which the entry was made.
    public var container: ContainerID
    /// The hash of the object before it.
    public var previous: ObjectHash
    /// The hash of the replica before it.
    public var state: StateHash

    public init(container: ContainerID, previous: ObjectHash, state: StateHash) {
        self.container = container
        self.previous = previous
        self.state = state
    }
}

/// How a container differs from the one that this device knows. Until a person has it repaired, nothing is sent to it, removed
/// because of it or cleaned in it. The description is one line for a person.
public enum ContainerFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is a log, and the object `container` is missing or damaged.
    case unnamed
    /// There is neither a log nor an object `container`.
    case emptied
    /// The object `container`, or an entry, has another container's id.
    case replaced
    /// The entry at this position is missing, and later ones exist.
    case hole(LogPosition)
    /// The container is encrypted, and this device does not have its key.
    case encrypted
    /// Another device has changed the container's key, and this device does not have the new one. By whom and when, as far as that can be told.
    case keyChanged(by: String?, at: Timestamp?)
    /// The checkpoint is missing that the container's newest key began with, so that a newcomer can trust nothing before it.
    case unfounded
    /// This device has read further than the log goes.
    case rolledBack(to: LogPosition, from: LogPosition)
    /// The entry at this position does not follow the one that this device has read before it.
    case otherHistory(at: LogPosition)
    /// The writer of the entry at this position had another state than this device.
    case otherState(at: LogPosition)

    /// One line for a person, with the advice that helps.
    public var description: String {
        let advice =
            switch self {
            case .encrypted: "unmount, and mount again with the passphrase (`docfs mount --help`)"
            case .keyChanged: "`docfs key` takes the new passphrase"
            case .unfounded: "`docfs check --repair` on a device that has long joined makes it whole"
            case .replaced: "mount the container of this store, or `docfs check --repair` joins the documents of both"
            default: "`docfs check --repair` makes it whole from this device"
            }
        return "\(finding); nothing is sent or removed; \(advice)"
    }

    private var finding: String {
        switch self {
        case .unnamed: "the cloud container has lost its object 'container'"
        case .emptied: "the cloud container was emptied"
        case .replaced: "the cloud holds another container than this device knows"
        case .encrypted: "the cloud container is encrypted, and this device does not have its key"
        case .keyChanged(let device, let time):
            "the key of the cloud container was changed on "
                + (device.map { "'\($0.filter { !$0.isNewline })'" } ?? "another device")
                + (time.map { " (\($0.iso8601))" } ?? "")
        case .unfounded: "the cloud container has lost the checkpoint that its key began with"
        case .hole(let position): "the log of the cloud container has a hole at position \(position.number)"
        case .rolledBack(let end, let position):
            "the cloud container was rolled back: its log ends at \(end.number), and this device has read \(position.number)"
        case .otherHistory(let position):
            "the cloud container was replaced by another state: its log is another one at position \(position.number)"
        case .otherState(let position):
            "the cloud container does not fit this device: another device had another state at position \(position.number)"
        }
    }
}
