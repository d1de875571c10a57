import Encryption
import ObjectStore

/// The keys of the encrypted containers that a store has joined, in a file of its own, `cloud-keys.json`, which only its owner can read. The
/// documents beside it are plain as well (the page Secrecy). So a mount asks for a passphrase once.
struct ContainerKeyFile {
    struct Entry: Codable {
        let cloud: String
        let key: ContainerKey
        /// Of a container that this store made, until a person was told.
        var recoveryKey: RecoveryKey?
        /// The object that holds the key in the container, in case it is lost there.
        let object: KeyObject
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
    func entry(at url: CloudURL) -> Entry? {
        entries.first { (try? CloudURL($0.cloud))?.isSamePlace(as: url) == true }
    }

    /// What is known of the container that has this key object, wherever it was before.
    func entry(for object: KeyObject) -> Entry? { entries.first { object.wraps($0.key) } }

    /// Replaces what was known of the container at this place. Durable when it returns.
    mutating func remember(_ entry: Entry, at url: CloudURL) throws {
        entries.removeAll { (try? CloudURL($0.cloud))?.isSamePlace(as: url) == true }
        entries.append(entry)
        try write()
    }

    /// Forgets a recovery key that a person was told. Durable when it returns.
    mutating func forget(_ recoveryKey: RecoveryKey) throws {
        for index in entries.indices where entries[index].recoveryKey == recoveryKey {
            entries[index].recoveryKey = nil
        }
        try write()
    }

    private func write() throws { try Self.json.write(entries, toStore: storePath) }
}
