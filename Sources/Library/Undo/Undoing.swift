import Backing
import CLinux
import Catalog
import Documents
import FoundationEssentials
import Glibc
import Logging
import Replica
import Replication
import Synchronization
import SystemPackage

/// Undoes actions, and does them again. Each is one transaction: all of its steps, or none.
final class Undoing: Transacting {
    let transactions: Transactions
    let store: DocumentStore
    let device: Device
    let backing: BackingStore
    let openFiles: OpenFiles
    let cloud: any ContentSource
    let actions: Actions
    let namespace: Namespace
    let withdrawals: Withdrawals
    let contents: Contents
    let tree: Tree
    let removal: Removal
    let foundFiles: FoundFiles
    let fileAttributes: Attributes
    let replicatedTree: ReplicatedTree
    let preferredLocation: PreferredLocation
    let versionFiles: VersionFiles

    /// The outcome of the last request, for the command that made it.
    private let lastOutcome = Mutex("")

    init(
        _ transactions: Transactions, store: DocumentStore, device: Device, backing: BackingStore, openFiles: OpenFiles,
        cloud: any ContentSource, actions: Actions, namespace: Namespace, withdrawals: Withdrawals, contents: Contents,
        tree: Tree, removal: Removal, foundFiles: FoundFiles,
        fileAttributes: Attributes, replicatedTree: ReplicatedTree, preferredLocation: PreferredLocation,
        versionFiles: VersionFiles
    ) {
        self.transactions = transactions
        self.store = store
        self.device = device
        self.backing = backing
        self.openFiles = openFiles
        self.cloud = cloud
        self.actions = actions
        self.namespace = namespace
        self.withdrawals = withdrawals
        self.contents = contents
        self.tree = tree
        self.removal = removal
        self.foundFiles = foundFiles
        self.fileAttributes = fileAttributes
        self.replicatedTree = replicatedTree
        self.preferredLocation = preferredLocation
        self.versionFiles = versionFiles
    }

    /// `done NAME`, or `refused REASON`.
    var outcome: String { lastOutcome.withLock { $0 } }

    /// The text of `Documents/.undo` or `.redo`.
    func listText(_ direction: ActionDirection) throws(Refusal) -> String {
        try inspect { ActionList.text(try $0.actions(direction).map(\.name)) }
    }

    /// The same list with times and places: one JSON object (`ListedAction`) a line.
    func reportText(_ direction: ActionDirection) throws(Refusal) -> String {
        try inspect { rows in
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            return try rows.actions(direction).map { action in
                let listed = ListedAction(
                    name: action.name.text, time: action.time.iso8601, kind: action.name.kind.rawValue,
                    place: try rows.steps(of: action.id, limit: 1).first.flatMap {
                        try presentPlace(of: $0, rows)
                    })
                return String(decoding: try encoder.encode(listed), as: UTF8.self) + "\n"
            }.joined()
        }
    }

    /// The folder of the entry that a step is about.
    private func presentPlace(of step: ActionStep, _ rows: Rows) throws -> String? {
        if case .preferred = step.change { return nil }
        if step.change != .removed, let id = step.entry.id, let entry = try rows.entry(id),
            let folder = try rows.entry(entry.parent)
        {
            return try StorePath.text(of: folder, rows)
        }
        return try place(of: step, rows)
    }

    /// Undoes the last action, or does the one again that was undone last.
    ///
    /// - Throws: `Refusal.undo`, a refusal of the move that would undo a move, ENOSPC.
    func perform(_ direction: ActionDirection) throws(Refusal) {
        do throws(Refusal) {
            let name = try preferredLocation.betweenMoves { () throws(Refusal) in try performLast(direction) }
            logger.notice(
                "an action was \(direction == .undo ? "undone" : "done again")", metadata: ["action": "\(name)"])
            lastOutcome.withLock { $0 = "done \(name)" }
        } catch {
            logger.notice("nothing was changed by \(direction.rawValue)", metadata: ["error": "\(error)"])
            lastOutcome.withLock { $0 = "refused \(error)" }
            throw error
        }
    }

    private func performLast(_ direction: ActionDirection) throws(Refusal) -> String {
        openFiles.requireSaves()
        defer { openFiles.requireSaves() }
        // The step that is being inverted.
        var current: ActionStep?
        let name: String
        do throws(Refusal) {
            name = try mutate { transaction in
                guard var action = try transaction.actions(direction, limit: 1).first else {
                    throw UndoRefusal.nothing(direction)
                }
                try transaction.requireAllWritten()
                let steps = try transaction.steps(of: action.id)
                var progress = UndoProgress(direction)
                for step in direction == .undo ? steps.reversed() : steps {
                    current = step
                    try transaction.replace(step, by: invert(step, of: action, &progress, transaction))
                }
                current = nil
                try setTimes(of: progress.restored, transaction)
                action.isUndone = direction == .undo
                try transaction.store(action)
                let hasRedo = try transaction.actionCount(.redo) > 0
                actions.endGrouping(hasRedo: hasRedo)
                transaction.announce(.callAwaitsNames)
                return action.name.text
            }
        } catch {
            if case .undo(let refusal) = error, refusal.isFinal, let current { try drop(current, direction) }
            throw error
        }
        return name
    }

