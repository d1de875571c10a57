import Synchronization

/// Changes of the undo list that wait for the rows with which they are committed (`WaitingRows`).
final class WaitingActions: Sendable {
    struct Changes: Sendable {
        var steps: [ActionStep] = []
        /// The last form of each.
        var actions: [Int64: ActionRecord] = [:]
    }

    private let table = Mutex(Changes())

    /// - Returns: the form of the action that waited before.
    func append(_ step: ActionStep, of action: ActionRecord) -> ActionRecord? {
        table.withLock { table in
            table.steps.append(step)
            return table.actions.updateValue(action, forKey: action.id)
        }
    }

    /// Undoes the last `append`.
    func removeLast(of action: Int64, _ before: ActionRecord?) {
        table.withLock { table in
            table.steps.removeLast()
            table.actions[action] = before
        }
    }

    func all() -> Changes { table.withLock { $0 } }

    /// Call this when changes that `all` returned are committed.
    func remove(_ written: Changes) {
        table.withLock { table in
            table.steps.removeFirst(written.steps.count)
            for (id, action) in written.actions where table.actions[id] == action { table.actions[id] = nil }
        }
    }

    func removeAll() -> Changes {
        table.withLock { table in
            defer { table = Changes() }
            return table
        }
    }

    func putBack(_ changes: Changes) {
        table.withLock { table in
            table.steps = changes.steps + table.steps
            table.actions.merge(changes.actions) { later, _ in later }
        }
    }
}
