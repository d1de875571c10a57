import Documents

/// How far a device has read the log of a container, with all that the next entry must fit.
public struct LogHead: Codable, Sendable, Equatable {
    public var container: ContainerID
    /// The first entry of the chain: above 1 where a damaged log was begun anew (`Reunion`).
    public var root: LogPosition
    /// The first entry that this device can vouch for: those before it were in the checkpoint that it began with.
    public var readFrom: LogPosition
    /// The last entry that was applied.
    public var position: LogPosition
    /// Of that entry; where there is none yet, of the beginning of the chain.
    public var hash: ObjectHash
    /// The commit in that entry; nil at the beginning of the chain.
    public var commit: CommitID?
    /// Of the replica after that entry.
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

    /// What an entry after this head says of what it follows.
    public var link: ChainLink { ChainLink(container: container, previous: hash, state: state) }

    /// Whether an entry is the next one.
    ///
    /// - Throws: `ContainerFault` where it belongs to another chain, or its writer had another state.
    public func check(_ entry: LogEntry) throws(ContainerFault) {
        let next = position.next
        guard entry.link.container == container else { throw .replaced }
        guard entry.link.previous == hash else { throw .otherHistory(at: next) }
        guard entry.link.state == state else { throw .otherState(at: next) }
    }

    /// The head after an entry.
    ///
    /// - Parameter state: of the replica after it.
    public func advanced(by entry: LogEntry, state: StateHash) -> LogHead {
        var head = self
        head.position = position.next
        head.hash = entry.hash
        head.commit = entry.commit.id
        head.state = state
        return head
    }
}

/// The part of a log entry that says what it follows.
public struct ChainLink: Codable, Sendable, Equatable {
    public var container: ContainerID
    /// Of the object before it.
    public var previous: ObjectHash
    /// Of the replica before it.
    public var state: StateHash

    public init(container: ContainerID, previous: ObjectHash, state: StateHash) {
        self.container = container
        self.previous = previous
        self.state = state
    }
}

/// How a container differs from the one that this device knows. Nothing is sent to it, removed because of it or cleaned in it
/// until a person has it made whole. The description is one line for a person.
public enum ContainerFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is a log, and no object that says whose.
    case unnamed
    case emptied
    case replaced
    /// The entry at this position is missing, and later ones are there.
    case hole(LogPosition)
    /// This device has read further than the log goes.
    case rolledBack(to: LogPosition, from: LogPosition)
    case otherHistory(at: LogPosition)
    case otherState(at: LogPosition)

    public var description: String {
        "\(finding); nothing is sent or removed; `docfs check --repair` makes it whole from this device"
    }

    private var finding: String {
        switch self {
        case .unnamed: "the cloud container has lost its object 'container'"
        case .emptied: "the cloud container was emptied"
        case .replaced: "the cloud holds another container than this device knows"
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
