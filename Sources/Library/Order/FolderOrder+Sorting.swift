import Backing
import Catalog
import Documents
import SystemPackage

/// Sorting: a folder's listing by something else than the order that people gave it.
extension FolderOrder {
    /// How a folder is sorted. It is kept with the folder's extended attributes, so it goes to other devices with a folder of the cloud.
    /// It is not listed, so that a copy of a folder is not sorted because its original is.
    static func sortMode(of folder: Entry) throws -> SortMode {
        guard folder.attributes != nil, let value = try folder.storedAttributes()[OrderAttribute.sort] else {
            return .manual
        }
        // Another release may know more words.
        return SortMode(rawValue: String(decoding: value, as: UTF8.self)) ?? .manual
    }

    /// Whether the listing of a folder stays as it is while no name in it changes.
    func isListingStable(of folder: InodeNumber) throws(Refusal) -> Bool {
        try inspect { rows in
            guard let entry = try rows.entry(folder), entry.kind == .folder else { return true }
            return try Self.sortMode(of: entry) == .manual
        }
    }

    /// Sets one of the two attributes by which the order is changed.
    ///
    /// - Returns: false for any other attribute.
    /// - Throws: EINVAL for a value that means nothing, ENOTDIR when another entry than a folder is to be sorted, EPERM when an entry of a
    ///   sorted folder is to be moved, ESTALE.
    func setAttribute(
        _ name: String, to value: [UInt8], of node: Node, by caller: Caller
    ) throws(Refusal) -> Bool {
        guard name == OrderAttribute.sort || name == OrderAttribute.position else { return false }
        guard case .entry(let inode) = node else { throw .computedAttribute }
        let text = String(validating: value, as: UTF8.self)
        if name == OrderAttribute.sort {
            guard let mode = text.flatMap(SortMode.init(rawValue:)) else { throw .unknownSortMode }
            try mutate { try sort(inode, by: mode, $0) }
        } else {
            guard let target = text.flatMap(OrderTarget.init) else { throw .unknownPosition }
            try mutate { try move(inode, to: target, by: caller, $0) }
        }
        return true
    }

    private func sort(_ inode: InodeNumber, by mode: SortMode, _ transaction: Transaction) throws {
        var folder = try folder(inode, transaction)
        guard try Self.sortMode(of: folder) != mode else { return }
        var stored = try folder.storedAttributes()
        stored[OrderAttribute.sort] = mode == .manual ? nil : Array(mode.rawValue.utf8)
        try folder.setStoredAttributes(stored)
        folder.markPending(.attributes)
        try transaction.update(folder)
        transaction.announce(.listingChanged(of: inode))
        if folder.isReplicated { cloud.changesAreWaiting() }
    }

    // MARK: Listings

    /// The rows of a folder in listing order.
    func listing(of folder: Entry, _ rows: Rows) throws -> [ListingRow] {
        let listed = try rows.listing(of: folder.inode)
        let mode = try Self.sortMode(of: folder)
        if mode == .manual { return listed }
        return try sorted(rows.children(of: folder.inode), by: mode, rows).map { listed[$0] }
    }

    /// The entries of a folder in listing order.
    func children(of folder: Entry, _ rows: Rows) throws -> [Entry] {
        let entries = try rows.children(of: folder.inode)
        let mode = try Self.sortMode(of: folder)
        if mode == .manual { return entries }
        return try sorted(entries, by: mode, rows).map { entries[$0] }
    }

    /// The indices of entries in sorted order. Entries that are alike keep the order that people gave them.
    private func sorted(_ entries: [Entry], by mode: SortMode, _ rows: Rows) throws -> [Int] {
        switch mode {
        case .manual: return Array(entries.indices)
        case .name:
            let names = entries.map { Array(($0.name?.full ?? $0.filename).lowercased().utf8) }
            return entries.indices.sorted {
                names[$0] == names[$1] ? $0 < $1 : names[$0].lexicographicallyPrecedes(names[$1])
            }
        case .created: return Self.greatestFirst(entries.map(\.created))
        case .modified: return Self.greatestFirst(try entries.map { try attributes(of: $0, rows).modified })
        case .size: return Self.greatestFirst(try entries.map { try attributes(of: $0, rows).size })
        }
    }

    private static func greatestFirst(_ values: [some Comparable]) -> [Int] {
        values.indices.sorted { values[$0] == values[$1] ? $0 < $1 : values[$0] > values[$1] }
    }

    /// Size and time of an entry. The size of a folder says nothing about what is in it.
    private func attributes(of entry: Entry, _ rows: Rows) throws -> (size: Int64, modified: Timestamp) {
        do {
            let attributes = try fileAttributes.attributes(of: entry, rows)
            return (entry.kind == .folder ? 0 : attributes.size, attributes.modified)
        } catch Errno.noSuchFileOrDirectory {
            // The file is missing in the store; the next comparison finds out why.
            return (entry.size, entry.modified)
        }
    }
}
