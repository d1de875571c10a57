import Documents
import FoundationEssentials
import LinuxFiles
import ObjectStore
import SystemPackage

/// The object `checkpoint/POSITION/manifest`: describes the state of the container after an entry of the log (ContainerFormat). It lets a
/// new device begin without reading the whole log. It is written after the parts, which are named by their digests.
///
/// A part is a list of entries in canonical form, one a line, folders before what lies in them.
public struct CheckpointManifest: Codable, Sendable, Equatable {
    public static let currentFormat = 1

    public var format = CheckpointManifest.currentFormat
    /// The position of the state, and what the next entry of the log must match.
    public var head: CheckpointHead
    /// The number of entries in all parts.
    public var count: Int
    /// The SHA-256 digests of the parts in hexadecimal, in the order in which the parts are to be read.
    public var parts: [String]
    /// Of the manifest without this field. Nil in manifests of early releases.
    private var digest: ObjectHash?

    public init(head: LogHead, count: Int, parts: [String]) {
        self.head = CheckpointHead(head)
        self.count = count
        self.parts = parts
    }

    /// The bytes of the object.
    func encoded() throws -> Data {
        var whole = self
        whole.digest = ObjectHash(of: try withoutDigest())
        return try Self.encoder.encode(whole)
    }

    /// - Throws: for bytes that are no manifest, or not as its writer wrote them.
    init(decoding bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(CheckpointManifest.self, from: Data(bytes))
        if let digest, try ObjectHash(of: withoutDigest()) != digest {
            throw CheckpointError.invalid("its manifest is not as its writer wrote it")
        }
        digest = nil
    }

    private func withoutDigest() throws -> Data {
        var rest = self
        rest.digest = nil
        return try Self.encoder.encode(rest)
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

    init(_ head: LogHead) {
        container = head.container
        root = head.root
        position = head.position
        hash = head.hash
        commit = head.commit
        state = head.state
    }

    /// The head of a device that begins with this checkpoint. It can vouch for the entries that it reads itself.
    public var logHead: LogHead {
        LogHead(
            container: container, root: root, readFrom: max(root, position), position: position, hash: hash,
            commit: commit, state: state)
    }
}

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
