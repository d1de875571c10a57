import Backing
import Catalog
import Documents
import FoundationEssentials
import Glibc
import Replica
import Replication
import SystemPackage

/// The trash, as `docfs trash` shows it: the documents that were removed here or elsewhere and can be brought back, one by one.
extension Undoing {
    /// One JSON object a line, the latest removal first.
    func trashText() throws(Refusal) -> String {
        try inspect { rows in
            let encoder = JSONEncoder()
            return try trashed(rows).map { trashed in
                let document = TrashedDocument(
                    key: trashed.source.key, name: trashed.step.entry.name?.full ?? trashed.step.entry.filename,
                    filename: trashed.step.entry.filename, place: try place(of: trashed.step, rows),
                    deleted: trashed.deleted.iso8601,
                    device: trashed.device, size: trashed.step.entry.size)
                return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
            }.joined()
        }
    }

    /// The latest removal first.
    func trashed(_ rows: Rows) throws -> [Trashed] {
        var times: [Int64: Timestamp] = [:]
        let here = try rows.trashedSteps().map { step in
            if times[step.action] == nil { times[step.action] = try rows.action(step.action)?.time }
            return Trashed(
                step, deleted: times[step.action] ?? step.entry.modified, device: device.name)
        }
        let elsewhere = try trashedElsewhere(nil, rows)
        if elsewhere.isEmpty { return here }
        return (here + elsewhere).sorted { $0.deleted > $1.deleted }
    }

    /// What is in the trash, as a tree.
    func trashTree(_ rows: Rows) throws -> TrashTree {
        let documents = try trashed(rows)
        let folders = try removedFolders(rows)
        return TrashTree(
            documents: documents,
            folders: try folders + foldersElsewhere(of: documents, Set(folders.compactMap(\.step.entry.id)), rows))
    }

    private func removedFolders(_ rows: Rows) throws -> [Trashed] {
        var actions: [Int64: ActionRecord] = [:]
        return try rows.removedFolderSteps().map { step in
            if actions[step.action] == nil { actions[step.action] = try rows.action(step.action) }
            let action = actions[step.action]
            return Trashed(
                step, deleted: action?.time ?? step.entry.modified, device: device.name,
                standsAlone: action?.name.kind == .delete && action?.isUndone == false)
        }
    }

    /// Seconds that another device may take to delete a folder with all that is in it.
    private static let longestDeletion = 60

    /// The folders that other devices deleted with a document that is in the trash.
    ///
    /// - Parameter own: folders that were removed here.
    private func foldersElsewhere(
        of documents: [Trashed], _ own: Set<EntryID>, _ rows: Rows
    ) throws -> [Trashed] {
        let top = try existing(.cloud, rows)
        var replica: [EntryID: ReplicaEntry?] = [:]
        func deletedFolder(_ id: EntryID) throws -> ReplicaEntry? {
            if let known = replica[id] { return known }
            let entry = try own.contains(id) || rows.entry(id) != nil ? nil : CatalogReplica(rows).entry(id)
            replica[id] = .some(entry?.isFolder == true && entry?.isDeleted == true ? entry : nil)
            return replica[id] ?? nil
        }
        var folders: [EntryID: Trashed] = [:]
        for document in documents {
            guard case .elsewhere = document.source else { continue }
            var next = document.step.folder
            while let id = next, folders[id] == nil, let folder = try deletedFolder(id), let deleted = folder.deleted,
                deleted >= document.deleted, deleted.seconds - document.deleted.seconds <= Self.longestDeletion
            {
                let step = try ActionStep(deletionOf: folder, below: top)
                folders[id] = Trashed(
                    source: .elsewhere(id), step: step, deleted: deleted, device: document.device, standsAlone: false)
                next = step.folder
            }
        }
        return Array(folders.values)
    }

