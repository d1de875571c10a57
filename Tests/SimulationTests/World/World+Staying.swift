import Backing
import Catalog
import Documents
@testable import Library
@testable import Replica
import ObjectStore
import Replication
import SystemPackage

/// What people ask of contents: to go, to stay, to come.
extension World {
    /// Drops a content. Whatever goes must be in the store, byte for byte.
    func evict(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        guard device.place.mayEvict, let content = localContent(of: entry.inode, on: device) else { return }
        trace("\(device.place.name) evicts \(entry.inode)")
        do throws(Refusal) {
            try request("user.document.downloading", "notDownloaded", entry, on: device)
        } catch .staysHere {
            if localContent(of: entry.inode, on: device) != content {
                ledger.fail("\(device.place.name): a content that stays has changed")
            }
            return
        }
        ledger.count("eviction")
        let sent = try sentContents(of: entry, on: device)
        if !sent.contains(content) { ledger.fail("\(device.place.name): a content that nobody else has was dropped") }
    }

    func keep(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        guard entry.kind == .document || entry.kind == .folder, entry.id != nil else { return }
        trace("\(device.place.name) keeps \(entry.inode), or ends that")
        let node = Node.entry(entry.inode)
        do throws(Refusal) {
            try device.library.removeExtendedAttribute("user.document.keep", of: node)
        } catch .noSuchAttribute {
            try request("user.document.keep", "always", entry, on: device)
        }
    }

    func download(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        trace("\(device.place.name) downloads \(entry.inode)")
        do throws(Refusal) {
            try request("user.document.downloading", "current", entry, on: device)
        } catch .beyondCacheLimit { trace("  no room") }
    }

    private func request(_ name: String, _ value: String, _ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        try device.library.setExtendedAttribute(name, to: Array(value.utf8), of: .entry(entry.inode), .either)
    }

    /// The contents of all versions of a document that are in the store.
    private func sentContents(of entry: Entry, on device: SimulatedDevice) throws(Refusal) -> Set<ContentHash> {
        guard let id = entry.id else { return [] }
        let versions = try device.library.transactions.inspect { try CatalogReplica($0).entry(id)?.versions?.all } ?? []
        return try Refusal.wrapping {
            Set(try versions.compactMap { network.object(try $0.key(of: id)).map(contentHash) })
        }
    }
}
