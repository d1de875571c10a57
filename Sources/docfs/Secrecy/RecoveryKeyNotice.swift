import Encryption
import ObjectStore

/// Tells a person the recovery key of a container that was made, or has a new key.
enum RecoveryKeyNotice {
    /// Once it was said, it is kept nowhere on this machine. Before, each mount says it again.
    ///
    /// - Parameter reason: why there is one.
    static func tell(
        _ recoveryKey: RecoveryKey, ofStore store: String, because reason: String = "The container is encrypted."
    ) throws {
        try Output.line(advice(recoveryKey, reason))
        var keys = try ContainerKeyFile(ofStore: store)
        try keys.forget(recoveryKey)
    }

    /// Tells that of a mount which nobody waited for: whoever started it was ended before it was ready.
    static func tellIfUntold(of mount: MountedTree) throws {
        guard Output.isRead, let store = mount.store, let url = try StoreOptions(ofStore: store).cloud,
            let recoveryKey = try ContainerKeyFile(ofStore: store).entry(at: CloudURL(url))?.keys.recoveryKey
        else { return }
        try tell(recoveryKey, ofStore: store)
    }

    private static func advice(_ recoveryKey: RecoveryKey, _ reason: String) -> String {
        """
        \(reason) This is its recovery key, for the day on which the passphrase is lost:

            \(recoveryKey.text)

        Write it down, and keep it elsewhere than on this machine. It is not shown again, and without it and the passphrase nobody can read the container.

        """
    }
}
