import Library
import Documents
import ObjectStore
import Replication
import Synchronization

/// What is known of whether the container is the one that this device knows, and whole.
struct Inspection: Sendable {
    /// The part of the log that was looked through in this pass; nil between two.
    var audit: ContainerAudit?
    /// Whether one pass of this mount has found all of it.
    var hasPassed = false
    var start: ContinuousClock.Instant?
    /// When the next pass begins.
    var due: ContinuousClock.Instant?

    /// A pass takes a few requests, or very many where the log is long: it shall not cost more than a fraction of the time.
    static let shortestPause = Duration.seconds(5)
    static let pausesPerPass = 20
    static let longestPause = Duration.seconds(300)
}

/// Looking after the container: entries that go missing, a log that is rolled back, a container that is emptied or another one are
/// noticed though nobody reads there any more (PRODUCT 5).
extension Synchronizer {
    /// Looks at the next page of the log, where it is time to. To be called with the log read to its end.
    ///
    /// - Returns: whether all of the log was looked through in this mount: before that nothing is sent or removed.
    /// - Throws: `LogError.container` for what is not as it should be.
    func inspectContainer() async throws -> Bool {
        guard let head = try head() else { return false }
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
            inspection.withLock { $0 = Inspection() }
            if try await isOfListing(error, head) { return false }
            throw LogError.container(error)
        }
        inspection.withLock { [state] in $0 = state }
        return state.hasPassed
    }

    /// Whether an entry is there that a listing lacks: it was being written, or the listing was an old one, as network file systems
    /// may give. Reading tells.
    private func isOfListing(_ fault: ContainerFault, _ head: LogHead) async throws(LogError) -> Bool {
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
        guard let identity = try await ContainerIdentity.read(from: cloud.store) else {
            let isEmpty = try await log.positions(after: .start, atMost: 1).isEmpty
            throw .container(isEmpty ? .emptied : .unnamed)
        }
        guard identity.id == head.container else { throw .container(.replaced) }
        guard let commit = head.commit else { return try await verifyBeginning(of: head) }
        // That it is missing the audit finds.
        guard let present = try await log.commitID(at: head.position) else { return }
        guard present == commit else { throw .container(.otherHistory(at: head.position)) }
    }

    /// Of a chain that has no entry yet only its checkpoint tells.
    private func verifyBeginning(of head: LogHead) async throws(LogError) {
        guard head.root > LogPosition.start.next else { return }
        let latest: LogHead?
        do throws(CheckpointError) { latest = try await checkpoints.latestHead() } catch {
            switch error {
            case .store(let reason): throw .store(reason)
            case .invalid: latest = nil
            }
        }
        if latest?.hash != head.hash { throw .container(.otherHistory(at: head.root)) }
    }

    /// Makes sure, just before the log is written, that it ends where this device has read it to.
    func confirmEnd(of head: LogHead) async throws(LogError) {
        do throws(LogError) {
            // One that is there is another device's, of which the append will tell.
            let next = try await log.positions(after: head.position, atMost: 1).first
            if let next, next != head.position.next, try await log.commitID(at: head.position.next) == nil {
                throw .container(.hole(head.position.next))
            }
            guard let commit = head.commit else { return try await verifyBeginning(of: head) }
            let present = try await log.commitID(at: head.position)
            if present == nil { throw .container(.rolledBack(to: head.position.previous, from: head.position)) }
            if present != commit { throw .container(.otherHistory(at: head.position)) }
        } catch {
            if case .container = error { inspection.withLock { $0 = Inspection() } }
            throw error
        }
    }
}