    /// A step that can never be undone leaves its action, so that the rest of it can be undone by the next request.
    private func drop(_ step: ActionStep, _ direction: ActionDirection) throws(Refusal) {
        try mutate { transaction in
            actions.endGrouping(hasRedo: try transaction.actionCount(.redo) > 0)
            if direction == .undo, step.isOnlyCopy, try backing.trash.exists(BackingStore.trashName(step.entry.inode)) {
                try keepAsRemoved(step, transaction)
            } else {
                try actions.drop(step, transaction)
            }
        }
    }

    private func invert(
        _ step: ActionStep, of action: ActionRecord, _ progress: inout UndoProgress, _ transaction: Transaction
    ) throws -> ActionStep {
        switch step.change {
        case .removed: try restore(step, of: action, &progress, transaction)
        case .present: try remove(step, &progress, transaction)
        case .placed: try putBack(step, of: action, transaction)
        case .chosen(let choice): try undo(choice, step, transaction)
        case .restored(let content): try exchangeContent(content, step, transaction)
        case .preferred(let location):
            ActionStep(
                preferredBefore: try preferredLocation.bringBack(
                    location, movesAll: progress.direction == .redo, transaction),
                action: step.action, number: step.number)
        }
    }

    /// The entry of a step as it is now.
    func present(_ step: ActionStep, _ rows: Rows) throws -> Entry {
        guard let id = step.entry.id, let entry = try rows.entry(id) else {
            throw UndoRefusal.isGone(step.entry.subject.name)
        }
        return entry
    }

    // MARK: Names and places

    /// Brings an entry back to its former place, under its former names.
    private func putBack(
        _ step: ActionStep, of action: ActionRecord, _ transaction: Transaction
    ) throws -> ActionStep {
        let source = try present(step, transaction)
        guard try step.outcome == actions.place(of: source, transaction) else {
            throw UndoRefusal.isElsewhere(source.subject.name)
        }
        let folder = try folder(step, transaction)
        // Two folders that became one may both have had a document of that name.
        let merged = action.name.kind == .prefer ? action.time : nil
        try requireFree(step.entry, in: folder, besides: source.inode, since: merged, transaction)
        let from = try namespace.listedPath(of: source, transaction)
        let formerFolder = try actions.folderID(source.parent, transaction)
        let entry = try tree.bringBack(source, to: step.entry, in: folder, transaction)
        for names in [EntryNames(source), EntryNames(entry)] {
            transaction.announce(.entryChanged(names, besides: nil))
            transaction.announce(.listingChanged(of: names.parent))
        }
        if let from, let to = try namespace.listedPath(of: entry, transaction), !from.isSameName(as: to) {
            transaction.announce(.remoteChanges([.moved(from: from, to: to)]))
        }
        return ActionStep(
            action: step.action, number: step.number, change: .placed, entry: source, folder: formerFolder,
            outcome: try actions.place(of: entry, transaction))
    }

    /// - Parameter inode: of the entry that is to get the names.
    func requireFree(
        _ entry: Entry, in folder: Entry, besides inode: InodeNumber?, since time: Timestamp? = nil,
        _ rows: Rows
    ) throws {
        if let other = try rows.entry(in: folder.inode, filename: entry.filename), other.inode != inode {
            throw UndoRefusal.nameIsTaken(other.filename)
        }
        guard let name = entry.name?.full, let other = try namespace.resolve(name, in: folder.inode, rows),
            other.entry.inode != inode, !other.isUntitledAlias, !other.isFirstName
        else { return }
        // Two documents may have had one name before.
        if let time, other.entry.created < time { return }
        throw UndoRefusal.nameIsTaken(name)
    }

    // MARK: Removal

    /// Removes an entry that is in the tree: the action made it, or its removal was undone.
    private func remove(
        _ step: ActionStep, _ progress: inout UndoProgress, _ transaction: Transaction
    ) throws -> ActionStep {
        guard let id = step.entry.id, let entry = try transaction.entry(id) else {
            throw UndoRefusal.isGone(try name(of: step, transaction))
        }
        let folder = try actions.folderID(entry.parent, transaction)
        let place = try namespace.listedPath(of: entry, transaction)
        try progress.emptied.willRemove(from: entry.parent) {
            try actions.modificationTime(ofFolder: entry.parent, transaction)
        }
        var removed: Entry
        if entry.kind == .folder {
            if try transaction.hasChildren(entry.inode) { throw UndoRefusal.folderIsNotEmpty(entry.filename) }
            removed = try removal.removeFolder(entry, transaction)
            if let time = progress.emptied.remove(entry.inode) { removed.modified = time }
        } else {
            removed = try removal.removeFile(entry, keeps: true, transaction)
        }
        transaction.announce(.entryChanged(EntryNames(entry), besides: nil))
        transaction.announce(.listingChanged(of: entry.parent))
        if let place { transaction.announce(.remoteChanges([.removed(place)])) }
        return ActionStep(
            action: step.action, number: step.number, change: .removed, entry: removed, folder: folder)
    }

    private func name(of step: ActionStep, _ rows: Rows) throws -> String {
        try rows.action(step.action)?.name.first?.name ?? step.entry.subject.name
    }
}
