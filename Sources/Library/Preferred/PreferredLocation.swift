import Backing
import Catalog
import Dispatch
import Documents
import Logging
import Synchronization

/// The preferred location (`Documents/.location`), and the move of everything to it, which goes on in the background and after a kill.
///
/// The list of entries to move is stored with the new location, in one transaction. Each entry moves as rename(2) moves it (`RenameRule`); one that has
/// moved already is recognised by its place.
final class PreferredLocation: Transacting {
    let transactions: Transactions
    let namespace: Namespace
    let tree: Tree
    private let actions: Actions
    private let state = Mutex(State())
    /// Locked while one entry moves, before the tree.
    private let turn = Mutex(())

    private struct State {
        var isMoving = false
        /// Whether something was added to what is to move since the move began.
        var hasMore = false
        var isOver = false
    }

    init(_ transactions: Transactions, namespace: Namespace, tree: Tree, actions: Actions) {
        self.transactions = transactions
        self.actions = actions
        self.namespace = namespace
        self.tree = tree
    }

    /// Reads the location from the catalog, and goes on with a move that was not finished. To be called when rows and files agree.
    func load() throws {
        let (location, hasMoves) = try inspect { rows in
            (
                try rows.setting(.preferredLocation).flatMap { Location(rawValue: $0) },
                try rows.nextPreferredMove() != nil
            )
        }
        if let location { namespace.setPreferredLocation(location) }
        if hasMoves { startMoving() }
    }

    /// Makes a location the preferred one, and has everything move there. For the one that is preferred already, what stayed is tried
    /// again.
    ///
    /// - Throws: ENOSPC, EIO.
    func setPreferredLocation(_ location: Location) throws(Refusal) {
        try mutate { transaction in
            if namespace.preferredLocation == location {
                actions.endPreference()
                return try transaction.retryPreferredMoves()
            }
            try change(to: location, movesAll: true, transaction)
            try actions.recordPreference(for: location, transaction)
        }
        startMoving()
    }

    /// Makes a location the preferred one because an action is undone or done again. The action moves its entries itself.
    ///
    /// - Parameter movesAll: whether everything else moves there as well.
    /// - Returns: the location before.
    func bringBack(_ location: Location, movesAll: Bool, _ transaction: Transaction) throws -> Location {
        let former = namespace.preferredLocation
        try change(to: location, movesAll: movesAll, transaction)
        if movesAll { transaction.whenDone { self.startMoving() } }
        return former
    }

    private func change(to location: Location, movesAll: Bool, _ transaction: Transaction) throws {
        let former = namespace.preferredLocation
        try transaction.set(.preferredLocation, location.rawValue)
        if movesAll {
            let count = try transaction.planPreferredMoves(from: location.other.folder)
            try transaction.set(.preferredMoveCount, String(count))
        } else {
            try transaction.forgetPreferredMoves()
        }
        namespace.setPreferredLocation(location)
        transaction.ifFailed { [namespace] in namespace.setPreferredLocation(former) }
        // Names in `Documents` mean other documents from now on.
        transaction.announce(.listingChanged(of: .documents))
    }

    /// Carries something out while no entry moves.
    func betweenMoves<Result>(_ body: () throws(Refusal) -> Result) throws(Refusal) -> Result {
        try turn.withLock { _ throws(Refusal) in try body() }
    }

    /// The mount ends: the move under way is finished, and no other begins.
    func stop() {
        let mustWait = state.withLock { state in
            state.isOver = true
            return state.isMoving
        }
        if mustWait { moving.wait() }
    }

    /// Waits until nothing is left to move.
    func waitUntilMoved() { moving.wait() }

    private let moving = DispatchGroup()
    private let queue = DispatchQueue(label: "docfs.preferred")

    private func startMoving() {
        let isFirst = state.withLock { state in
            if state.isOver { return false }
            state.hasMore = true
            defer { state.isMoving = true }
            return !state.isMoving
        }
        guard isFirst else { return }
        queue.async(group: moving) { [self] in moveAll() }
    }

    private func moveAll() {
        while state.withLock({ state in
            guard state.hasMore, !state.isOver else {
                state.isMoving = false
                return false
            }
            state.hasMore = false
            return true
        }) {
            do { while !state.withLock(\.isOver), try turn.withLock({ _ in try moveNext() }) {} } catch {
                logger.error(
                    "the move to the preferred location could not go on", metadata: ["error": "\(error)"])
            }
        }
    }

    /// - Returns: false if nothing is left to move.
    private func moveNext() throws -> Bool {
        let (next, entry) = try inspect { rows -> (EntryID?, Entry?) in
            guard let next = try rows.nextPreferredMove() else { return (nil, nil) }
            return (next, try rows.entry(next))
        }
        guard let next else { return false }
        var reason: String?
        // A person may have moved or removed it meanwhile, or a killed process has moved it.
        if let entry, let destination = try inspect({ try counterpart(of: entry.parent, $0) }) {
            do throws(Refusal) {
                if try merge(entry, next, into: destination) { return true }
                let name = Array(entry.filename.utf8)
                try tree.rename(name, in: entry.parent, to: name, in: destination, options: [], by: .preferredMove)
            } catch { reason = error.description }
        }
        try mutate { transaction in
            try transaction.endPreferredMove(next, staysBecause: reason)
            guard reason == nil, let entry, let moved = try transaction.entry(next) else { return }
            // No system call did this, so the kernel must hear of both names.
            for names in [EntryNames(entry), EntryNames(moved)] {
                transaction.announce(.entryChanged(names, besides: nil))
                transaction.announce(.listingChanged(of: names.parent))
            }
        }
        return true
    }

    var text: String { LocationText.text(namespace.preferredLocation) }
}