    private func trashedElsewhere(_ id: EntryID? = nil, _ rows: Rows) throws -> [Trashed] {
        let top = try existing(.cloud, rows)
        let now = surroundings.now()
        return try rows.deletionsElsewhere(id).compactMap { record, device in
            let committed = try JSONDecoder().decode(ReplicaEntry.self, from: Data(record))
            guard let deleted = committed.deleted, let version = committed.versions?.current,
                try rows.isDeparted(version.id), !Retention.isOver(departed: deleted, now: now)
            else { return nil }
            return Trashed(
                source: .elsewhere(committed.id), step: try ActionStep(deletionOf: committed, below: top),
                deleted: deleted, device: device)
        }
    }

    /// The folder that an entry lay in, below `Documents`. Folders that were removed as well count as where they were.
    func place(of step: ActionStep, _ rows: Rows) throws -> String {
        var names: [String] = []
        var step = step
        while let id = step.folder {
            if let folder = try rows.entry(id) {
                return ([try StorePath.text(of: folder, rows)] + names.reversed()).joined(separator: "/")
            }
            // A folder that was removed into itself cannot be; a damaged list must not keep us here.
            guard names.count < PATH_MAX, let removed = try removedFolder(id, rows) else { break }
            names.append(removed.entry.filename)
            step = removed
        }
        return ([StorePath.home(of: step.entry).rawValue] + names.reversed()).joined(separator: "/")
    }

    /// Brings one document back, whole, as undo would, whatever else was removed with it. What one program brings back is an action of its own.
    ///
    /// - Parameters:
    ///   - key: `TrashedDocument.key`.
    ///   - chosen: the folder that it goes to; nil for the one that it lay in. To the other location the caller moves it afterwards.
    /// - Throws: ENOENT where no such document is in the trash, EEXIST where its name is taken, ENOSPC.
    func restoreFromTrash(
        _ key: String, into chosen: Entry? = nil, by caller: Caller
    ) throws(Refusal) {
        guard let source = Trashed.Source(key: key) else { throw .noSuchName }
        openFiles.requireSaves()
        defer { openFiles.requireSaves() }
        try mutate { transaction in
            guard let trashed = try trashed(source, transaction) else { throw Refusal.noSuchName }
            var step = trashed.step
            if let chosen { step.folder = try folderID(for: step, into: chosen, transaction) }
            let action = try transaction.action(step.action) ?? Self.noAction(at: trashed.deleted)
            var progress = UndoProgress(.undo)
            let back = try restore(step, of: action, &progress, transaction)
            try setTimes(of: progress.restored, transaction)
            if case .step = source { try actions.drop(trashed.step, transaction) }
            try actions.recordCreation(of: back.entry, by: caller, isNew: false, transaction)
            transaction.announce(.callAwaitsNames)
        }
    }

    private func folderID(for step: ActionStep, into chosen: Entry, _ rows: Rows) throws -> EntryID? {
        if chosen.location == step.entry.location { return chosen.id }
        if let id = step.folder, try rows.entry(id) != nil { return id }
        // It passes through: its former folder is not made again for that.
        return step.entry.location == .cloud ? try existing(.cloud, rows).id : nil
    }

    /// Brings a folder back, with all that was removed with it. That is an action of its own.
    ///
    /// - Parameters:
    ///   - contents: what is in the trash of it, at any depth, each folder before what lies in it.
    ///   - name: that it gets, if it stays in its location. To the other location the caller moves it afterwards.
    ///   - chosen: as in `restoreFromTrash`.
    /// - Throws: as `restoreFromTrash`. What lay in it, and can be brought back no more, is left out.
    func restoreFromTrash(
        _ folder: Trashed, with contents: [Trashed], as name: EntryName, into chosen: Entry
    ) throws(Refusal) {
        openFiles.requireSaves()
        defer { openFiles.requireSaves() }
        try mutate { transaction in
            guard try isInTrash(folder, transaction) else { throw Refusal.noSuchName }
            let action = try transaction.action(folder.step.action) ?? Self.noAction(at: folder.deleted)
            var progress = UndoProgress(.undo)
            var top = folder.step
            top.folder = try folderID(for: top, into: chosen, transaction)
            if top.entry.location == chosen.location { top.entry.filename = name.text }
            let below = try stepsBelow(folder, contents, transaction)
            var back = [try restore(top, of: action, &progress, transaction).entry]
            for step in below where try !isThereAgain(step, transaction) {
                do {
                    back.append(try restore(step, of: action, &progress, transaction).entry)
                } catch is UndoRefusal {
                    continue
                }
            }
            for step in [folder.step] + below where step.action != 0 {
                if try isThereAgain(step, transaction) { try actions.drop(step, transaction) }
            }
            try setTimes(of: progress.restored, transaction)
            try actions.recordCreation(of: back, transaction)
            transaction.announce(.callAwaitsNames)
        }
    }

