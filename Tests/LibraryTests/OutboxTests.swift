import Backing
import Catalog
import Documents
import Foundation
@testable import CloudSynchronization
@testable import Library
import Replication
import TestSupport
import Testing

/// A commit that is stored on this device until the log has it.
struct OutboxTests {
    private static let id = EntryID.random()
    private static let commit = Commit(
        id: .random(), device: .random(), deviceName: "a\nb", time: Timestamp(nanoseconds: 5),
        changes: [.delete(id, seen: [.random()])])
    private static let carried = OutgoingCommit.Carried(
        sent: [.init(id: id, revision: 3, changes: 2, version: .random())], withdrawn: [.random()], resolved: [:])

    private static func check(_ kept: OutgoingCommit?) throws {
        let kept = try #require(kept)
        #expect(kept.commit == commit)
        #expect(kept.encoded == (try commit.encoded()))
        #expect(kept.carried.sent.map(\.id) == carried.sent.map(\.id))
        #expect(kept.carried.sent.map(\.version) == carried.sent.map(\.version))
        #expect(kept.carried.withdrawn == carried.withdrawn)
    }

    @Test func `a stored commit is read back and written to the log unchanged`() async throws {
        try await withDevice { device in
            try device.library.store.catalog.write { try OutgoingCommit(Self.commit, Self.carried).store(in: $0) }
            try device.crash()
            try device.open()
            try Self.check(device.library.store.catalog.read { try OutgoingCommit.load(from: $0) })
        }
    }

    @Test(arguments: Moment.allCases)
    func `a content that is saved again while another one is being sent is what all devices have`(moment: Moment)
        async throws
    {
        try await withTwoDevices { laptop, phone in
            try laptop.create("F.txt", "first")
            try await laptop.push()
            let time = try laptop.entry("F.txt").modified
            try await laptop.save("F.txt", "other")
            try await laptop.reach(moment)
            try await laptop.save("F.txt", "first")
            // As `cp -p` and undo leave it.
            try laptop.setModified("F.txt", seconds: Int(time.nanoseconds / 1_000_000_000))
            // Twice: the commit may be known only after the first look.
            try await laptop.work()
            await laptop.finishUploads()
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] { #expect(try await device.text("F.txt") == "first") }
        }
    }
}
