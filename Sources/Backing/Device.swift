import Catalog
import Ciphers
import Documents
import Glibc
import Hashing

/// This mount among the devices that share a container.
public struct Device: Sendable, Equatable {
    /// Kept by the store; a copy of the store gets another.
    public let id: DeviceID
    /// Shown to people on other devices (`--device-name`), by default the name of the host.
    public let name: String
    /// Signs what it writes to an encrypted container. Kept by the store beside the id.
    public let key: SigningKey
}

extension Device {
    static func load(
        name: String?, isCopy: Bool, _ transaction: Transaction, _ surroundings: Surroundings
    ) throws -> Device {
        var random = surroundings.random()
        // A copy may be used beside its original, so it is another device.
        let known = try isCopy ? nil : transaction.setting(.deviceID).flatMap(DeviceID.init)
        let id = known ?? .random(using: &random)
        let knownKey = try known == nil ? nil : transaction.setting(.deviceKey).flatMap { [UInt8](hexadecimal: $0) }
        let seed = knownKey.flatMap { $0.count == SigningKey.seedLength ? $0 : nil } ?? newSeed(&random)
        let name = try name ?? transaction.setting(.deviceName) ?? hostName()
        // Written only if they changed, because a mount must succeed on a full disk.
        try transaction.change(.deviceID, to: id.description)
        try transaction.change(.deviceKey, to: hexadecimal(seed))
        try transaction.change(.deviceName, to: name)
        return Device(id: id, name: name, key: SigningKey(seed: SecretBytes(seed)))
    }

    private static func newSeed(_ random: inout any RandomNumberGenerator) -> [UInt8] {
        (0..<SigningKey.seedLength).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private static func hostName() -> String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "linux" }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? "linux" : name
    }
}
