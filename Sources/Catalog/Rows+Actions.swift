import Documents
import GRDB

/// The undo list: actions and their steps. A step is committed with the change that it is about.
extension Rows {
    public func action(_ id: Int64) throws -> ActionRecord? {
        try actions(where: "number=?", limit: 1) { $0.bind(id) }.first
    }

    /// The actions of a list, the next one first.
    public func actions(_ direction: ActionDirection, limit: Int = .max) throws -> [ActionRecord] {
        switch direction {
        case .undo: try actions(where: "isUndone=0 ORDER BY number DESC", limit: limit)
        case .redo: try actions(where: "isUndone=1 ORDER BY number", limit: limit)
        }
    }

    public func oldestAction() throws -> ActionRecord? {
        try actions(where: "TRUE ORDER BY number", limit: 1).first
    }

    /// The oldest action that keeps a document in the trash.
    public func oldestActionInTrash() throws -> ActionRecord? {
        try actions(
            where: "number=(SELECT action FROM steps WHERE \(ActionTable.isInTrash) ORDER BY action LIMIT 1)", limit: 1
        ).first
    }

    /// The removals of documents whose content is in the trash or in the container, the latest first. A document that another device has
    /// brought back is left out, unless the trash has a content of it that was never sent.
    public func trashedSteps() throws -> [ActionStep] {
        try steps(
            where: """
                change=\(ActionStep.Change.removed.sql) AND \(EntryCondition.isDocument)
                AND (isHere OR currentVersion IS NOT NULL)
                AND (\(EntryCondition.hasNewContent) OR NOT EXISTS(SELECT 1 FROM entries WHERE entries.uuid=steps.uuid))
                ORDER BY action DESC, step
                """)
    }

    /// The removals of folders that are gone, the latest first. There may be many.
    public func removedFolderSteps() throws -> [ActionStep] {
        try steps(
            where: """
                change=\(ActionStep.Change.removed.sql) AND \(EntryCondition.isFolder)
                AND NOT EXISTS(SELECT 1 FROM entries WHERE entries.uuid=steps.uuid)
                ORDER BY action DESC, step
                """)
    }

    private func actions(
        where condition: String, limit: Int, bind: (inout DirectStatement) -> Void = { _ in }
    ) throws -> [ActionRecord] {
        try turn.read { db in
            var statement = try DirectStatement(db, sql: "\(ActionTable.selectAction)WHERE \(condition) LIMIT ?")
            bind(&statement)
            statement.bind(limit)
            var found: [ActionRecord] = []
            while let row = try statement.next() { found.append(try ActionTable.action(row)) }
            return found
        }
    }

    public func actionCount(_ direction: ActionDirection) throws -> Int {
        try turn.read { db in
            let statement = try db.cachedStatement(sql: "SELECT count(*) FROM actions WHERE isUndone=?")
            return try Int.fetchOne(statement, arguments: [direction == .redo]) ?? 0
        }
    }

    public func lastAction(of kind: ActionKind) throws -> ActionRecord? {
        try actions(where: "kind=? ORDER BY number DESC", limit: 1) { $0.bind(kind.rawValue) }.first
    }

    public func lastAction() throws -> Int64 {
        try turn.read { try Int64.fetchOne($0, sql: "SELECT max(number) FROM actions") ?? 0 }
    }

    /// The steps of an action in order.
    public func steps(of action: Int64, limit: Int = .max) throws -> [ActionStep] {
        try steps(where: "action=? ORDER BY step LIMIT ?") {
            $0.bind(action)
            $0.bind(limit)
        }
    }

    public func step(_ number: Int, of action: Int64) throws -> ActionStep? {
        try steps(where: "action=? AND step=?") {
            $0.bind(action)
            $0.bind(number)
        }.first
    }

    /// The steps whose entry is gone, or its former content. There may be very many.
    public func stepsOfTrash() throws -> [ActionStep] { try steps(where: ActionTable.isOfTrash) }

    /// The last step that removed this entry.
    public func removedStep(_ id: EntryID) throws -> ActionStep? {
        try steps(where: "uuid=? AND change=\(ActionStep.Change.removed.sql) ORDER BY action DESC LIMIT 1") {
            $0.bind(id)
        }.first
    }

    func steps(
        where condition: String, bind: (inout DirectStatement) -> Void = { _ in }
    ) throws -> [ActionStep] {
        try turn.read { db in
            var statement = try DirectStatement(db, sql: "\(ActionTable.select)WHERE \(condition)")
            bind(&statement)
            var found: [ActionStep] = []
            while let row = try statement.next() { found.append(try ActionTable.step(row)) }
            return found
        }
    }

    public func trashSize() throws -> TrashSize {
        try trash.size {
            try turn.read { db in
                let statement = try DirectStatement(
                    db,
                    sql: """
                        SELECT count(*), \(SizeSum.columns("size")) FROM steps
                        WHERE \(ActionTable.isInTrash)
                        """)
                return try statement.next().map { TrashSize(documents: $0[0], size: .init(high: $0[1], low: $0[2])) }
                    ?? TrashSize()
            }
        }
    }
}

extension Transaction {
    /// Adds a step. It waits if the rows of this write wait.
    ///
    /// - Parameter action: as it is with the step.
    public func append(_ step: ActionStep, of action: ActionRecord) throws {
        noteInTrash(step, isAdded: true)
        if turn.postpones(step, of: action) { return }
        try turn.write { db in
            try db.write(WaitingActions.Changes(steps: [step], actions: [action.id: action]))
        }
    }

    private func noteInTrash(_ step: ActionStep, isAdded: Bool) {
        if isAdded { trash.add(step) } else { trash.remove(step) }
        if step.change == .removed { announceTrash() }
    }

    /// The trash may hold something else than before. Once for many changes in a row.
    public func announceTrash() {
        if case .trashChanged = turn.events.last { return }
        announce(.trashChanged)
    }

    /// Stores the new form of a step.
    public func replace(_ old: ActionStep, by new: ActionStep) throws {
        noteInTrash(old, isAdded: false)
        noteInTrash(new, isAdded: true)
        try turn.write { db in
            try db.write(WaitingActions.Changes(steps: [new]))
        }
    }

    public func store(_ action: ActionRecord) throws { try turn.write { try $0.write(action) } }

    public func delete(_ step: ActionStep) throws {
        noteInTrash(step, isAdded: false)
        try turn.write { db in
            var statement = try DirectStatement(db, sql: "DELETE FROM steps WHERE action=? AND step=?")
            statement.bind(step.action)
            statement.bind(step.number)
            try statement.run()
        }
    }

    /// Deletes an action that has no steps any more, or whose steps keep nothing in the trash.
    public func deleteAction(_ id: Int64) throws {
        trash.forget()
        announceTrash()
        try turn.write { db in
            for sql in ["DELETE FROM steps WHERE action=?", "DELETE FROM actions WHERE number=?"] {
                var statement = try DirectStatement(db, sql: sql)
                statement.bind(id)
                try statement.run()
            }
        }
    }

    /// An inode number that no row has.
    public func newInode() -> InodeNumber { inodes.next() }
}
