import Backing
import Catalog
import Documents

/// Documents and folders whose contents are always on this device (`user.document.keep`). A document is kept if it was marked itself, or a
/// folder in which it lies. The marks are this device's alone.
final class Keeping: LibraryPart {
    let transactions: Transactions

    init(_ transactions: Transactions) { self.transactions = transactions }

    static let attribute = "user.document.keep"
    static let value = "always"

    func isKept(_ entry: Entry, _ catalog: CatalogTransaction) throws -> Bool {
        guard try catalog.hasKept else { return false }
        var next: Entry? = entry
        while let entry = next {
            if let id = entry.id, try catalog.isMarkedKept(id) { return true }
            next = entry.inode > .cloud ? try catalog.entry(entry.parent) : nil
        }
        return false
    }

    /// - Throws: EINVAL for another value, and for what is always here; EEXIST and ENODATA as `creation` wants; ESTALE.
    func mark(_ inode: InodeNumber, _ value: [UInt8], _ creation: AttributeCreation) throws(Refusal) {
        guard value == Array(Self.value.utf8) else { throw .unknownKeeping }
        try mutate { catalog in
            let id = try markable(inode, catalog)
            let isMarked = try catalog.isMarkedKept(id)
            switch creation {
            case .mustCreate where isMarked, .impossible where isMarked: throw Refusal.attributeExists
            case .mustReplace where !isMarked, .impossible: throw Refusal.noSuchAttribute
            default: try catalog.markKept(id)
            }
        }
        cloud.changesAreWaiting()
    }

    /// - Throws: ENODATA if it was not marked itself, EINVAL for what is always here, ESTALE.
    func unmark(_ inode: InodeNumber) throws(Refusal) {
        try mutate { catalog in
            let id = try markable(inode, catalog)
            guard try catalog.isMarkedKept(id) else { throw Refusal.noSuchAttribute }
            try catalog.unmarkKept(id)
        }
        cloud.changesAreWaiting()
    }

    private func markable(_ inode: InodeNumber, _ catalog: CatalogTransaction) throws -> EntryID {
        guard let entry = try catalog.entry(inode) else { throw Refusal.staleInode }
        guard entry.kind == .document || entry.kind == .folder, let id = entry.id else { throw Refusal.alwaysHere }
        return id
    }
}
