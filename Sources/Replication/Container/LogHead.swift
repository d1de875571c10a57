import Ciphers
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
    /// The devices that sign what they write; nil where none has yet, and in plain containers.
    public var members: Members?

    public init(
        container: ContainerID, root: LogPosition, readFrom: LogPosition, position: LogPosition, hash: ObjectHash,
        commit: CommitID?, state: StateHash, members: Members? = nil
    ) {
        self.container = container
        self.root = root
        self.readFrom = readFrom
        self.position = position
        self.hash = hash
        self.commit = commit
        self.state = state
        self.members = members
    }

    /// The link of an entry that follows this head.
    public var link: ChainLink { ChainLink(container: container, previous: hash, state: state) }

    /// Checks that an entry is the next one.
    ///
    /// - Throws: `ContainerFault` if it belongs to another chain, if its writer had another state, or if another one signed it.
    public func check(_ entry: LogEntry) throws(ContainerFault) {
        let next = position.next
        guard entry.link.container == container else { throw .replaced }
        guard entry.link.previous == hash else { throw .otherHistory(at: next) }
        guard entry.link.state == state else { throw .otherState(at: next) }
        try check(writerOf: entry, at: next)
    }

    /// Checks that the device has written an entry in whose name it is.
    ///
    /// - Parameter position: of the entry, also of one that does not follow this head: the chain may have broken off.
    public func check(writerOf entry: LogEntry, at position: LogPosition) throws(ContainerFault) {
        guard Members.admit(entry, at: position, to: members) else { throw .otherWriter(at: position) }
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
        head.follow(writerOf: entry, at: head.position)
        return head
    }

    /// Takes over what an entry that was checked tells of the devices.
    ///
    /// - Parameter position: of the entry.
    public mutating func follow(writerOf entry: LogEntry, at position: LogPosition) {
        members = Members.following(members, entry, at: position)
    }

    /// With a device that writes the checkpoint of this head: whoever begins there knows it.
    ///
    /// - Throws: `ContainerFault.full`, `ContainerFault.otherKey`.
    public mutating func join(
        _ device: DeviceID, name: String, key: PublicKey, at time: Timestamp
    ) throws(ContainerFault) {
        if let known = members?[device] {
            guard known.key == key else { throw .otherKey }
        } else if members?.isFull == true {
            throw .full
        }
        members = Members.adding(
            Members.Member(
                device: device, name: DeviceLabel.make(name), key: key, position: position, joined: time, wrote: time
            ), to: members)
    }

    /// Knows the devices that another head knows, too.
    public mutating func keep(_ others: Members?) { members = members?.keeping(others, at: position) ?? others }
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
