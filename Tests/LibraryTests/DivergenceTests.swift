import Backing
import Catalog
import Documents
@testable import CloudSynchronization
@testable import Library
import ObjectStore
import Replica
import Replication
import TestSupport
import Testing

/// The negative control of the state hash: a device applies an entry of the log wrongly.
@Suite(.timeLimit(.minutes(15)))
struct DivergenceTests {
    /// What the device does instead of what the entry says: the laptop renamed `a.txt` to `renamed.txt`.
    enum Mistake: String, CaseIterable {
        case nothing, otherName, otherPlace, deletesIt, deletesAnother, createsMore
    }

    private static let names = ["b.txt", "c.txt", "renamed.txt"]

    private func withMistake(
        _ mistake: Mistake, _ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void
    ) async throws {
        try await withTwoDevices { laptop, phone in
            for name in ["a.txt", "b.txt", "c.txt"] { try laptop.create(name, "text of \(name)") }
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("b.txt") == "text of b.txt")
            try laptop.rename("a.txt", to: "renamed.txt")
            try await laptop.push()
            try await apply(mistake, on: phone)
            try await body(laptop, phone)
        }
    }

    /// Lets a device apply the next entry of the log wrongly, and believe that it has applied it.
    private func apply(_ mistake: Mistake, on device: TestDevice) async throws {
        let head = try #require(try device.synchronizer.container.head())
        let right = try #require(try await device.synchronizer.container.log.read(head.position.next))
        var commit = right.commit
        commit.changes = try wrongChanges(mistake, instead: right.commit.changes, on: device)
        let wrong = try LogEntry(commit, after: right.link)
        try device.synchronizer.follower.apply(wrong, after: head)
        try device.library.store.write { transaction in
            var believed = try #require(try transaction.logHead())
            believed.hash = right.hash
            try transaction.set(believed)
        }
    }

    private func wrongChanges(_ mistake: Mistake, instead changes: [Change], on device: TestDevice) throws -> [Change] {
        func versions(of name: String) throws -> (id: EntryID, seen: [VersionID]) {
            let id = try #require(try device.entry(name).id)
            let entry = try device.library.store.read { try CatalogReplica($0).entry(id) }
            return (id, entry?.versions?.all.map(\.id) ?? [])
        }
        let renamed = try versions(of: "a.txt")
        var change = DescriptionChange()
        switch mistake {
        case .nothing: return []
        case .otherName:
            change.name = .init(displayName: "wrong", pathExtension: "txt", naming: .given)
            return [.describe(renamed.id, change)]
        case .otherPlace:
            change.place = .init(parent: .cloudRoot, filename: "wrong.txt", hasGeneratedFilename: false)
            return changes + [.describe(renamed.id, change)]
        case .deletesIt: return changes + [.delete(renamed.id, seen: renamed.seen)]
        case .deletesAnother:
            let another = try versions(of: "b.txt")
            return changes + [.delete(another.id, seen: another.seen)]
        case .createsMore:
            let known = try device.library.store.read { try CatalogReplica($0).entry(renamed.id) }
            let description = try #require(known).description
            var more = EntryDescription(
                parent: .cloudRoot, filename: "more", position: 7, mode: 0o755, modified: description.modified)
            more.attributes = description.attributes
            return changes + [
                .create(
                    ReplicaEntry(
                        id: .random(), description: more, content: .folder, created: description.modified,
                        creator: device.library.store.device.id))
            ]
        }
    }

    private func replica(of device: TestDevice) throws -> [EntryID: ReplicaEntry] {
        try device.library.store.read { rows in
            let replica = CatalogReplica(rows)
            var entries: [EntryID: ReplicaEntry] = [:]
            for id in try rows.replicaParents().map(\.id) { entries[id] = try replica.entry(id) }
            return entries
        }
    }

    @Test(arguments: Mistake.allCases)
    func `a device that applied an entry wrongly is told by the next commit, and neither sends nor follows`(
        _ mistake: Mistake
    ) async throws {
        try await withMistake(mistake) { laptop, phone in
            #expect(try await phone.fault() == nil)
            try laptop.create("d.txt", "delta")
            try await laptop.push()
            let position = try phone.position
            let fault = try await phone.fault()
            guard case .otherState? = fault else {
                Issue.record("\(String(describing: fault))")
                return
            }
            try phone.create("e.txt", "epsilon")
            let entries = try await laptop.commits.count
            await #expect(throws: LogError.self) { try await phone.push() }
            #expect(try await laptop.commits.count == entries)
            #expect(try phone.position == position)
        }
    }

    @Test func `the connection says what is wrong, and what helps`() async throws {
        try await withMistake(.nothing) { laptop, phone in
            try laptop.create("d.txt", "delta")
            try await laptop.push()
            await phone.synchronizeOnce()
            guard case .failed(let text) = phone.connection.connection else {
                Issue.record("\(phone.connection.connection)")
                return
            }
            #expect(text.contains("another device had another state"))
            #expect(text.contains("docfs check --repair"))
        }
    }

    /// What such a device believes is not told to others: of its mistakes the other devices hear nothing.
    @Test(arguments: Mistake.allCases)
    func `a repair takes the state that the log has, keeps what was done here since, and begins no new log`(
        _ mistake: Mistake
    ) async throws {
        try await withMistake(mistake) { laptop, phone in
            try laptop.create("d.txt", "delta")
            try await laptop.push()
            try phone.create("e.txt", "epsilon")
            let root = try #require(try phone.synchronizer.container.head()).root
            let report = try await phone.synchronizer.checkup.checkUp(repairs: true)
            #expect(report.isGood)
            #expect(report.fault?.contains("another device had another state") == true)
            #expect(try phone.synchronizer.container.head()?.root == root)
            try await phone.push()
            try await laptop.pull()
            #expect(try replica(of: phone) == replica(of: laptop))
            let names = (Self.names + ["d.txt", "e.txt"]).sorted()
            for device in [laptop, phone] {
                #expect(try await device.fault() == nil)
                #expect(try device.names().filter { $0 != "more" } == names)
                #expect(try await device.text("b.txt") == "text of b.txt")
                #expect(try await device.text("renamed.txt") == "text of a.txt")
                #expect(try await device.text("e.txt") == "epsilon")
            }
        }
    }

    /// Then the others cannot follow the log, and it is begun anew.
    @Test(arguments: [Mistake.nothing, .otherName, .otherPlace])
    func `a commit of a device with a wrong state is not followed, and a repair loses nothing`(
        _ mistake: Mistake
    ) async throws {
        try await withMistake(mistake) { laptop, phone in
            try phone.create("e.txt", "epsilon")
            try await phone.push()
            guard case .otherState? = try await laptop.fault() else {
                Issue.record("the laptop follows")
                return
            }
            #expect(try laptop.names() == Self.names)
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            try await laptop.pull()
            #expect(try replica(of: phone) == replica(of: laptop))
            for device in [laptop, phone] {
                #expect(try device.names() == (Self.names + ["e.txt"]).sorted())
                #expect(try await device.text("e.txt") == "epsilon")
            }
        }
    }
}
