import LinuxFiles

/// The table as it is now, and how it came to be so: pages ask for rows, and wait for changes.
package final class LiveTable: Sendable {
    /// What a page is told when something has changed since it looked.
    package struct Update: Sendable, Encodable {
        package let revision: Int
        package let count: Int
        /// One after another, from the revision that the page has; nil if the page should forget its rows.
        package let changes: [RowChanges]?
        package let status: [String: String]
    }

    private struct State: Sendable {
        var revision = 0
        var rows: [TableRow] = []
        /// The changes that led to the last revisions. The last one led to `revision`.
        var history: [RowChanges] = []
        var status: [String: String] = [:]
    }

    private static let longestHistory = 64
    /// A page that would be told of more takes all rows anew.
    private static let mostChanges = 2000

    private let state: AwaitedState<State, Int, Update?>

    package init() {
        state = AwaitedState(State(), cancelled: nil) { known, state in
            state.revision == known ? nil : .some(Self.update(since: known, state))
        }
    }

    /// Replaces the rows. Nothing happens if they are as before. Called by one thread only: it compares while pages go on asking.
    package func publish(_ rows: [TableRow]) {
        let changes = RowChanges(from: state.withState { $0.rows }, to: rows)
        if changes.isEmpty { return }
        state.update { state in
            state.rows = rows
            Self.add(changes, to: &state)
        }
    }

    /// Replaces the status line. Nothing happens if it is as before.
    package func publish(status: [String: String]) {
        state.update { state in
            if status == state.status { return }
            state.status = status
            Self.add(RowChanges(reloading: []), to: &state)
        }
    }

    /// Tells pages to look again at some rows, of which something has changed that the rows do not say (progress, size).
    package func touch(_ ids: Set<String>) {
        state.update { state in
            let rows = state.rows
            let touched = rows.indices.filter { ids.contains(rows[$0].id) }
            if touched.isEmpty { return }
            Self.add(RowChanges(reloading: touched), to: &state)
        }
    }

    private static func add(_ changes: RowChanges, to state: inout State) {
        state.revision += 1
        state.history = (state.history + [changes]).suffix(longestHistory)
    }

    /// The rows from an index on, with the number of all rows and the revision that has them.
    package func rows(from start: Int, count: Int) -> (rows: ArraySlice<TableRow>, update: Update) {
        state.withState { state in
            let start = min(max(0, start), state.rows.count)
            let end = start + min(max(0, count), state.rows.count - start)
            return (state.rows[start..<end], Self.update(since: state.revision, state))
        }
    }

    package func row(_ id: String) -> TableRow? { state.withState { $0.rows.first { $0.id == id } } }

    /// The rows with these ids, as they stand in the table, in one pass. Those that are gone are left out.
    package func rows(_ ids: [String]) -> [TableRow] {
        let wanted = Set(ids)
        return state.withState { $0.rows.filter { wanted.contains($0.id) } }
    }

    /// Where rows go that are dropped over another one.
    package func drop(_ ids: [String], over id: String, _ edge: DropTarget.Edge) -> DropTarget {
        DropTarget(of: ids, over: id, edge, in: state.withState { $0.rows })
    }

    /// The id of the section or folder that holds what is put over a row: of the row itself, or of where it lies, shown or not.
    package func folder(over id: String) -> String? {
        guard let row = row(id) else { return nil }
        switch row.kind {
        case .section, .folder: return row.id
        case .document, .newDocument: return row.id.lastIndex(of: "/").map { String(row.id[..<$0]) }
        }
    }

    /// Waits until the table has another revision than `revision`. Returns nil when the task is cancelled.
    package func update(since revision: Int) async -> Update? { await state.wait(for: revision) }

    private static func update(since known: Int, _ state: State) -> Update {
        // A page may claim to know anything.
        let missing = (0...state.revision).contains(known) ? state.revision - known : .max
        var changes: [RowChanges]?
        if missing <= state.history.count {
            let recent = Array(state.history.suffix(missing))
            if recent.reduce(0, { $0 + $1.count }) <= mostChanges { changes = recent }
        }
        return Update(revision: state.revision, count: state.rows.count, changes: changes, status: state.status)
    }
}

extension RowChanges {
    /// The same rows, some of which are to be looked at again.
    fileprivate init(reloading reloaded: [Int]) {
        removed = []
        inserted = []
        moved = []
        self.reloaded = reloaded
    }
}
