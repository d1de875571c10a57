import Catalog
import Documents
import Foundation
@testable import Library
import ObjectStore
import Replication
import Synchronization
import Testing

/// Containers that lost something, are what they were before, or are others (PRODUCT 5).
@Suite(.timeLimit(.minutes(2)))
struct ContainerFaultTests {
    /// What may happen to a container behind everybody's back.
    enum Damage: String, CaseIterable {
        case hole, rolledBack, emptied, unnamed, replaced, otherHistory, spoiledEntry
    }

    private static let texts = ["a.txt": "alpha", "b.txt": "beta", "c.txt": "gamma", "d.txt": "delta"]

    /// Runs `body` with two devices that know four documents in four commits and more.
    private func withDocuments(_ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void) async throws {
        try await withTwoDevices { laptop, phone in
            for name in Self.texts.keys.sorted() {
                try laptop.create(name, Self.texts[name] ?? "")
                try await laptop.push()
            }
            try await phone.pull()
            try await body(laptop, phone)
        }
    }

    private func path(_ device: TestDevice, _ name: String) -> String { device.cloudFolder + "/" + name }

    private func entry(_ number: Int64) -> String { LogPosition(number).key.description }

    private func damage(_ device: TestDevice, _ damage: Damage) async throws {
        let files = FileManager.default
        switch damage {
        case .hole: try files.removeItem(atPath: path(device, entry(2)))
        case .rolledBack:
            for number in 3...4 { try files.removeItem(atPath: path(device, entry(Int64(number)))) }
        case .emptied:
            for name in ["container", "log", "documents"] { try? files.removeItem(atPath: path(device, name)) }
        case .unnamed: try files.removeItem(atPath: path(device, "container"))
        case .replaced:
            for name in ["container", "log", "documents"] { try files.removeItem(atPath: path(device, name)) }
            let other = try TestDevice("desktop", store: device.store + "-other", cloudFolder: device.cloudFolder)
            try other.open()
            defer { other.dismantle() }
            try other.create("theirs.txt", "theirs")
            try await other.push()
        case .otherHistory:
            // Rolled back, and written to by somebody who did not know.
            for number in 3...4 { try files.removeItem(atPath: path(device, entry(Int64(number)))) }
            let other = try TestDevice("desktop", store: device.store + "-other", cloudFolder: device.cloudFolder)
            try other.open()
            defer { other.dismantle() }
            for name in ["theirs.txt", "more.txt", "most.txt"] {
                try other.create(name, "theirs")
                try await other.push()
            }
        case .spoiledEntry:
            try Data("{".utf8).write(to: URL(filePath: path(device, entry(2))))
        }
    }

    private func objects(_ device: TestDevice) throws -> Set<String> {
        Set(FileManager.default.enumerator(atPath: device.cloudFolder)?.compactMap { $0 as? String } ?? [])
    }

    @Test(arguments: Damage.allCases.filter { $0 != .spoiledEntry })
    func `every device that knew the container says so in one line, sends nothing and removes nothing`(
        _ damage: Damage
    ) async throws {
        try await withDocuments { laptop, phone in
            try await self.damage(laptop, damage)
            let before = try objects(laptop)
            for device in [laptop, phone] {
                let fault = try #require(try await device.fault())
                #expect(!fault.description.contains("\n"))
                #expect(fault.description.contains("docfs check --repair"))
                try device.create("new of \(device.name).txt", "new")
                _ = try device.synchronizer.startUploads()
                while device.synchronizer.uploads.withLock(\.isBusy) {
                    await device.library.transfers.wake.wait(atMost: .seconds(60))
                }
                try device.remove("a.txt")
                _ = try? await device.synchronizer.sendPending()
                #expect(device.exists("b.txt"))
            }
            let sent = try objects(laptop).subtracting(before).filter { $0.hasPrefix("log/") || $0.hasPrefix("checkpoint") }
            #expect(damage == .hole || sent.isEmpty, "\(sent)")
            #expect(before.subtracting(try objects(laptop)).isEmpty)
        }
    }

