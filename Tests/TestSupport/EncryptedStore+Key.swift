import Ciphers
import Encryption
import ObjectStore

extension EncryptedStore {
    /// A container with a key that is kept in memory. Nobody can join it with a passphrase, which would take long.
    public convenience init(_ keeper: any ObjectStore, key: ContainerKey) {
        self.init(keeper, keys: .inMemory(.ofTests(key)))
    }
}

extension KeptKeys {
    /// With a key object that no passphrase opens: making it costs nothing.
    public static func ofTests(_ key: ContainerKey) -> KeptKeys {
        do {
            let object = try KeyObject(
                wrapping: key, passphrase: "none", recoveryKey: .random(), cost: ScryptCost(n: 16, r: 1, p: 1))
            return KeptKeys(ring: KeyRing(key), object: object)
        } catch { fatalError("no key object could be made: \(error)") }
    }
}
