import Ciphers
import Documents
@testable import Encryption
import ObjectStore
import Testing

extension TestDevice {
    // `!`: these tests have encrypted clouds.
    var keys: ContainerKeys { encryption!.keys }

    var keeper: any ObjectStore { encryption!.keeper }

    /// As `docfs key` does with the passphrase of `offerKey`.
    func unlock() throws {
        let key = try #require(try keys.kept.metKey("battery staple"))
        try keys.change { $0.unlock(key) }
    }

    /// As `docfs key --rotate` does.
    func offerKey(removing removed: [DeviceID] = []) throws {
        let (key, recoveryKey) = (ContainerKey.random(), RecoveryKey.random())
        let object = try KeyObject(
            wrapping: key, passphrase: "battery staple", recoveryKey: recoveryKey,
            cost: ScryptCost(n: 1 << 15, r: 8, p: 1))
        try keys.change { $0.offer(key, object, recoveryKey, removing: removed) }
    }
}
