import Backing
import ObjectStore
import Replication
import Synchronization

/// How far the container has been inspected.
private struct Inspection: Sendable {
    /// The part of the log that was inspected in this pass; nil between two passes.
    var audit: ContainerAudit?
    /// Whether a pass of this mount has found nothing wrong.
    var hasPassed = false
    var start: ContinuousClock.Instant?
    /// When the next pass begins.
    var due: ContinuousClock.Instant?

    /// A pass takes a few requests, or very many if the log is long. It must not take more than a fraction of the time.
    static let shortestPause = Duration.seconds(5)
    static let pausesPerPass = 20
    static let longestPause = Duration.seconds(300)
}

/// Finds out whether the container is still the one that this device knows, and whole. It notices missing entries, a log that was rolled
/// back, and a container that was emptied or replaced, even in parts of the log that are not read again (ContainerFormat, "A container that
/// is damaged").
final class ContainerInspector: Sendable {
    private let container: ContainerAccess
    private let inspection = Mutex(Inspection())

    private var log: ReplicatedLog { container.log }
    private var now: ContinuousClock.Instant { container.store.surroundings.instant() }

    init(_ container: ContainerAccess) { self.container = container }

    /// Forgets what was inspected; the next inspection begins at the start of the log.
    func restart() { inspection.withLock { $0 = Inspection() } }

    /// Inspects the next page of the log, if it is time to. To be called when the log was read to its end.
    ///
    /// - Returns: whether all of the log was inspected in this mount. Until then nothing is sent or removed.
    /// - Throws: `LogError.container` for a container that is not as it should be.
    func inspect() async throws -> Bool {
        guard let head = try container.head() else { return false }
        var state = inspection.withLock { $0 }
        if state.audit == nil {
            if let due = state.due, now < due { return state.hasPassed }
            state.start = now
            try await verifyIdentity(of: head)
            state.audit = ContainerAudit(head)
        }
        guard var audit = state.audit else { return false }
        let page = try await log.positions(after: audit.last, atMost: ContainerAudit.pageLength)
        do throws(ContainerFault) {
            if try audit.check(page) {
                state.hasPassed = true
                state.audit = nil
                let end = now
                let pause = (end - (state.start ?? end)) * Inspection.pausesPerPass
                state.due = end + min(max(Inspection.shortestPause, pause), Inspection.longestPause)
            } else {
                state.audit = audit
            }
        } catch {
            restart()
            if try await isOnlyInListing(error, head) { return false }
            throw LogError.container(error)
        }
        inspection.withLock { [state] in $0 = state }
        return state.hasPassed
    }

    /// Whether the entry that a listing lacks can be read. It was being written, or the listing was an old one, as network file systems may
    /// give.
    private func isOnlyInListing(_ fault: ContainerFault, _ head: LogHead) async throws(LogError) -> Bool {
        switch fault {
        case .hole(let position): return try await log.commitID(at: position) != nil
        case .rolledBack, .emptied:
            guard let commit = head.commit else { return false }
            return try await log.commitID(at: head.position) == commit
        default: return false
        }
    }

    /// Whether the container has the id that this device knows, and the log this device's last entry.
    private func verifyIdentity(of head: LogHead) async throws(LogError) {
        // Its announcement may be lost, or lie in a part of the log that this device does not reach.
        try await container.requireNewestKeys()
        guard let identity = try await ContainerIdentity.read(from: container.objects) else {
            let isEmpty = try await log.positions(after: .start, atMost: 1).isEmpty
            throw .container(isEmpty ? .emptied : .unnamed)
        }
        guard identity.id == head.container else { throw .container(.replaced) }
        guard let commit = head.commit else { return try await verifyBeginning(of: head) }
        // If the entry is missing, the audit finds it.
        guard let present = try await log.commitID(at: head.position) else { return }
        guard present == commit else { throw .container(.otherHistory(at: head.position)) }
    }

    /// A chain that has no entry yet is known by its checkpoint only.
    private func verifyBeginning(of head: LogHead) async throws(LogError) {
        guard head.root > LogPosition.start.next else { return }
        let latest = try await container.latestCheckpointHead(for: head)
        if latest?.hash != head.hash { throw .container(.otherHistory(at: head.root)) }
    }

    /// Whether there is an entry after `position`, as far as a listing of the next positions tells. Where a listing reads all names, the
    /// places are looked at where an entry would be if one was lost, or if a device that had read as far as this one has repaired the log;
    /// the next pass of inspection finds all others.
    private func mayHaveEntries(after position: LogPosition) async throws(LogError) -> Bool {
        guard container.objects.listsAllNames else {
            return try await !log.positions(after: position, atMost: 1).isEmpty
        }
        for free in [position.next, LogPosition(position.number + ContainerRepair.gap)]
        where try await log.commitID(at: free) != nil {
            return true
        }
        return false
    }

    /// Checks, just before a commit is appended, that the log ends where this device has read to.
    func confirmEnd(of head: LogHead) async throws(LogError) {
        do throws(LogError) {
            // If there is an entry at the next position, another device has written it, and the append will find it taken.
            if try await mayHaveEntries(after: head.position.next),
                try await log.commitID(at: head.position.next) == nil
            {
                throw .container(.hole(head.position.next))
            }
            guard let commit = head.commit else { return try await verifyBeginning(of: head) }
            let present = try await log.commitID(at: head.position)
            if present == nil { throw .container(.rolledBack(to: head.position.previous, from: head.position)) }
            if present != commit { throw .container(.otherHistory(at: head.position)) }
        } catch {
            if case .container = error { restart() }
            throw error
        }
    }
}
