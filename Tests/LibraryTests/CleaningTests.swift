import Backing
import Catalog
import Documents
import Foundation
import Glibc
@testable import CloudSynchronization
@testable import Library
@testable import Replica
import ObjectStore
import Replication
import Synchronization
import TestSupport
import Testing

/// Removing contents that no version needs: versions are kept for 30 days, by the store's clock (`Semantics`, "Versions").
@Suite(.timeLimit(.minutes(15)))
struct CleaningTests {
    private func contents(_ device: TestDevice) async throws -> [ObjectKey] {
        try await device.cloud.list(ContentKey.folder, after: nil, limit: 1000)
    }

    /// The container has the content of every version that is current or in conflict.
    private func expectNeededContents(_ device: TestDevice) async throws {
        let report = try await device.synchronizer.checkup.checkUp(repairs: false)
        #expect(report.isGood, "\(report)")
    }

    /// Makes all objects of the container `days` older, by the store's clock.
    private func age(_ device: TestDevice, days: Int) async throws {
        for folder in [ContentKey.folder, ReplicatedLog.folder] {
            for key in try await device.cloud.list(folder, after: nil, limit: 1000) {
                let path = device.cloudFolder + "/" + key.description
                let old = try await device.cloud.modified(key).nanoseconds / 1_000_000_000 - Int64(days) * 86_400
                let times = [timespec(tv_sec: Int(old), tv_nsec: 0), timespec(tv_sec: Int(old), tv_nsec: 0)]
                #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
            }
        }
    }

