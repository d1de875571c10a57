import Encryption
import ObjectStore

/// The keys of the encrypted containers that a store has joined, in a file of its own, `cloud-keys.json`, which only its owner can read. The
/// documents beside it are plain as well (the page Secrecy). So a mount asks for a passphrase once.
struct ContainerKeyFile {
    struct Entry: Equatable {
        let cloud: String
        var keys: KeptKeys
        /// Whether it is certain that the container has this key. A mount that was interrupted while it made the container does not know.
        var isEstablished: Bool
    }

    private let storePath: String
    private var entries: [Entry]

    private static let json = StoreJSON<[Entry]>(
        name: "cloud-keys.json", holds: "the keys of the cloud", advice: "remove it, and mount with the passphrase")

    /// Reads the keys that a store has; none if it has no such file.
    init(ofStore path: String) throws(CommandFailure) {
        storePath = path
        entries = try Self.json.read(fromStore: path) ?? []
    }

    /// What is known of the container at a URL.
    func entry(at url: CloudURL) -> Entry? { entries.first { $0.isAt(url) } }

    /// What is known of the container that has this key object, wherever it was before.
    func entry(for object: KeyObject) -> Entry? { entries.first { object.wraps($0.keys.ring.newest.key) } }

    /// Replaces what was known of the container at this place. Durable when it returns.
    mutating func remember(_ entry: Entry, at url: CloudURL) throws {
        entries.removeAll { $0.isAt(url) }
        entries.append(entry)
        try write()
    }

    /// Changes what is kept of the container at a place. Durable when it returns.
    ///
    /// - Returns: what is kept now.
    @discardableResult
    static func change(
        ofStore path: String, at url: CloudURL, _ body: (inout KeptKeys) throws -> Void
    ) throws -> KeptKeys {
        var file = try ContainerKeyFile(ofStore: path)
        guard let index = file.entries.firstIndex(where: { $0.isAt(url) }) else {
            throw CommandFailure(
                "the keys of \(url.text) are gone from \(path)/\(json.name); mount with the passphrase")
        }
        let former = file.entries[index].keys
        try body(&file.entries[index].keys)
        if file.entries[index].keys != former { try file.write() }
        return file.entries[index].keys
    }

    /// Forgets a recovery key that a person was told. Durable when it returns.
    mutating func forget(_ recoveryKey: RecoveryKey) throws {
        for index in entries.indices { entries[index].keys.forget(recoveryKey) }
        try write()
    }

    private func write() throws { try Self.json.write(entries, toStore: storePath) }
}

extension ContainerKeyFile.Entry {
    fileprivate func isAt(_ url: CloudURL) -> Bool { (try? CloudURL(cloud))?.isSamePlace(as: url) == true }
}

/// One object, with the fields of `KeptKeys`.
extension ContainerKeyFile.Entry: Codable {
    private enum Field: String, CodingKey { case cloud, isEstablished }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        cloud = try fields.decode(String.self, forKey: .cloud)
        isEstablished = try fields.decode(Bool.self, forKey: .isEstablished)
        keys = try KeptKeys(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Field.self)
        try fields.encode(cloud, forKey: .cloud)
        try fields.encode(isEstablished, forKey: .isEstablished)
        try keys.encode(to: encoder)
    }
}
