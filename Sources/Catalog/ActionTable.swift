import Documents
import FoundationEssentials
import GRDB

/// The tables of the undo list. `steps` has all columns of `entries` besides its own, so that a row of the tree is kept whole.
enum ActionTable {
    private static let own =
        "action,step,change,folder,outcomeFolder,outcomeFilename,outcomeFullName,leavesBefore,leavesAfter,contentSize,contentTime"
    private static let entry = ColumnNames.all.joined(separator: ",")
    private static let parameters = Array(repeating: "?", count: ColumnNames.all.count + 11).joined(separator: ",")
    private static let ownColumns = CInt(ColumnNames.all.count)

    static let insert = "REPLACE INTO steps(\(own),\(entry)) VALUES(\(parameters))"
    /// Of a step of which only the document is of interest.
    static let insertPresent = "REPLACE INTO steps(action,step,change,uuid,kind) VALUES(?,?,?,?,?)"
    /// Steps of which the trash may have a file.
    static let isOfTrash =
        "change IN (\(ActionStep.Change.removed.sql),\(ActionStep.Change.restored(.init(size: 0, modified: .init(nanoseconds: 0))).sql))"
    /// Steps of which the trash has a file (`ActionStep.isInTrash`).
    static let isInTrash = "\(isOfTrash) AND \(EntryCondition.isDocument) AND isHere"
    static let select = "SELECT \(entry),\(own) FROM steps "
    private static let actionColumns =
        "number,isUndone,time,kind,documents,folders,links,firstKind,firstName,wholeKind,wholeName,destination"
    static let replaceAction = "REPLACE INTO actions(\(actionColumns)) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"
    static let selectAction = "SELECT \(actionColumns) FROM actions "

    static func step(_ row: Columns) throws -> ActionStep {
        let code: Int64 = row[ownColumns + 2]
        var change: ActionStep.Change = row[ownColumns + 2]
        // A change of a later release must not be undone as if it were one of these.
        guard change.code == code else {
            throw CatalogError.failed("a change of an unknown kind, \(code), is in the undo list")
        }
        if case .chosen = change {
            let (before, after): ([UInt8], [UInt8]) = (row[ownColumns + 7], row[ownColumns + 8])
            change = .chosen(
                .init(before: [VersionID](packed: before), after: [VersionID](packed: after)))
        }
        if case .restored = change {
            change = .restored(.init(size: row[ownColumns + 9], modified: row[ownColumns + 10]))
        }
        var step = ActionStep(
            action: row[ownColumns], number: row[ownColumns + 1], change: change, entry: Entry(row),
            folder: row[ownColumns + 3])
        if let filename: String = row[ownColumns + 5] {
            step.outcome = .init(folder: row[ownColumns + 4], filename: filename, fullName: row[ownColumns + 6])
        }
        return step
    }

    static func action(_ row: Columns) throws -> ActionRecord {
        let kind: String = row[3]
        guard let kind = ActionKind(rawValue: kind) else {
            throw CatalogError.failed("an action of an unknown kind, \(kind), is in the undo list")
        }
        let subject = { (column: CInt) in
            (row[column + 1] as String?).map { ActionSubject(kind: row[column], name: $0) }
        }
        let name = ActionName(
            kind, documents: row[4], folders: row[5], links: row[6], first: subject(7), whole: subject(9),
            destination: row[11])
        var action = ActionRecord(id: row[0], time: row[2], name: name)
        action.isUndone = row[1]
        return action
    }
}

extension Database {
    func write(_ step: ActionStep) throws {
        if step.change == .present || !step.isAboutEntry {
            var statement = try DirectStatement(self, sql: ActionTable.insertPresent)
            statement.bind(step.action)
            statement.bind(step.number)
            statement.bind(step.change)
            statement.bind(step.entry.id)
            statement.bind(step.entry.kind)
            return try statement.run()
        }
        var statement = try DirectStatement(self, sql: ActionTable.insert)
        statement.bind(step.action)
        statement.bind(step.number)
        statement.bind(step.change)
        statement.bind(step.folder)
        statement.bind(step.outcome?.folder)
        statement.bind(step.outcome?.filename)
        statement.bind(step.outcome?.fullName)
        var choice: ActionStep.VersionChoice?
        if case .chosen(let made) = step.change { choice = made }
        statement.bind(choice.map(\.before.packed))
        statement.bind(choice.map(\.after.packed))
        var content: Fingerprint?
        if case .restored(let put) = step.change { content = put }
        statement.bind(content?.size)
        statement.bind(content?.modified)
        statement.bind(step.entry)
        try statement.run()
    }

    func write(_ action: ActionRecord) throws {
        var statement = try DirectStatement(self, sql: ActionTable.replaceAction)
        statement.bind(action.id)
        statement.bind(action.isUndone)
        statement.bind(action.time)
        statement.bind(action.name.kind.rawValue)
        statement.bind(action.name.documents)
        statement.bind(action.name.folders)
        statement.bind(action.name.links)
        statement.bind(action.name.first?.kind)
        statement.bind(action.name.first?.name)
        statement.bind(action.name.whole?.kind)
        statement.bind(action.name.whole?.name)
        statement.bind(action.name.destination)
        try statement.run()
    }

    func write(_ changes: WaitingActions.Changes) throws {
        for step in changes.steps { try write(step) }
        for action in changes.actions.values { try write(action) }
        // The inode number of an entry that was never written names a file in the trash: no entry may get it again.
        let removed = changes.steps.lazy.filter { $0.change == .removed || $0.isInTrash }
        guard let last = removed.map(\.entry.inode).max() else { return }
        var statement = try DirectStatement(
            self, sql: "UPDATE sqlite_sequence SET seq=max(seq, ?) WHERE name='entries'")
        statement.bind(last)
        try statement.run()
    }
}

extension ActionStep.Change: StoredCode {
    var code: Int64 {
        switch self {
        case .removed: 0
        case .present: 1
        case .placed: 2
        case .preferred(.local): 3
        case .preferred(.cloud): 4
        case .chosen: 5
        case .restored: 6
        }
    }

    init(code: Int64) {
        switch code {
        case 0: self = .removed
        case 2: self = .placed
        case 3: self = .preferred(.local)
        case 4: self = .preferred(.cloud)
        // `ActionTable.step` reads the leaves.
        case 5: self = .chosen(.init(before: [], after: []))
        // `ActionTable.step` reads the content.
        case 6: self = .restored(.init(size: 0, modified: Timestamp(nanoseconds: 0)))
        default: self = .present
        }
    }
}
