import Backing
@testable import Catalog
import Documents
@testable import CloudSynchronization
@testable import Library
import Replication
import Synchronization
import TestSupport
import Testing

/// Runs the parts of the synchronizer by hand.
extension TestDevice {
    struct Stalled: Error {}

    /// Applies what other devices committed.
    func pull() async throws { try await synchronizer.follower.followLog() }

    /// Applies what other devices committed, and transfers and sends until nothing is pending.
    func push() async throws {
        try await pull()
        while true {
            let rest = try await work()
            if try hasNothingPending { return }
            if rest != .zero { try await waitForWork() }
        }
    }

    /// Starts the transfers that can start, and sends what is ready.
    ///
    /// - Returns: how long it is until the next document may be sent; nil if none waits for that.
    @discardableResult
    func work() async throws -> Duration? {
        synchronizer.tree.bringContents(atMost: Synchronizer.parallelTransfers)
        let rest = try synchronizer.uploader.startUploads()
        _ = try await synchronizer.sender.sendPending()
        return rest
    }

    /// Uploads the contents that are ready, and commits nothing.
    func upload() async throws {
        _ = try synchronizer.uploader.startUploads()
        await finishUploads()
    }

    /// Waits until no upload is under way.
    func finishUploads() async {
        while synchronizer.uploader.isBusy { await connection.wake.wait(atMost: .seconds(60)) }
    }

    /// Waits until some transfer has ended. Uploads signal when their whole queue is done, which takes minutes beside a busy disk.
    private func waitForWork() async throws {
        while await !connection.wake.wait(atMost: .seconds(90)) {
            if !synchronizer.uploader.isBusy { throw Stalled() }
        }
        try Task.checkCancellation()
    }

    var hasNothingPending: Bool {
        get throws {
            try library.store.catalog.read { rows in
                try rows.pendingCount() == 0 && rows.arrivingEntries(limit: 1).isEmpty && rows.outbox() == nil
            }
        }
    }

    var pendingCount: Int { get throws { try library.store.catalog.read { try $0.pendingCount() } } }

    /// How far the log has been read.
    var position: LogPosition { get throws { try synchronizer.container.head()?.position ?? .start } }

    /// The commits in the log.
    var commits: [Commit] {
        get async throws {
            var commits: [Commit] = []
            while let entry = try await synchronizer.container.log.read(LogPosition(Int64(commits.count + 1))) {
                commits.append(entry.commit)
            }
            return commits
        }
    }

    /// Synchronizes as a mount does, until the first round is over.
    func synchronizeOnce() async {
        let (rounds, end) = AsyncStream.makeStream(of: Void.self)
        let synchronization = Task { [synchronizer] in await synchronizer.run { end.yield() } }
        for await _ in rounds { break }
        synchronization.cancel()
        await synchronization.value
    }

    /// Reads the log and inspects all of it.
    ///
    /// - Returns: what is wrong with the container; nil if nothing is.
    func fault() async throws -> ContainerFault? {
        do {
            try await synchronizer.follower.followLog()
            synchronizer.inspector.restart()
            while try await !synchronizer.inspector.inspect() {}
            return nil
        } catch LogError.container(let fault) { return fault }
    }

    /// The number of contents in the log, without the first of each document.
    var savesInLog: Int {
        get async throws {
            var count = 0
            for change in try await commits.flatMap(\.changes) {
                if case .save = change { count += 1 }
            }
            return count
        }
    }
}

/// Runs `body` with two devices. The laptop has `Plan.txt`, "first version"; the phone has a placeholder.
func withPlanElsewhere(
    storage: TestStorage = .memory, _ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void
) async throws {
    try await withTwoDevices(storage: storage) { laptop, phone in
        try laptop.create("Plan.txt", "first version")
        try await laptop.push()
        try await phone.pull()
        try await body(laptop, phone)
    }
}

/// Runs `body` with two devices that have `Plan.txt`, "first version", and with the phone's row of it.
func withPlanOnTwoDevices(
    storage: TestStorage = .memory, _ body: (_ laptop: TestDevice, _ phone: TestDevice, Entry) async throws -> Void
) async throws {
    try await withPlanElsewhere(storage: storage) { laptop, phone in
        #expect(try await phone.text("Plan.txt") == "first version")
        try await phone.library.waitForContent(of: phone.inode("Plan.txt"))
        try await body(laptop, phone, try phone.entry("Plan.txt"))
    }
}

/// Runs `body` with two devices that have `F.txt` and `G.txt`. Two saves of `F.txt` are in conflict. The laptop's is the current version, and
/// the phone has downloaded it.
func withConflictOnTwoDevices(_ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void) async throws {
    try await withTwoDevices { laptop, phone in
        for name in ["F.txt", "G.txt"] { try laptop.create(name, name) }
        try await laptop.push()
        try await phone.pull()
        for name in ["F.txt", "G.txt"] { #expect(try await phone.text(name) == name) }
        try await phone.save("F.txt", "of the phone")
        try await laptop.save("F.txt", "of the laptop")
        try await phone.push()
        try await laptop.push()
        try await phone.pull()
        _ = try await phone.text("F.txt")
        try await body(laptop, phone)
    }
}
