import Ciphers
import Documents

/// The devices that write to an encrypted container, each with the key that its entries are signed with (ContainerFormat, "Signatures"). A device
/// joins with its first entry, which only somebody who has the container's key can make. From then on nobody else writes in its name.
public struct Members: Sendable, Equatable {
    /// A device that has joined.
    public struct Member: Sendable, Equatable, Codable {
        public let device: DeviceID
        /// As its newest entry has it.
        public fileprivate(set) var name: String
        public let key: PublicKey
        /// Of its first entry.
        public let position: LogPosition
        /// When it made that, by its clock.
        public let joined: Timestamp
        /// When it made its newest entry, by its clock.
        public fileprivate(set) var wrote: Timestamp
    }

    /// Each head of the log has all of them, so there must not be too many.
    static let most = 256

    /// In the order in which they joined. At least one.
    public private(set) var all: [Member]

    /// What is known of a device.
    public subscript(_ device: DeviceID) -> Member? { all.first { $0.device == device } }

    /// The first entry that is signed. Those before it were written by a release that did not sign.
    private var start: LogPosition? { all.map(\.position).min() }

    /// Whether the entry at a position may be one of this container.
    ///
    /// - Parameter members: nil where nothing was signed yet.
    static func admit(_ entry: LogEntry, at position: LogPosition, to members: Members?) -> Bool {
        guard let signature = entry.signature else { return members?.start.map { position < $0 } ?? true }
        guard entry.position == position else { return false }
        guard let members else { return true }
        guard let known = members[entry.commit.device] else { return !members.isFull }
        return known.key == signature.key
    }

    /// With what an entry tells: its writer, and whom it removes.
    static func following(_ members: Members?, _ entry: LogEntry, at position: LogPosition) -> Members? {
        guard let signature = entry.signature else { return members }
        let commit = entry.commit
        let writer = Member(
            device: commit.device, name: DeviceLabel.make(commit.deviceName), key: signature.key, position: position,
            joined: commit.time, wrote: commit.time)
        var all = adding(writer, to: members).all
        all.removeAll { commit.removed?.contains($0.device) == true }
        return Members(all: all)
    }

    /// With a device that writes: where it is known already, only its name and the time are new.
    static func adding(_ writer: Member, to members: Members?) -> Members {
        guard var members else { return Members(all: [writer]) }
        if let index = members.all.firstIndex(where: { $0.device == writer.device }) {
            members.all[index].name = writer.name
            members.all[index].wrote = writer.wrote
        } else {
            members.all.append(writer)
        }
        return members
    }

    /// With those of others that are not among these, as far as there is room: who was there before stays known.
    ///
    /// - Parameter position: of the head that is to have all of them.
    func keeping(_ others: Members?, at position: LogPosition) -> Members {
        var members = self
        let missing = (others?.all ?? []).filter { self[$0.device] == nil }.map { member in
            Member(
                device: member.device, name: member.name, key: member.key, position: min(member.position, position),
                joined: member.joined, wrote: member.wrote)
        }
        members.all += missing.prefix(max(0, Self.most - all.count))
        return members
    }

    /// Whether there is room for one more.
    var isFull: Bool { all.count >= Self.most }

    /// Whether each of them can have joined by then.
    func canBe(at position: LogPosition) -> Bool { all.allSatisfy { $0.position <= position } }

    /// Whether a checkpoint can be believed by a device that knows these: no device has another key in it, and what is signed here is signed there.
    func agree(with other: Members?, at position: LogPosition) -> Bool {
        guard let other else { return start.map { position < $0 } ?? true }
        return all.allSatisfy { member in other[member.device].map { $0.key == member.key } ?? true }
    }
}

extension Members: Codable {
    public init(from decoder: any Decoder) throws {
        all = try decoder.singleValueContainer().decode([Member].self)
        guard (1...Self.most).contains(all.count), Set(all.map(\.device)).count == all.count else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "devices that cannot be"))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(all)
    }
}
