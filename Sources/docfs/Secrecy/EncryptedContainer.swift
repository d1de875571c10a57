import CloudSynchronization
import Dispatch
import Documents
import Encryption
import Filesystem
import Library
import ObjectStore

/// The encrypted container of a mount, as commands that are about its keys see it.
struct EncryptedContainer {
    let mount: MountedTree
    let store: String
    let url: CloudURL
    /// What the store keeps of its keys now.
    let keys: KeptKeys
    private static let timeout = DispatchTimeInterval.seconds(60)

    /// - Throws: `CommandFailure` where the container of the mount is not encrypted.
    init(of mount: MountedTree) throws {
        guard let store = mount.store, let url = try StoreOptions(ofStore: store).cloud.map({ try CloudURL($0) }) else {
            throw CommandFailure("the store of \(mount.mountpoint) cannot be found")
        }
        guard let entry = try ContainerKeyFile(ofStore: store).entry(at: url) else {
            throw CommandFailure("the container at \(url.text) is not encrypted; it has neither passphrase nor key")
        }
        (self.mount, self.store, self.url, keys) = (mount, store, url, entry.keys)
    }

    /// The key object as it is in the container now.
    ///
    /// - Returns: nil where it is lost or damaged.
    /// - Throws: where the container cannot be asked.
    func keyObject() throws -> KeyObject? {
        let objects = try CloudConnection.keptObjects(at: url)
        guard let result = blockingAnswer(within: Self.timeout, { try await KeyObject.read(from: objects) }) else {
            throw CommandFailure("\(url.text) does not answer; try again")
        }
        do { return try result.get() } catch ObjectStoreError.corrupted { return nil }
    }

    /// Whether the container goes on under a key that is not here.
    func isLeftBehind(_ keyObject: KeyObject?) -> Bool {
        keys.isLocked || keyObject?.wrapsKey(of: keys.ring) == false
    }

    /// The devices that write to it, in the order in which they joined.
    func devices() throws -> [ListedDevice] {
        try mount.records(.devices, describedAs: "the list of devices")
    }

    /// What the store keeps of its keys by now, also where the mount has ended.
    func keysNow() throws -> KeptKeys { try ContainerKeyFile(ofStore: store).entry(at: url)?.keys ?? keys }

    /// Changes what the store keeps; a mount may have changed it meanwhile. Durable when it returns.
    func change(_ body: (inout KeptKeys) throws -> Void) throws {
        try ContainerKeyFile.change(ofStore: store, at: url, body)
    }

    /// Has the mount follow the keys that the store keeps.
    ///
    /// - Parameter title: of the progress that a terminal shows.
    func follow(_ title: String) throws {
        switch try mount.answer(to: .newKey, title) {
        case .good: return
        case .failed(let reason): throw CommandFailure("\(reason); try again")
        case .bad, .idle, .running: throw CommandFailure("it ended without a result; try again")
        }
    }
}
