import Backing
import Catalog
import Documents
import Glibc
@testable import CloudSynchronization
@testable import Library
import Replication
import TestSupport
import Testing

/// Faults that the simulation found, each in its shortest form.
@Suite(.timeLimit(.minutes(15)))
struct FoundBySimulationTests {
    @Test func `a document that another device put into a folder is in it when the folder comes back`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.makeFolder("Photos")
            try await laptop.push()
            try await phone.pull()
            try phone.move("Photos", from: .cloud, to: .local)
            try laptop.create("Beach.txt", "sand", in: laptop.inode("Photos"))
            try await laptop.push()
            try await phone.push()
            #expect(try phone.names() == ["Photos"])
            #expect(try phone.names(in: phone.inode("Photos")) == ["Beach.txt"])
        }
    }

    @Test func `a document that is edited here knows the size that it has elsewhere`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "first")
            try await laptop.push()
            try await phone.pull()
            try await phone.save("Plan.txt", "edited here")
            try await laptop.save("Plan.txt", "and elsewhere, at more length")
            try await laptop.push()
            try await phone.pull()
            // A listing shows this size if the edit turns out to be none.
            #expect(try phone.entry("Plan.txt").size == 29)
        }
    }

    @Test func `a deletion elsewhere does not change the revision of a document that was saved here`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "plan")
            try await laptop.push()
            try await phone.pull()
            try await laptop.save("Plan.txt", "another plan")
            let before = try laptop.entry("Plan.txt")
            try phone.remove("Plan.txt")
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.entry("Plan.txt").pending == [.creation, .content])
            #expect(try laptop.entry("Plan.txt").revision == before.revision)
        }
    }

    /// A rename while a save is being sent leaves the content pending, although the container has it.
    @Test(arguments: [true, false])
    func `a document that was deleted elsewhere goes, if only its name changed while its save was sent`(isEdited: Bool)
        async throws
    {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "plan")
            try await laptop.push()
            try await phone.pull()
            try phone.remove("Plan.txt")
            if isEdited {
                try await laptop.save("Plan.txt", "edit")
            } else {
                var entry = try laptop.entry("Plan.txt")
                entry.markPending(.content)
                try laptop.library.store.write { [entry] in try $0.update(entry) }
            }
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.names() == (isEdited ? ["Plan.txt"] : []))
        }
    }

    @Test(arguments: [0, 1])
    func `a save that brought a deleted document back needs no second one`(laterChanges: Int64) async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan")
            try await device.push()
            let inode = try device.inode("Plan.txt")
            let version = try #require(try device.entry("Plan.txt").currentVersion)
            try device.library.store.catalog.write { transaction in
                var entry = try #require(try transaction.entry(inode))
                // As after a deletion elsewhere that came while the commit was on its way.
                entry.pending = [.creation, .content]
                entry.revision += laterChanges
                try transaction.update(entry)
                let id = try #require(entry.id)
                let sent = OutgoingCommit.Sent(
                    id: id, revision: entry.revision - laterChanges, changes: PendingChanges.content.rawValue,
                    version: version)
                let commit = Commit(
                    id: .random(), device: device.library.store.device.id, deviceName: "laptop",
                    time: Timestamp(nanoseconds: 0), changes: [])
                _ = try OutgoingCommit(commit, .init(sent: [sent], withdrawn: [], resolved: [:])).clearPending(
                    in: transaction)
                #expect(try transaction.entry(entry.inode)?.pending == (laterChanges == 0 ? [] : .content))
            }
            // The container has this content: that is found out before anything is sent.
            try await device.push()
            #expect(try await device.savesInLog == 0)
        }
    }

    @Test
    func `after a choice of another version than the one that was to bring the document back nothing is left to send`()
        async throws
    {
        try await withPlanElsewhere { laptop, phone in
            let others = try ["desktop", "tablet"].map {
                try TestDevice($0, store: laptop.store + "-" + $0, cloudFolder: laptop.cloudFolder)
            }
            defer { others.forEach { $0.dismantle() } }
            for device in others {
                try device.open()
                try await device.pull()
                #expect(try await device.text("Plan.txt") == "first version")
            }
            try await laptop.save("Plan.txt", "of the laptop")
            try phone.remove("Plan.txt")
            try await phone.push()
            try await laptop.pull()
            // Two devices that did not know of the deletion bring it back, with two versions.
            for device in others { try await device.save("Plan.txt", "of the \(device.name)") }
            for device in others { try await device.push() }
            try await laptop.pull()
            let version = try #require(try laptop.library.list(.conflicts, of: laptop.inode("Plan.txt")).first)
            try laptop.library.chooseVersion(
                Array(version.name.utf8), in: .conflicts, of: laptop.inode("Plan.txt"), as: Array("Plan.txt".utf8),
                in: .cloud, options: [])
            try await laptop.push()
            try await phone.pull()
            #expect(try laptop.pendingCount == 0)
            #expect(try await laptop.text("Plan.txt") == phone.text("Plan.txt"))
        }
    }
}
