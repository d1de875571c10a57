@testable import Library
import Backing
import Documents
import Catalog
import Foundation
import Replication
@testable import Replica
import Testing

/// What a device shows, without opening anything.
extension SmallWorlds.LivingWorld {
    func items(on device: TestDevice) throws -> [Item] {
        var items: [Item] = []
        for place in Place.allCases {
            guard let folder = place.inode(on: device) else { continue }
            let children = try device.library.transactions.inspect { try $0.children(of: folder) }
            // A path means the one that was created first.
            let files = children.filter { $0.kind != .folder }
                .sorted { ($0.created, $0.inode) < ($1.created, $1.inode) }
            var uses: [String: Int] = [:]
            for entry in files {
                let name = entry.name?.full ?? entry.filename
                let number = uses[name, default: 0] + 1
                uses[name] = number
                let path = Path(place, number == 1 ? name : "\(name)#\(number)")
                items.append(Item(path: path, name: name, entry: entry))
            }
        }
        return items
    }

    func names(on device: TestDevice) async throws -> Names {
        var names: Names = [:]
        for item in try items(on: device) {
            let content = try await text(of: item, on: device)
            names[item.path] = content
            let size = try device.library.attributes(of: .entry(item.entry.inode)).size
            if size != Int64(content.utf8.count) {
                throw Fault(Fault.size, "\(device.name): \(item.path) is '\(content)', and has \(size) bytes")
            }
        }
        return names
    }

    /// The text that an open would show. A placeholder stays one: the text is that of the version that would be downloaded.
    func text(of item: Item, on device: TestDevice) async throws -> String {
        let entry = item.entry
        if entry.isBackingCurrent {
            let path = "\(device.store)/\(item.path.place.rawValue)/\(entry.filename)"
            guard let data = FileManager.default.contents(atPath: path) else {
                throw Fault(Fault.unreadable, "\(device.name): \(item.path) has no file")
            }
            return String(decoding: data, as: UTF8.self)
        }
        guard let (version, document) = try expectedVersion(of: entry, on: device) else {
            throw Fault(Fault.unreadable, "\(device.name): \(item.path) is not here, and no version of it is known")
        }
        guard let content = await text(of: version, of: document, on: device) else {
            throw Fault(Fault.unreadable, "\(device.name): the content of \(item.path) is not in the container")
        }
        return content
    }

    /// The version that is downloaded when a file is opened whose content is not here.
    func expectedVersion(of entry: Entry, on device: TestDevice) throws -> (DocumentVersion, EntryID)? {
        try device.library.transactions.inspect { rows -> (DocumentVersion, EntryID)? in
            if let awaited = try entry.awaitedContent() { return (awaited.version, awaited.document) }
            guard let id = entry.id,
                let current = try CatalogReplica(rows).visibleEntry(id, at: Self.start)?.versions?.current
            else { return nil }
            return (current, id)
        }
    }

    static let start = Timestamp(nanoseconds: 0)

    /// The content of a version, from the container's own object; nil if it is not there.
    func text(of version: DocumentVersion, of id: EntryID, on device: TestDevice) async -> String? {
        if let known = contents[version.id] { return known }
        guard let key = try? version.key(of: id), let bytes = try? await device.cloud.get(key, limit: 1 << 16) else {
            return nil
        }
        let content = String(decoding: bytes, as: UTF8.self)
        contents[version.id] = content
        return content
    }
}
