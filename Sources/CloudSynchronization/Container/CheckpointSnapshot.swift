import Backing
import Catalog
import Documents
import LinuxFiles
import Replication
import SystemPackage

/// The replica as it is now, in a file without a name: commits may follow while it is sent.
struct CheckpointSnapshot: Sendable {
    /// Entries.
    let count: Int
    /// Where each part is in the file.
    private(set) var parts: [Range<Int64>] = []
    private let file: Descriptor
    private static let recordsAtOnce = 1000

    init(of catalog: Catalog, in backing: BackingStore) throws {
        file = try backing.staging.openUnnamedFile("checkpoint")
        let ids = Self.foldersFirst(try catalog.read { try $0.replicaParents() })
        count = ids.count
        var part: [UInt8] = []
        var next = 0
        while next < ids.count {
            let some = ids[next..<min(next + Self.recordsAtOnce, ids.count)]
            for record in try catalog.read({ rows in try some.compactMap { try rows.replicaRecord($0) } }) {
                part += record + [UInt8(ascii: "\n")]
                if part.count >= Checkpoints.partLength { try append(&part) }
            }
            next += some.count
        }
        if !part.isEmpty { try append(&part) }
    }

    private mutating func append(_ part: inout [UInt8]) throws {
        let start = parts.last?.upperBound ?? 0
        try FileDescriptor(rawValue: file.number).write(part, at: start)
        parts.append(start..<start + Int64(part.count))
        part.removeAll(keepingCapacity: true)
    }

    func read(_ part: Range<Int64>) throws(CheckpointError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(Errno) { bytes = try file.read(part.count, at: part.lowerBound) } catch {
            throw .invalid("its file on this device cannot be read: \(error)")
        }
        guard bytes.count == part.count else { throw .invalid("its file on this device is shorter than it was") }
        return bytes
    }

    /// Each entry after the folder that it lies in.
    static func foldersFirst(_ parents: [(id: EntryID, parent: EntryID)]) -> [EntryID] {
        let children = Dictionary(grouping: parents, by: \.parent)
        var ordered = (children[.cloudRoot] ?? []).map(\.id)
        var next = 0
        while next < ordered.count {
            if let inner = children[ordered[next]] { ordered += inner.map(\.id) }
            next += 1
        }
        return ordered
    }
}
