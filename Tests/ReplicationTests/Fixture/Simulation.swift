import Documents
import Replication
import Testing
import TestSupport

enum SimulationError: Error {
    /// A commit changed an entry that it did not name as touched, or named one twice.
    case untoldChange(CommitID)
}

/// Three devices and one log, with random changes from one seed.
struct Simulation {
    private var random: SeededGenerator
    private(set) var log: [Commit] = []
    private var devices = [TestDevice.laptop, .phone, .tablet].map(SimulatedDevice.init)
    /// The entries that each commit touched, by the first device that read it.
    private var touched: [[EntryID]] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            let number = Int.random(in: 0..<devices.count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<7: try devices[number].act(&random)
            case 7..<8:
                let end = Int.random(in: devices[number].position...log.count, using: &random)
                try read(number, to: end)
            default: try send(number)
            }
        }
        for number in devices.indices { try send(number) }
        for number in devices.indices { try read(number, to: log.count) }
    }

    private mutating func read(_ number: Int, to end: Int) throws {
        let start = devices[number].position
        for (offset, ids) in try devices[number].read(log, to: end).enumerated() {
            if start + offset == touched.count { touched.append(ids) }
            #expect(touched[start + offset] == ids)
        }
    }

    /// A device reads the whole log before it writes. Its changes were made before it read that.
    private mutating func send(_ number: Int) throws {
        try read(number, to: log.count)
        devices[number].send(to: &log, id: .random(using: &random))
        try read(number, to: log.count)
        expectInvariants(devices[number].committed.replica)
    }
}

/// Expectations after all devices have read everything.
extension Simulation {
    func expectConvergence() throws {
        let end = devices[0].committed.replica
        for device in devices { #expect(device.committed.replica == end) }

        var replayed = BoundedReplica()
        for commit in log {
            let decoded = try Commit.decode(try commit.encoded())
            #expect(decoded == commit)
            try replayed.applyCommit(decoded)
        }
        #expect(replayed.replica == end)
        expectInvariants(end)
        for change in log.flatMap(\.changes) { expectNothingLost(change, end) }
        expectOnlyDeletedIsGone(end)
    }

    /// Every saved version is current, in conflict, or superseded.
    private func expectNothingLost(_ change: Change, _ end: InMemoryReplica) {
        guard let versions = end.entry(change.subject)?.versions else { return }
        let saved: [DocumentVersion] =
            switch change {
            case .create(let entry): entry.versions?.all ?? []
            case .save(_, let version): [version]
            case .describe, .delete, .resolve, .bequeath: []
            }
        for version in saved { #expect(versions.all.contains(version)) }
        // A version that another one was made from is no head any more.
        let bases = Set(versions.all.compactMap(\.base))
        #expect(([versions.current] + versions.conflicts).allSatisfy { !bases.contains($0.id) })
    }

    private func expectOnlyDeletedIsGone(_ end: InMemoryReplica) {
        var deleted: Set<EntryID> = []
        var created: Set<EntryID> = []
        for change in log.flatMap(\.changes) {
            if case .delete(let id, _) = change { deleted.insert(id) }
            if case .create(let entry) = change { created.insert(entry.id) }
        }
        for id in created.subtracting(deleted) { #expect(end.entry(id)?.isDeleted == false) }
    }

    /// Expects that the devices did get in each other's way.
    var commits: Int { log.count }
    var conflicts: Int {
        devices[0].committed.replica.entries.values.reduce(0) { $0 + ($1.versions?.conflicts.count ?? 0) }
    }
}