    private func isThereAgain(_ step: ActionStep, _ rows: Rows) throws -> Bool {
        try step.entry.id.flatMap { try rows.entry($0) } != nil
    }

    /// Whether it is still what it was when somebody looked.
    private func isInTrash(_ trashed: Trashed, _ rows: Rows) throws -> Bool {
        guard case .step(let action, let number) = trashed.source else {
            return try !isThereAgain(trashed.step, rows)
        }
        guard let step = try rows.step(number, of: action) else { return false }
        return step.change == .removed && step.entry.id == trashed.step.entry.id
    }

    /// The removals of all that lay in a folder, each after that of its own folder. Links are among them, which the trash does not show.
    private func stepsBelow(
        _ folder: Trashed, _ contents: [Trashed], _ rows: Rows
    ) throws -> [ActionStep] {
        guard case .step(let action, _) = folder.source else { return contents.map(\.step) }
        var below: [EntryID?: [ActionStep]] = [:]
        for step in try rows.steps(of: action) where step.change == .removed {
            below[step.folder, default: []].append(step)
        }
        var found: [ActionStep] = []
        var folders = [folder.step.entry.id]
        while let next = folders.popLast() {
            guard let next, let steps = below.removeValue(forKey: next) else { continue }
            found += steps
            folders += steps.filter { $0.entry.kind == .folder }.map(\.entry.id)
        }
        return found
    }

    private func trashed(_ source: Trashed.Source, _ rows: Rows) throws -> Trashed? {
        switch source {
        case .elsewhere(let id): return try trashedElsewhere(id, rows).first
        case .step(let action, let number):
            guard let step = try rows.step(number, of: action), step.change == .removed,
                step.entry.kind == .document, let record = try rows.action(action)
            else { return nil }
            return Trashed(step, deleted: record.time, device: device.name)
        }
    }

    /// Stands for the action of what another device did.
    static func noAction(at time: Timestamp) -> ActionRecord {
        ActionRecord(id: 0, time: time, name: ActionName(.delete))
    }

    /// Steps in one transaction: other calls wait for it.
    private static let discardedAtOnce = 256

    /// Something leaves the trash for good, with all that lies in it. What the container keeps of that stays there.
    func discard(_ trashed: Trashed, with contents: [Trashed]) throws(Refusal) {
        var rest = contents.reversed() + [trashed]
        if trashed.isFolder {
            // Links too, which the trash does not show.
            let known = Set(rest.map(\.source))
            let links = try inspect { try stepsBelow(trashed, [], $0) }.map {
                Trashed($0, deleted: trashed.deleted, device: "")
            }
            rest = links.filter { !known.contains($0.source) } + rest
        }
        while !rest.isEmpty {
            let part = rest.prefix(Self.discardedAtOnce)
            try mutate { transaction in
                for one in part where try isInTrash(one, transaction) { try discard(one, transaction) }
            }
            rest.removeFirst(part.count)
        }
    }

    private func discard(_ trashed: Trashed, _ transaction: Transaction) throws {
        if case .step = trashed.source { try actions.drop(trashed.step, transaction) }
        if let id = trashed.step.entry.id { try transaction.forgetDeletion(of: id) }
    }

    /// Removes for good what is in the trash.
    func emptyTrash() throws(Refusal) {
        try mutate { transaction in
            for trashed in try trashed(transaction) where !trashed.step.isInTrash { try discard(trashed, transaction) }
        }
        try Refusal.wrapping { try store.emptyTrash() }
        try mutate { transaction in
            for folder in try removedFolders(transaction) where folder.standsAlone { try discard(folder, transaction) }
        }
        actions.endGrouping(hasRedo: try inspect { try $0.actionCount(.redo) > 0 })
    }
}