    @Test(arguments: Damage.allCases)
    func `a repair makes it whole, other devices follow, and nothing is lost`(_ damage: Damage) async throws {
        try await withDocuments { laptop, phone in
            try await phone.save("d.txt", "delta of the phone")
            try laptop.create("pending.txt", "pending")
            try await self.damage(laptop, damage)
            let report = try await laptop.synchronizer.checkUp(repairs: true)
            #expect(report.isGood, "\(report)")
            #expect(damage == .spoiledEntry || report.fault != nil)
            #expect(try await laptop.fault() == nil)
            try await laptop.push()
            // Another container is another matter: whoever has this one at the phone must say that it is meant.
            if damage == .replaced {
                #expect(try await phone.fault() == .replaced)
                #expect(try await phone.synchronizer.checkUp(repairs: true).isGood)
            } else if try await phone.fault() != nil {
                #expect(try await phone.synchronizer.followsRepair())
            }
            #expect(try await phone.fault() == nil)
            try await phone.push()
            try await laptop.pull()
            var expected = Self.texts
            expected["d.txt"] = "delta of the phone"
            expected["pending.txt"] = "pending"
            for device in [laptop, phone] {
                for (name, text) in expected { #expect(try await device.text(name) == text, "\(name) on \(device.name)") }
                if damage == .replaced || damage == .otherHistory { #expect(try await device.text("theirs.txt") == "theirs") }
                #expect(try device.pendingCount == 0)
            }
            let heads = try [laptop, phone].map { try $0.synchronizer.head() }
            #expect(heads[0]?.state == heads[1]?.state)
            // A newcomer sees what they see.
            let newcomer = try TestDevice("newcomer", store: laptop.store + "-newcomer", cloudFolder: laptop.cloudFolder)
            try newcomer.open()
            defer { newcomer.dismantle() }
            #expect(try await newcomer.fault() == nil)
            #expect(try newcomer.names() == laptop.names())
            for (name, text) in expected { #expect(try await newcomer.text(name) == text) }
        }
    }

    @Test func `what only the other device knew comes back when the log has lost it`() async throws {
        try await withDocuments { laptop, phone in
            // The laptop has not read what the phone wrote last, and that is lost.
            try phone.create("e.txt", "epsilon")
            try await phone.push()
            try await phone.save("d.txt", "delta of the phone")
            try await phone.push()
            try phone.remove("a.txt")
            try await phone.push()
            for number in 3...7 { try FileManager.default.removeItem(atPath: path(laptop, entry(Int64(number)))) }
            #expect(try await laptop.synchronizer.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.followsRepair())
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try await device.fault() == nil)
                #expect(try await device.text("d.txt") == "delta of the phone")
                #expect(try await device.text("e.txt") == "epsilon")
                #expect(!device.exists("a.txt"))
            }
            #expect(try laptop.synchronizer.head()?.state == phone.synchronizer.head()?.state)
        }
    }

    @Test func `what the other device did is not undone by what this one remembers of before`() async throws {
        try await withDocuments { laptop, phone in
            try laptop.rename("a.txt", to: "renamed.txt")
            try laptop.remove("b.txt")
            try await laptop.save("c.txt", "gamma, newer")
            try await laptop.push()
            try FileManager.default.removeItem(atPath: path(laptop, entry(2)))
            #expect(try await laptop.synchronizer.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.followsRepair())
            #expect(try phone.names() == ["c.txt", "d.txt", "renamed.txt"])
            #expect(try await phone.text("c.txt") == "gamma, newer")
            #expect(try laptop.synchronizer.head()?.state == phone.synchronizer.head()?.state)
        }
    }

    @Test func `contents that were deleted by hand are named, and sent again by a device that has them`() async throws {
        try await withDocuments { laptop, phone in
            try FileManager.default.removeItem(atPath: path(laptop, "documents"))
            let found = try await phone.synchronizer.checkUp(repairs: true)
            #expect(found.fault == nil)
            #expect(found.missing.sorted() == Self.texts.keys.sorted())
            await #expect(throws: (any Error).self) { try await phone.text("a.txt") }
            #expect(try phone.entry("a.txt").error?.contains("docfs check --repair") == true)
            let repaired = try await laptop.synchronizer.checkUp(repairs: true)
            #expect(repaired.sent == 4 && repaired.isGood)
            try await phone.pull()
            for (name, text) in Self.texts { #expect(try await phone.text(name) == text) }
        }
    }

    @Test func `a file that is not the content any more is not sent as it`() async throws {
        try await withDocuments { laptop, _ in
            try FileManager.default.removeItem(atPath: path(laptop, "documents"))
            try Data("omega".utf8).write(to: URL(filePath: try laptop.backingPath("a.txt")))
            let report = try await laptop.synchronizer.checkUp(repairs: true)
            #expect(report.missing == ["a.txt"])
            #expect(report.sent == 3)
        }
    }

    @Test func `a container that is emptied again and again is made whole each time, and others follow`() async throws {
        try await withDocuments { laptop, phone in
            for device in [laptop, phone, laptop] {
                try await damage(laptop, .emptied)
                #expect(try await device.fault() == .emptied)
                #expect(try await device.synchronizer.checkUp(repairs: true).fault != nil)
                let other = device === laptop ? phone : laptop
                #expect(try await other.fault() != nil)
                #expect(try await other.synchronizer.followsRepair())
                #expect(try await other.fault() == nil)
                #expect(try laptop.synchronizer.head() == phone.synchronizer.head())
            }
        }
    }

    @Test func `what was uploaded and not committed is sent again to a container that was emptied meanwhile`() async throws {
        try await withDocuments { laptop, phone in
            try laptop.create("e.txt", "epsilon")
            _ = try laptop.synchronizer.startUploads()
            while laptop.synchronizer.uploads.withLock(\.isBusy) {
                await laptop.library.transfers.wake.wait(atMost: .seconds(60))
            }
            try await damage(laptop, .emptied)
            #expect(try await laptop.synchronizer.checkUp(repairs: true).isGood)
            try await laptop.push()
            _ = try await phone.fault()
            #expect(try await phone.synchronizer.followsRepair())
            #expect(try await phone.text("e.txt") == "epsilon")
        }
    }

    @Test func `a version that was named by an entry that got lost is not cleaned away`() async throws {
        try await withDocuments { laptop, phone in
            try await laptop.save("a.txt", "alpha, newer")
            try await laptop.push()
            try await phone.pull()
            try FileManager.default.removeItem(atPath: path(laptop, entry(5)))
            #expect(try await phone.synchronizer.checkUp(repairs: true).isGood)
            #expect(try await laptop.fault() != nil)
            #expect(try await laptop.synchronizer.followsRepair())
            try laptop.close()
            try laptop.open()
            try await laptop.push()
            try await laptop.synchronizer.clean()
            #expect(try await laptop.synchronizer.checkUp(repairs: false).isGood)
            #expect(try await phone.text("a.txt") == "alpha, newer")
        }
    }

    @Test func `what somebody had discarded stays discarded when the log is put back to before`() async throws {
        try await withDocuments { laptop, phone in
            #expect(try await phone.text("a.txt") == "alpha")
            try await laptop.save("a.txt", "of the laptop")
            try await phone.save("a.txt", "of the phone, later")
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            let versions = try laptop.library.list(.conflicts, of: laptop.inode("a.txt"))
            try laptop.library.chooseVersion(
                Array(try #require(versions.first).name.utf8), in: .conflicts, of: laptop.inode("a.txt"), as: Array("a.txt".utf8),
                in: .cloud, options: [])
            let chosen = try await laptop.text("a.txt")
            try await laptop.push()
            try await phone.pull()
            for number in 5...7 { try FileManager.default.removeItem(atPath: path(laptop, entry(Int64(number)))) }
            #expect(try await laptop.synchronizer.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.followsRepair())
            for device in [laptop, phone] {
                #expect(try await device.text("a.txt") == chosen)
                #expect(try device.entry("a.txt").conflicts == 0)
            }
        }
    }

    @Test(arguments: ["", "{}", "{\"format\":1}"])
    func `a container that does not say any more which one it is gets its name again`(text: String) async throws {
        try await withDocuments { laptop, phone in
            try Data(text.utf8).write(to: URL(filePath: path(laptop, "container")))
            #expect(try await laptop.fault() == .unnamed)
            #expect(try await laptop.synchronizer.checkUp(repairs: true).isGood)
            for device in [laptop, phone] { #expect(try await device.fault() == nil) }
        }
    }

    @Test func `a device that has not read a spoiled entry follows the repair of it`() async throws {
        try await withDocuments { laptop, phone in
            try await laptop.save("a.txt", "alpha, newer")
            try await laptop.push()
            try Data("{".utf8).write(to: URL(filePath: path(laptop, entry(5))))
            await #expect(throws: LogError.self) { try await phone.pull() }
            #expect(try await laptop.synchronizer.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.followsRepair())
            #expect(try await phone.text("a.txt") == "alpha, newer")
        }
    }

    @Test func `an entry of a later release is left to that`() async throws {
        try await withDocuments { laptop, phone in
            try Data("{\"format\":2}\n".utf8).write(to: URL(filePath: path(laptop, entry(5))))
            await #expect(throws: LogError.self) { try await laptop.synchronizer.checkUp(repairs: true) }
            #expect(try objects(laptop).filter { $0.hasPrefix("checkpoint") }.isEmpty)
            await #expect(throws: LogError.self) { try await phone.pull() }
        }
    }

    @Test func `files that are no entries make no hole`() async throws {
        try await withDocuments { laptop, _ in
            for name in ["0000000000000002 (conflict copy)", "notes.txt", "3"] {
                try Data("x".utf8).write(to: URL(filePath: path(laptop, "log/" + name)))
            }
            #expect(try await laptop.fault() == nil)
            let positions = try await laptop.synchronizer.log.positions(after: .start, atMost: 2)
            #expect(positions == [LogPosition(1), LogPosition(2)])
        }
    }

    @Test func `entries of the container before, written to the one in its place, do not stand in the way of a repair`() async throws {
        try await withDocuments { laptop, phone in
            let strays = try (3...4).map { ($0, try Data(contentsOf: URL(filePath: path(laptop, entry(Int64($0)))))) }
            try await damage(laptop, .replaced)
            for (number, bytes) in strays { try bytes.write(to: URL(filePath: path(laptop, entry(Int64(number))))) }
            for device in [laptop, phone] {
                #expect(try await device.synchronizer.checkUp(repairs: true).isGood)
                #expect(try await device.fault() == nil)
            }
            try await laptop.push()
            for device in [laptop, phone] {
                #expect(try device.names() == ["a.txt", "b.txt", "c.txt", "d.txt", "theirs.txt"])
            }
        }
    }

    @Test func `two devices that repair at once agree`() async throws {
        try await withDocuments { laptop, phone in
            try FileManager.default.removeItem(atPath: path(laptop, entry(2)))
            async let first = laptop.synchronizer.checkUp(repairs: true)
            async let second = phone.synchronizer.checkUp(repairs: true)
            _ = try await (first, second)
            for device in [laptop, phone, laptop] where try await device.fault() != nil {
                #expect(try await device.synchronizer.followsRepair())
            }
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.synchronizer.head() == phone.synchronizer.head())
        }
    }
}
