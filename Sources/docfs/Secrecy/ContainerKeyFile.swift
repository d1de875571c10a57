import Encryption
import Glibc
import ObjectStore
import SystemPackage

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
    func entry(for object: KeyObject) -> Entry? {
        entries.first { object.wrapsKey(of: $0.keys.ring) }
    }

    /// Replaces what was known of the container at this place. Durable when it returns.
    mutating func remember(_ entry: Entry, at url: CloudURL) throws {
        self = try Self.locked(storePath) { file in
            file.entries.removeAll { $0.isAt(url) }
            file.entries.append(entry)
            return file
        }
    }

    /// Changes what is kept of the container at a place. Durable when it returns.
    ///
    /// - Returns: what is kept now.
    @discardableResult
    static func change(
        ofStore path: String, at url: CloudURL, _ body: (inout KeptKeys) throws -> Void
    ) throws -> KeptKeys {
        try locked(path) { file in
            guard let index = file.entries.firstIndex(where: { $0.isAt(url) }) else {
                throw CommandFailure(
                    "the keys of \(url.text) are gone from \(path)/\(json.name); mount with the passphrase")
            }
            try body(&file.entries[index].keys)
            return file.entries[index].keys
        }
    }

    /// Reads the file, and writes it again if `body` has changed it. Commands and mounts may do so at once: one waits for the other, in a lock
    /// (flock(2)) on the store's folder, for the file is another one each time.
    private static func locked<Value>(
        _ path: String, _ body: (inout ContainerKeyFile) throws -> Value
    ) throws -> Value {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            throw CommandFailure("the store \(path) cannot be opened: \(Errno(rawValue: errno))")
        }
        defer { close(folder) }
        while flock(folder, LOCK_EX) != 0 {
            guard errno == EINTR else {
                throw CommandFailure("the store \(path) cannot be locked: \(Errno(rawValue: errno))")
            }
        }
        var file = try ContainerKeyFile(ofStore: path)
        let former = file.entries
        let value = try body(&file)
        if file.entries != former { try json.write(file.entries, toStore: path) }
        return value
    }

    /// Forgets a recovery key that a person was told. Durable when it returns.
    mutating func forget(_ recoveryKey: RecoveryKey) throws {
        self = try Self.locked(storePath) { file in
            for index in file.entries.indices { file.entries[index].keys.forget(recoveryKey) }
            return file
        }
    }
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
