import Ciphers
import Documents
import FoundationEssentials

/// The object `checkpoint/POSITION/manifest`: describes the state of the container after an entry of the log (ContainerFormat). It lets a
/// new device begin without reading the whole log. It is written after the parts, which are named by their digests.
///
/// A part is a list of entries in canonical form, one a line, folders before what lies in them.
public struct CheckpointManifest: Codable, Sendable, Equatable, SignedObject {
    static let purpose = "docfs checkpoint"
    public static let currentFormat = 1

    public var format = CheckpointManifest.currentFormat
    /// The position of the state, and what the next entry of the log must match.
    public var head: CheckpointHead
    /// The number of entries in all parts.
    public var count: Int
    /// The SHA-256 digests of the parts in hexadecimal, in the order in which the parts are to be read.
    public var parts: [String]
    /// The device that wrote it, in an encrypted container.
    public private(set) var device: DeviceID?
    /// Of that device.
    var signature: DeviceSignature?
    /// Of the manifest without this field. Nil in manifests of early releases.
    private var digest: ObjectHash?

    public init(head: LogHead, count: Int, parts: [String]) {
        self.head = CheckpointHead(head)
        self.count = count
        self.parts = parts
    }

    /// In the name of a device.
    public func signed(by device: DeviceID, with key: SigningKey) throws -> CheckpointManifest {
        var manifest = self
        manifest.device = device
        return try manifest.signed(with: key)
    }

    /// Whether the device that wrote it may be one of these, and no other one has written it in its name.
    ///
    /// - Parameter pinned: those that the reader knows; nil where it knows none.
    func isBelieved(by pinned: Members?) -> Bool {
        guard head.members?.canBe(at: head.position) != false else { return false }
        if let pinned, !pinned.agree(with: head.members, at: head.position) { return false }
        guard let device, let signature else { return head.members == nil && device == nil && signature == nil }
        return [pinned, head.members].allSatisfy { $0?[device].map { $0.key == signature.key } ?? true }
    }

    /// The bytes of the object.
    func encoded() throws -> Data {
        var whole = self
        whole.digest = ObjectHash(of: try text())
        return try Self.encoder.encode(whole)
    }

    /// - Throws: for bytes that are no manifest, or not as its writer wrote them.
    init(decoding bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(CheckpointManifest.self, from: Data(bytes))
        let isWhole = try digest.map { try ObjectHash(of: text()) == $0 } ?? true
        digest = nil
        guard isWhole, try isAsSigned() else {
            throw CheckpointError.invalid("its manifest is not as its writer wrote it")
        }
    }

    /// Without the digest.
    func text() throws -> [UInt8] {
        var rest = self
        rest.digest = nil
        return Array(try Self.encoder.encode(rest))
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}

/// The part of a ``LogHead`` that does not depend on the device that wrote the checkpoint.
public struct CheckpointHead: Codable, Sendable, Equatable {
    public var container: ContainerID
    public var root: LogPosition
    public var position: LogPosition
    public var hash: ObjectHash
    public var commit: CommitID?
    public var state: StateHash
    public var members: Members?

    init(_ head: LogHead) {
        container = head.container
        root = head.root
        position = head.position
        hash = head.hash
        commit = head.commit
        state = head.state
        members = head.members
    }

    /// The head of a device that begins with this checkpoint. It can vouch for the entries that it reads itself.
    public var logHead: LogHead {
        LogHead(
            container: container, root: root, readFrom: max(root, position), position: position, hash: hash,
            commit: commit, state: state, members: members)
    }
}
