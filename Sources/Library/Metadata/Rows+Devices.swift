import Backing
import Catalog
import Documents
import FoundationEssentials
import Replica
import Replication

extension Rows {
    /// The devices of the encrypted container (`ListedDevice`), one a line; nothing for a plain one.
    func devicesText(this device: Device) throws -> String {
        let encoder = JSONEncoder()
        return try (logHead()?.members?.all ?? []).map { member in
            let listed = ListedDevice(
                id: member.device.description, name: member.name, joined: member.joined.iso8601,
                wrote: member.wrote.iso8601, isThisDevice: member.device == device.id)
            return String(decoding: try encoder.encode(listed), as: UTF8.self) + "\n"
        }.joined()
    }
}
