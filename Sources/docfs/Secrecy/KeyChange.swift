import Documents
import Encryption

/// Gives the container of a mount a new key under a new passphrase (the page Secrecy, "A new key").
struct KeyChange {
    private let container: EncryptedContainer
    private let removed: [DeviceID]

    /// - Parameter removed: the devices from which the new key is kept.
    init(_ container: EncryptedContainer, removing removed: [DeviceID] = []) {
        self.container = container
        self.removed = removed
    }

    /// - Parameters:
    ///   - told: the new passphrase; nil where it is to be asked for.
    ///   - reason: why a person is told a recovery key.
    func carryOut(_ told: Passphrase?, because reason: String) throws {
        let present = try container.keyObject()
        if container.isLeftBehind(present) {
            throw CommandFailure("its key was changed on another device; `docfs key` takes the new passphrase")
        }
        let passphrase = try told ?? Passphrase.asked(.other)
        try requireNew(passphrase, present)
        let (key, recoveryKey) = (ContainerKey.random(), RecoveryKey.random())
        let object = try KeyObject(wrapping: key, passphrase: passphrase.text, recoveryKey: recoveryKey)
        try container.change { $0.offer(key, object, recoveryKey, removing: removed) }
        let outcome = Result { try container.follow("changing the key") }
        // It may count although something failed after that, or although nobody heard the answer.
        guard try container.keysNow().ring.newest.key == key else {
            try outcome.get()
            throw CommandFailure("another device changed the key in this moment; `docfs key` takes its passphrase")
        }
        try RecoveryKeyNotice.tell(recoveryKey, ofStore: container.store, because: reason)
        try Output.line("On each of your other devices say the new passphrase with `docfs key`.")
        if case .failure(let error) = outcome {
            throw CommandFailure("the key was changed, and what a new device needs of it is sent later: \(error)")
        }
    }

    private func requireNew(_ passphrase: Passphrase, _ present: KeyObject?) throws(CommandFailure) {
        try passphrase.requireNoRecoveryKey()
        // Another device may have changed it since.
        for object in [container.keys.object, present].compactMap(\.self) {
            if (try? object.unwrap(passphrase.text)) != nil {
                throw CommandFailure("that is the passphrase of now, which a lost device may know; choose another one")
            }
        }
    }
}
