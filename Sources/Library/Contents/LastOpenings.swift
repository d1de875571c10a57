import Catalog
import Documents
import Synchronization

/// When documents of the cloud were last opened. The times are in memory first and reach the catalog now and then: a killed process loses
/// those of the last seconds, and then what is recorded before counts.
final class LastOpenings: Sendable {
    private struct State {
        /// Since the times were last taken to be written.
        var unwritten: [EntryID: Timestamp] = [:]
        var lastWritten: ContinuousClock.Instant?
    }

    /// No other lock is taken inside it.
    private let state = Mutex(State())
    private static let pause = Duration.seconds(10)
    private static let mostUnwritten = 4096

    func record(_ document: EntryID, at time: Timestamp) { state.withLock { $0.unwritten[document] = time } }

    /// Nil if it was not opened lately.
    func lately(_ document: EntryID) -> Timestamp? { state.withLock { $0.unwritten[document] } }

    /// The times that should be written now; empty if they were written a moment ago.
    func due(at now: ContinuousClock.Instant) -> [EntryID: Timestamp] {
        state.withLock { state in
            let isEarly = state.lastWritten.map { now - $0 < Self.pause } ?? false
            return isEarly && state.unwritten.count < Self.mostUnwritten ? [:] : state.unwritten
        }
    }

    var all: [EntryID: Timestamp] { state.withLock(\.unwritten) }

    /// Times are in the catalog. Those of later openings stay.
    func markWritten(_ times: [EntryID: Timestamp], at now: ContinuousClock.Instant) {
        state.withLock { state in
            state.unwritten = state.unwritten.filter { times[$0.key] != $0.value }
            state.lastWritten = now
        }
    }
}
