import Catalog
import Documents
import Glibc

/// This mount among the devices that share a container.
public struct Device: Sendable, Equatable {
    /// Kept by the store; a copy of the store gets another.
    public let id: DeviceID
    /// Shown to people on other devices (`--device-name`), by default the name of the host.
    public let name: String
}

extension Device {
    static func load(
        name: String?, isCopy: Bool, _ transaction: Transaction, _ surroundings: Surroundings
    ) throws -> Device {
        var random = surroundings.random()
        // A copy may be used beside its original, so it is another device.
        let known = try isCopy ? nil : transaction.setting(.deviceID).flatMap(DeviceID.init)
        let id = known ?? .random(using: &random)
        let name = try name ?? transaction.setting(.deviceName) ?? hostName()
        // Written only if they changed, because a mount must succeed on a full disk.
        try transaction.change(.deviceID, to: id.description)
        try transaction.change(.deviceName, to: name)
        return Device(id: id, name: name)
    }

    private static func hostName() -> String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "linux" }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? "linux" : name
    }
}
