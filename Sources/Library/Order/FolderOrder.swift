import Backing
import Catalog
import Documents
import SystemPackage

/// The order of the entries of a folder: the virtual `.order`, moving one entry, and sorting (`Semantics`, "Order").
///
/// Each entry has a key (`OrderKey`) in its row, which is sent to the container like its name. Sorting changes no key: it changes what a
/// listing shows.
final class FolderOrder: Transacting {
    let transactions: Transactions
    let cloud: any ContentSource
    let notices: ChangeNotices
    let namespace: Namespace
    let fileAttributes: Attributes
    let actions: Actions

    init(
        _ transactions: Transactions, cloud: any ContentSource, notices: ChangeNotices, namespace: Namespace,
        fileAttributes: Attributes, actions: Actions
    ) {
        self.transactions = transactions
        self.cloud = cloud
        self.notices = notices
        self.namespace = namespace
        self.fileAttributes = fileAttributes
        self.actions = actions
    }

    // MARK: `.order`

    /// The text of a folder's `.order`: the filename of each document and the name of each folder and link, in listing order.
    ///
    /// - Throws: ESTALE for a folder that is gone.
    func orderText(of folder: InodeNumber) throws(Refusal) -> String {
        try inspect { try orderText(of: folder, $0) }
    }

    private func orderText(of folder: InodeNumber, _ rows: Rows) throws -> String {
        let rows = try listing(of: self.folder(folder, rows), rows)
        return OrderText.text(rows.lazy.filter { $0.kind != .scratch }.map(\.filename))
    }

    func orderAttributes(of folder: InodeNumber, _ rows: Rows) throws -> FileAttributes {
        let text = try orderText(of: folder, rows)
        var attributes = FileAttributes.virtualFile(size: text.utf8.count, at: notices.stateTime)
        attributes.mode = 0o644
        return attributes
    }

    /// - Throws: EPERM for a folder that is sorted, ESTALE.
    func requireManualOrder(of folder: InodeNumber) throws(Refusal) {
        try inspect { rows in _ = try manuallyOrdered(folder, rows) }
    }

    /// Brings the entries of a folder into the order of a text that is written to its `.order`. Entries that it does not name follow in
    /// the order that they have. A name that occurs again counts where it occurs first.
    ///
    /// - Throws: EINVAL for a name that no entry of the folder has, EPERM for a folder that is sorted; then nothing changes. ESTALE.
    func reorder(_ folder: InodeNumber, by text: [UInt8]) throws(Refusal) {
        guard let written = OrderText.lines(of: text) else { throw .unknownNameInOrder }
        try mutate { transaction in
            _ = try manuallyOrdered(folder, transaction)
            let entries = try transaction.children(of: folder)
            let named = try indices(of: written.lines, among: entries, in: folder, transaction)
            guard written.isWhole else { return }
            let isNamed = Set(named)
            let wanted = named + entries.indices.filter { !isNamed.contains($0) }
            try move(entries, to: wanted, moving: nil, in: folder, by: .unknown, transaction)
        }
    }

    /// The positions of the entries that the lines name, each once.
    private func indices(
        of lines: [String], among entries: [Entry], in folder: InodeNumber, _ rows: Rows
    ) throws -> [Int] {
        let positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.inode, $0) })
        let byFilename =
            namespace.configuration.showsDisplayNames
            ? [:] : Dictionary(uniqueKeysWithValues: entries.enumerated().map { (ExactName($1.filename), $0) })
        var seen: Set<Int> = []
        return try lines.compactMap { line in
            guard
                let position = try byFilename[ExactName(line)]
                    ?? self.position(of: line, among: positions, in: folder, rows)
            else { throw Refusal.unknownNameInOrder }
            return seen.insert(position).inserted ? position : nil
        }
    }

    /// The position of the entry that a line means, by either of its names.
    private func position(
        of line: String, among positions: [InodeNumber: Int], in folder: InodeNumber, _ rows: Rows
    ) throws -> Int? {
        for name in [line, OrderText.unescape(line)].compactMap({ $0 }) {
            if let found = try namespace.resolve(name, in: folder, rows) { return positions[found.entry.inode] }
        }
        return nil
    }

    // MARK: One entry

    /// Moves an entry within its folder. Positions are counted as in `.order`.
    ///
    /// - Throws: EINVAL for a name that no entry of the folder has, EPERM for a folder that is sorted, ESTALE.
    func move(
        _ inode: InodeNumber, to target: OrderTarget, by caller: Caller, _ transaction: Transaction
    ) throws {
        guard let entry = try transaction.entry(inode), inode != .root else { throw Refusal.staleInode }
        _ = try manuallyOrdered(entry.parent, transaction)
        let entries = try transaction.children(of: entry.parent)
        guard let mover = entries.firstIndex(where: { $0.inode == inode }) else { throw Refusal.staleInode }
        var wanted = entries.indices.filter { $0 != mover }
        let position: Int
        switch target {
        case .before(let name), .after(let name):
            let neighbour = try namespace.resolve(name, in: entry.parent, transaction)
            if neighbour?.entry.inode == inode { return }
            guard let found = wanted.firstIndex(where: { entries[$0].inode == neighbour?.entry.inode }) else {
                throw Refusal.unknownNameInOrder
            }
            position = if case .before = target { found } else { found + 1 }
        case .to(let number):
            let counted = wanted.indices.filter { entries[wanted[$0]].kind != .scratch }
            let index = max(number, 1) - 1
            position = index < counted.count ? counted[index] : wanted.count
        }
        wanted.insert(mover, at: position)
        try move(entries, to: wanted, moving: mover, in: entry.parent, by: caller, transaction)
    }

    /// - Parameters:
    ///   - entries: those of a folder, in their order.
    ///   - wanted: the order that they get, as indices of `entries`.
    ///   - moving: the one that is known to move.
    private func move(
        _ entries: [Entry], to wanted: [Int], moving: Int?, in folder: InodeNumber, by caller: Caller,
        _ transaction: Transaction
    ) throws {
        var random = surroundings.random()
        let keys = Reordering.newKeys(for: entries.map(\.position), in: wanted, moving: moving, using: &random)
        if keys.isEmpty { return }
        var moved: [(source: Entry, entry: Entry)] = []
        for (index, key) in keys.sorted(by: { $0.key < $1.key }) {
            var entry = entries[index]
            entry.position = key
            entry.markPending(.position)
            try transaction.update(entry)
            moved.append((entries[index], entry))
        }
        try actions.recordReordering(moved, by: caller, transaction)
        transaction.announce(.listingChanged(of: folder))
        if entries.contains(where: \.isReplicated) { cloud.changesAreWaiting() }
    }

    // MARK: Folders

    func folder(_ inode: InodeNumber, _ rows: Rows) throws -> Entry {
        guard let folder = try rows.entry(inode) else { throw Refusal.staleInode }
        guard folder.kind == .folder else { throw Refusal.notFolder }
        return folder
    }

    private func manuallyOrdered(_ inode: InodeNumber, _ rows: Rows) throws -> Entry {
        let folder = try folder(inode, rows)
        let mode = try Self.sortMode(of: folder)
        guard mode == .manual else { throw Refusal.sorted(mode) }
        return folder
    }
}
