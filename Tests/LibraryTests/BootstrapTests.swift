import Documents
import Foundation
@testable import CloudSynchronization
@testable import Library
import ObjectStore
import Replication
import Synchronization
import Testing

/// How a new device reads a container.
@Suite(.timeLimit(.minutes(15)))
struct BootstrapTests {
    /// Makes `commits` saves, each a commit of its own.
    private func write(_ commits: Int, _ device: TestDevice) async throws {
        while try device.position.number < Int64(commits) {
            try device.library.setExtendedAttribute(
                "user.round", to: Array("\(try device.position.number)".utf8),
                of: .entry(try device.inode("Plan.txt")), .either)
            _ = try await device.synchronizer.sender.sendPending()
        }
        // The checkpoint is written in the background.
        while device.synchronizer.checkpointWriter.isWriting { await Task.yield() }
    }

    @Test func `a new device reads a checkpoint and the rest of the log`() async throws {
        try await withTwoDevices { laptop, phone in
            let trip = try laptop.makeFolder("Trip")
            try laptop.create("Plan.txt", "plan")
            try laptop.create("Day.txt", "rain", in: trip)
            try laptop.makeLink("link", to: "Plan.txt", in: trip)
            try laptop.create("Gone.txt", "gone")
            try await laptop.push()
            try laptop.remove("Gone.txt")
            try await laptop.push()
            try await write(64, laptop)
            try laptop.create("After.txt", "after")
            try await laptop.push()
            // The log before the checkpoint is not read.
            for number in 1...60 {
                try await laptop.cloud.delete(try #require(ObjectKey("log/" + String(format: "%016d", number))))
            }
            try await phone.pull()
            #expect(try phone.names() == laptop.names())
            #expect(try phone.names(in: try phone.inode("Trip")) == laptop.names(in: trip))
            #expect(try await phone.text("Plan.txt") == "plan")
            #expect(try await phone.text("After.txt") == "after")
            #expect(try await phone.text("Day.txt", in: try phone.inode("Trip")) == "rain")
            #expect(try phone.pendingCount == 0)
            // The trash shows what was deleted before, and does not know by whom.
            let trashed = try phone.library.reportText(.trash).split(separator: "\n").map {
                try JSONDecoder().decode(TrashedDocument.self, from: Data($0.utf8))
            }
            #expect(trashed.map(\.name) == ["Gone.txt"] && trashed.first?.device == nil)
            try phone.library.restoreFromTrash(try #require(trashed.first).key)
            #expect(try await phone.text("Gone.txt") == "gone")
            try phone.remove("Gone.txt")
            try await phone.push()
            // It follows the log from there.
            try await phone.save("Plan.txt", "changed")
            try await phone.push()
            try await laptop.pull()
            #expect(try await laptop.text("Plan.txt") == "changed")
        }
    }

    @Test func `with a damaged checkpoint a new device reads the log from its start`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "plan")
            try await laptop.push()
            try await write(64, laptop)
            for key in try await laptop.cloud.list(ObjectKey("checkpoint")!, after: nil, limit: 10) {
                try Data("{}".utf8).write(to: URL(filePath: laptop.cloudFolder + "/" + key.description))
            }
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "plan")
        }
    }
}
