import Backing
import Catalog
import Documents

/// Documents and folders whose contents are always on this device (`user.document.keep`). A document is kept if it was marked itself, or a
/// folder in which it lies. The marks are this device's alone.
final class Keeping: Transacting {
    let transactions: Transactions
    let cloud: any ContentSource

    init(_ transactions: Transactions, cloud: any ContentSource) {
        self.transactions = transactions
        self.cloud = cloud
    }

    static let attribute = "user.document.keep"
    static let value = "always"

    func isKept(_ entry: Entry, _ rows: Rows) throws -> Bool {
        guard try rows.hasKept else { return false }
        var next: Entry? = entry
        while let entry = next {
            if let id = entry.id, try rows.isMarkedKept(id) { return true }
            next = entry.inode > .cloud ? try rows.entry(entry.parent) : nil
        }
        return false
    }

    /// - Throws: EINVAL for another value, and for what is always here; EEXIST and ENODATA as `creation` wants; ESTALE.
    func mark(_ inode: InodeNumber, _ value: [UInt8], _ creation: AttributeCreation) throws(Refusal) {
        guard value == Array(Self.value.utf8) else { throw .unknownKeeping }
        try mutate { transaction in
            let id = try markable(inode, transaction)
            let isMarked = try transaction.isMarkedKept(id)
            switch creation {
            case .mustCreate where isMarked, .impossible where isMarked: throw Refusal.attributeExists
            case .mustReplace where !isMarked, .impossible: throw Refusal.noSuchAttribute
            default: try transaction.markKept(id)
            }
        }
        cloud.changesAreWaiting()
    }

    /// - Throws: ENODATA if it was not marked itself, EINVAL for what is always here, ESTALE.
    func unmark(_ inode: InodeNumber) throws(Refusal) {
        try mutate { transaction in
            let id = try markable(inode, transaction)
            guard try transaction.isMarkedKept(id) else { throw Refusal.noSuchAttribute }
            try transaction.unmarkKept(id)
        }
        cloud.changesAreWaiting()
    }

    private func markable(_ inode: InodeNumber, _ rows: Rows) throws -> EntryID {
        guard let entry = try rows.entry(inode) else { throw Refusal.staleInode }
        guard entry.kind == .document || entry.kind == .folder, let id = entry.id else { throw Refusal.alwaysHere }
        return id
    }
}