    @Test func `a version is removed 30 days after another replaced it, the current one stays`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "one")
            try await laptop.push()
            try await laptop.save("Plan.txt", "two")
            try await laptop.push()
            try await phone.pull()
            try await age(laptop, days: 29)
            try await laptop.synchronizer.cleaner.clean()
            #expect(try await contents(laptop).count == 2)
            try await age(laptop, days: 2)
            // Both at once do no harm.
            async let first: Void = laptop.synchronizer.cleaner.clean()
            async let second: Void = phone.synchronizer.cleaner.clean()
            _ = try await (first, second)
            #expect(try await contents(laptop).count == 1)
            #expect(try await phone.text("Plan.txt") == "two")
        }
    }

    /// The entry that tells when the version was replaced is gone: it would never be known to be long ago.
    @Test func `after a repair the 30 days count from the new log`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            try await device.push()
            try await device.save("Plan.txt", "two")
            try await device.push()
            try FileManager.default.removeItem(atPath: "\(device.cloudFolder)/\(try device.position.key)")
            #expect(try await device.synchronizer.checkup.checkUp(repairs: true).isGood)
            try device.rename("Plan.txt", to: "Trip.txt")
            try await device.push()
            try await age(device, days: 31)
            try await device.synchronizer.cleaner.clean()
            #expect(try await contents(device).count == 1)
            #expect(try await device.text("Trip.txt") == "two")
        }
    }

    @Test func `the current version stays however old it is`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            try await device.push()
            try await age(device, days: 4000)
            try await device.synchronizer.cleaner.clean()
            #expect(try await contents(device).count == 1)
        }
    }

    @Test func `the versions of a deleted document are removed 30 days after the deletion`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            try await device.push()
            try await age(device, days: 100)
            try device.remove("Plan.txt")
            try await device.push()
            try await device.synchronizer.cleaner.clean()
            #expect(try await contents(device).count == 1)
            try await age(device, days: 31)
            try await device.synchronizer.cleaner.clean()
            #expect(try await contents(device).isEmpty)
        }
    }

    @Test func `a content that is needed again when it is about to be removed stays`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            try await device.push()
            let version = try #require(try device.entry("Plan.txt").contentVersion)
            try device.remove("Plan.txt")
            try await device.push()
            try await age(device, days: 31)
            device.cloud.beforeNextTime { [library = device.library] in
                do { try library.store.catalog.write { try $0.forgetDepartedContent(version) } } catch {
                    Issue.record(error)
                }
            }
            try await device.synchronizer.cleaner.clean()
            #expect(try await contents(device).count == 1)
        }
    }

    @Test func `versions of an heir that was deleted and comes back are needed again`() async throws {
        try await withDevice { device in
            for name in ["F.txt", "G.txt"] { try device.create(name, name) }
            try await device.push()
            let head = try #require(try device.synchronizer.container.head())
            let (source, heir) = (
                try #require(try device.entry("F.txt").id), try #require(try device.entry("G.txt").id)
            )
            let had = try #require(try device.entry("G.txt").contentVersion)
            let other = DocumentVersion(
                id: .random(), base: nil, device: .random(), deviceName: "phone", filename: "F.txt", size: 1,
                sha256: String(repeating: "0", count: 64), modified: Timestamp(nanoseconds: 1))
            let catalog = device.library.store.catalog
            func applyChange(_ change: Change) throws {
                var draft = ReplicaDraft(catalog, state: head.state)
                _ = try apply(
                    Commit(
                        id: .random(), device: .random(), deviceName: "phone", time: Timestamp(nanoseconds: 1),
                        changes: [change]),
                    to: &draft)
                let update = try draft.update()
                try catalog.write { try update.write(at: head.position.next, $0) }
            }
            try applyChange(.save(source, other))
            try applyChange(.delete(heir, seen: [had]))
            #expect(try catalog.read { try $0.isDeparted(had) })
            try applyChange(.bequeath(source, to: heir, versions: [other.id]))
            #expect(try !catalog.read { try $0.isDeparted(had) })
        }
    }

    @Test func `a version that passed to another document is removed from the key under which it was made`()
        async throws
    {
        try await withConflictOnTwoDevices { laptop, phone in
            try phone.rename("F.txt", to: "G.txt")
            try await phone.push()
            try await age(phone, days: 31)
            try await phone.synchronizer.cleaner.clean()
            try await expectNeededContents(phone)
            #expect(try await contents(phone).count == 2)
            try phone.library.removeFolder(Array("G.txt.conflicts".utf8), in: .cloud)
            try await phone.push()
            try await age(phone, days: 31)
            try await phone.synchronizer.cleaner.clean()
            try await expectNeededContents(phone)
            #expect(try await contents(phone).count == 1)
        }
    }

    @Test func `a removed version is no earlier version any more, whatever is saved later`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            try await device.push()
            try await device.save("Plan.txt", "two")
            try await device.push()
            try await age(device, days: 31)
            try await device.synchronizer.cleaner.clean()
            #expect(try device.library.list(.history, of: device.inode("Plan.txt")).isEmpty)
            try await device.save("Plan.txt", "three")
            try await device.push()
            #expect(try device.library.list(.history, of: device.inode("Plan.txt")).count == 1)
        }
    }

    @Test func `a version that was replaced before a repair of the container is removed as well`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            try await device.push()
            try await device.save("Plan.txt", "two")
            try await device.push()
            try FileManager.default.removeItem(atPath: device.cloudFolder + "/" + LogPosition(1).key.description)
            #expect(try await device.synchronizer.checkup.checkUp(repairs: true).isGood)
            try await device.synchronizer.cleaner.clean()
            #expect(try await contents(device).count == 2)
            try device.create("More.txt", "more")
            try await device.push()
            try await age(device, days: 31)
            try await device.synchronizer.cleaner.clean()
            #expect(try await contents(device).count == 2)
            try await expectNeededContents(device)
        }
    }

    @Test func `a device that began with a checkpoint cleans up as well`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "one")
            try await laptop.push()
            try await laptop.save("Plan.txt", "two")
            try await laptop.push()
            let head = try #require(try laptop.synchronizer.container.head())
            try await laptop.synchronizer.checkpointWriter.write(
                CheckpointSnapshot(of: laptop.library.store.catalog, in: laptop.library.store.files), at: head)
            try await phone.pull()
            #expect(try phone.synchronizer.container.head()?.readFrom == head.position)
            try await phone.synchronizer.cleaner.clean()
            #expect(try await contents(phone).count == 2)
            // A new device cannot know when the version was replaced: the next commit counts.
            try laptop.create("More.txt", "more")
            try await laptop.push()
            try await age(phone, days: 31)
            try await phone.pull()
            try await phone.synchronizer.cleaner.clean()
            #expect(try await contents(phone).count == 2)
            #expect(try await phone.text("Plan.txt") == "two")
        }
    }

    @Test func `a version that came back from being deleted stays`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "one")
            try await laptop.push()
            try await phone.pull()
            try laptop.remove("Plan.txt")
            try await laptop.push()
            // The phone did not know of the deletion.
            try await phone.save("Plan.txt", "edited")
            try await phone.push()
            try await laptop.pull()
            try await age(laptop, days: 31)
            try await laptop.synchronizer.cleaner.clean()
            #expect(try await laptop.text("Plan.txt") == "edited")
            #expect(try await contents(laptop).count == 1)
        }
    }

    @Test(arguments: [40, 14 * 365, -60, -14 * 365])
    func `a device with a wrong clock destroys nothing`(days: Int) async throws {
        try await withTwoDevices { laptop, phone in
            phone.advance(days: days)
            for device in [laptop, phone] {
                try device.create("Plan of \(device.name).txt", "one")
                try await device.push()
                try await device.save("Plan of \(device.name).txt", "two")
                try await device.push()
            }
            try await laptop.pull()
            try phone.create("Not yet named.txt", "plan")
            try await phone.upload()
            try #require(try await contents(laptop).count == 5)
            for device in [phone, laptop] {
                try await device.synchronizer.cleaner.clean()
                device.advance(days: 1)
                try await device.synchronizer.cleaner.clean()
            }
            #expect(try await contents(laptop).count == 5)
            try await phone.push()
            try await laptop.pull()
            #expect(try await laptop.text("Not yet named.txt") == "plan")
            #expect(try await contents(laptop).count == 5)
        }
    }

    @Test func `an uploaded content is not sent again, however many days the rest takes`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "plan")
            try await laptop.upload()
            let uploaded = try await contents(laptop)
            try #require(uploaded.count == 1)
            laptop.advance(days: 40)
            try laptop.crash()
            try laptop.open()
            try await laptop.push()
            #expect(try await contents(laptop) == uploaded)
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "plan")
        }
    }

    @Test func `a content that this device uploaded and will never name is removed at once`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            try await device.upload()
            try await device.save("Plan.txt", "two")
            try await device.push()
            try #require(try await contents(device).count == 2)
            try await device.synchronizer.cleaner.clean()
            #expect(try await contents(device).count == 1)
            #expect(try await device.text("Plan.txt") == "two")
        }
    }

    @Test(arguments: [false, true])
    func `contents of a commit whose reply was lost stay, though this device has saved anew`(isRead: Bool) async throws
    {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            try await device.push()
            try await device.save("Plan.txt", "two")
            try await device.upload()
            device.cloud.setLog(.losesReply)
            await #expect(throws: LogError.self) { try await device.synchronizer.sender.sendPending() }
            device.cloud.setLog(.works)
            try await device.save("Plan.txt", "three")
            try await device.upload()
            if isRead { try await device.pull() }
            try await device.synchronizer.cleaner.clean()
            // The save that was made from "one" is looked at anew now that "two" is known.
            try await device.pull()
            _ = try await device.synchronizer.sender.sendPending()
            try await device.push()
            try await device.synchronizer.cleaner.clean()
            #expect(try await contents(device).count == 3)
            #expect(try await device.savesInLog == 2)
        }
    }

    @Test func `a content whose upload succeeded without an answer is removed`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            device.cloud.loseNextUpload()
            try await device.upload()
            try #require(try await contents(device).count == 1)
            device.wait(seconds: 60)
            try await device.push()
            try #require(try await contents(device).count == 2)
            try await device.synchronizer.cleaner.clean()
            #expect(try await contents(device).count == 1)
            try await expectNeededContents(device)
        }
    }

    @Test func `a content that was being uploaded when the process was killed is removed`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            device.cloud.afterNextUpload { [library = device.library] in
                // The upload succeeds and the process dies before it learns of it.
                do { try library.store.catalog.abandon() } catch { Issue.record(error) }
            }
            try await device.upload()
            try device.crash()
            try #require(try await contents(device).count == 1)
            try device.open()
            try await device.save("Plan.txt", "two")
            try await device.push()
            try await device.synchronizer.cleaner.clean()
            #expect(try await contents(device).count == 1)
            try await expectNeededContents(device)
        }
    }

    @Test func `a copy of a store removes nothing that its original has uploaded`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "one")
            try await laptop.upload()
            try laptop.close()
            try phone.close()
            try FileManager.default.removeItem(atPath: phone.store)
            try FileManager.default.copyItem(atPath: laptop.store, toPath: phone.store)
            try phone.open()
            try laptop.open()
            // Changed in the copy, which thus has no use for the upload.
            try await phone.save("Plan.txt", "another")
            try await phone.push()
            try await phone.synchronizer.cleaner.clean()
            try await laptop.push()
            let present = Set(try await contents(laptop).compactMap { ContentKey($0)?.version })
            for change in try await laptop.commits.flatMap(\.changes) {
                if case .create(let entry) = change {
                    #expect(present.isSuperset(of: entry.versions?.leaves.map(\.id) ?? []))
                }
                if case .save(_, let version) = change { #expect(present.contains(version.id)) }
            }
        }
    }

    @Test func `unknown objects are left alone`() async throws {
        try await withDevice { device in
            let foreign = try #require(ObjectKey("documents/notes.txt"))
            let unknown = try #require(
                ObjectKey(["documents", "\(EntryID.random())", "\(VersionID.random())", "a.txt"]))
            for key in [foreign, unknown] { _ = try await device.cloud.putIfAbsent(key, [1]) }
            try device.create("Plan.txt", "plan")
            try await device.push()
            try await age(device, days: 400)
            try await device.synchronizer.cleaner.clean()
            #expect(try await contents(device).count == 3)
        }
    }
}
