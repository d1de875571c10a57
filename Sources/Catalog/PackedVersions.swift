import Documents
import FoundationEssentials

/// Version ids in one column, 16 bytes each.
extension [VersionID] {
    var packed: [UInt8] {
        reduce(into: []) { bytes, version in
            Swift.withUnsafeBytes(of: version.uuid.uuid) { bytes.append(contentsOf: $0) }
        }
    }

    init(packed bytes: [UInt8]) {
        self = stride(from: 0, through: bytes.count - 16, by: 16).map { start in
            var uuid = UUID().uuid
            Swift.withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes[start..<start + 16]) }
            return VersionID(UUID(uuid: uuid))
        }
    }
}
