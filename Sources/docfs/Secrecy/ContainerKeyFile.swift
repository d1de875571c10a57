import Backing
import Encryption
import Foundation
import ObjectStore

/// The keys of the encrypted containers that a store has joined, in a file of its own, `cloud-keys.json`, which only its owner can read. The
/// documents beside it are plain as well (the page Secrecy). So a mount asks for a passphrase once.
struct ContainerKeyFile: Codable {
    private struct Entry: Codable {
        var cloud: String
        var key: String
        /// Of a container that this store made, until a person was told.
        var recoveryKey: String?
        /// The object that holds the key in the container, in case it is lost there.
        var object: KeyObject?
    }

    private var keys: [Entry] = []

    private static let fileName = "cloud-keys.json"

    init() {}

    /// Reads the keys that a store has; none if it has no such file.
    init(ofStore path: String) throws(CommandFailure) {
        let file = "\(path)/\(Self.fileName)"
        guard FileManager.default.fileExists(atPath: file) else { return }
        do { self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: file))) } catch {
            throw CommandFailure(
                "the keys of the cloud cannot be read from \(file): the file is damaged; remove it, and mount with the passphrase"
            )
        }
    }

    /// The key of the container at a URL, as far as this store knows it.
    func key(at url: CloudURL) -> ContainerKey? { entry(at: url).flatMap { ContainerKey($0.key) } }

    /// The object that holds this key in its container.
    func object(holding key: ContainerKey) -> KeyObject? { keys.compactMap(\.object).first { $0.wraps(key) } }

    /// The recovery key of a container that was made in a mount that did not become ready.
    func untoldRecoveryKey(at url: CloudURL) -> RecoveryKey? {
        entry(at: url)?.recoveryKey.flatMap { RecoveryKey($0) }
    }

    private func entry(at url: CloudURL) -> Entry? {
        keys.first { (try? CloudURL($0.cloud))?.isSamePlace(as: url) == true }
    }

    /// All keys, wherever their containers are.
    var all: [ContainerKey] { keys.compactMap { ContainerKey($0.key) } }

    /// Durable when it returns.
    mutating func remember(
        _ key: ContainerKey, in object: KeyObject?, _ recoveryKey: RecoveryKey? = nil, at url: CloudURL,
        inStore path: String
    ) throws {
        keys.removeAll { (try? CloudURL($0.cloud))?.isSamePlace(as: url) == true }
        keys.append(Entry(cloud: url.text, key: key.text, recoveryKey: recoveryKey?.text, object: object))
        try write(toStore: path)
    }

    /// Durable when it returns.
    static func forgetRecoveryKey(at url: CloudURL, inStore path: String) throws {
        var file = try ContainerKeyFile(ofStore: path)
        guard let key = file.key(at: url) else { return }
        try file.remember(key, in: file.object(holding: key), at: url, inStore: path)
    }

    private func write(toStore path: String) throws {
        try StoreFile(Self.fileName, inStore: path).replace(Array(try JSONEncoder().encode(self)))
    }
}
