import Documents
import Foundation
import Glibc
@testable import Library
import ObjectStore
import Replication
import Synchronization
import Testing

/// Removing contents that nothing needs (PRODUCT 5 and 6: versions are kept for 30 days, by the store's clock).
@Suite(.timeLimit(.minutes(2)))
struct CleaningTests {
    private func contents(_ device: TestDevice) async throws -> [ObjectKey] {
        try await device.cloud.list(ContentKey.folder, after: nil, limit: 1000)
    }

    /// Makes all that is in the container so old, by the store's clock.
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

    @Test func `a version goes 30 days after another took its place, the current one stays`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "one")
            try await laptop.push()
            try await laptop.save("Plan.txt", "two")
            try await laptop.push()
            try await phone.pull()
            try await age(laptop, days: 29)
            try await laptop.synchronizer.clean()
            #expect(try await contents(laptop).count == 2)
            try await age(laptop, days: 2)
            // Both at once do no harm.
            async let first: Void = laptop.synchronizer.clean()
            async let second: Void = phone.synchronizer.clean()
            _ = try await (first, second)
            #expect(try await contents(laptop).count == 1)
            #expect(try await phone.text("Plan.txt") == "two")
        }
    }

    @Test func `what is current stays however old it is`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            try await device.push()
            try await age(device, days: 4000)
            try await device.synchronizer.clean()
            #expect(try await contents(device).count == 1)
        }
    }

    @Test func `what a deleted document was goes 30 days after the deletion`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            try await device.push()
            try await age(device, days: 100)
            try device.remove("Plan.txt")
            try await device.push()
            try await device.synchronizer.clean()
            #expect(try await contents(device).count == 1)
            try await age(device, days: 31)
            try await device.synchronizer.clean()
            #expect(try await contents(device).isEmpty)
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
            try await laptop.synchronizer.clean()
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
            _ = try phone.synchronizer.startUploads()
            while phone.synchronizer.uploads.withLock(\.isBusy) {
                await phone.library.transfers.wake.wait(atMost: .seconds(60))
            }
            try #require(try await contents(laptop).count == 5)
            for device in [phone, laptop] {
                try await device.synchronizer.clean()
                device.advance(days: 1)
                try await device.synchronizer.clean()
            }
            #expect(try await contents(laptop).count == 5)
            try await phone.push()
            try await laptop.pull()
            #expect(try await laptop.text("Not yet named.txt") == "plan")
            #expect(try await contents(laptop).count == 5)
        }
    }

    @Test func `what was uploaded is not sent again, however many days the rest takes`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "plan")
            _ = try laptop.synchronizer.startUploads()
            while laptop.synchronizer.uploads.withLock(\.isBusy) {
                await laptop.library.transfers.wake.wait(atMost: .seconds(60))
            }
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

    @Test func `what this device uploaded and will never name goes at once`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "one")
            _ = try device.synchronizer.startUploads()
            while device.synchronizer.uploads.withLock(\.isBusy) {
                await device.library.transfers.wake.wait(atMost: .seconds(60))
            }
            try await device.save("Plan.txt", "two")
            try await device.push()
            try #require(try await contents(device).count == 2)
            try await device.synchronizer.clean()
            #expect(try await contents(device).count == 1)
            #expect(try await device.text("Plan.txt") == "two")
        }
    }

    @Test func `a copy of a store removes nothing that its original has uploaded`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "one")
            _ = try laptop.synchronizer.startUploads()
            while laptop.synchronizer.uploads.withLock(\.isBusy) {
                await laptop.library.transfers.wake.wait(atMost: .seconds(60))
            }
            try laptop.close()
            try phone.close()
            try FileManager.default.removeItem(atPath: phone.store)
            try FileManager.default.copyItem(atPath: laptop.store, toPath: phone.store)
            try phone.open()
            try laptop.open()
            // Changed in the copy, so that its upload would be of no use to it.
            try await phone.save("Plan.txt", "another")
            try await phone.push()
            try await phone.synchronizer.clean()
            try await laptop.push()
            let present = Set(try await contents(laptop).compactMap { ContentKey($0)?.version })
            for change in try await laptop.commits.flatMap(\.changes) {
                if case .create(let entry) = change { #expect(present.isSuperset(of: entry.versions?.heads.map(\.id) ?? [])) }
                if case .save(_, let version) = change { #expect(present.contains(version.id)) }
            }
        }
    }

    @Test func `objects that nobody knows are left alone`() async throws {
        try await withDevice { device in
            let foreign = try #require(ObjectKey("documents/notes.txt"))
            let unknown = try #require(ObjectKey(["documents", "\(EntryID.random())", "\(VersionID.random())", "a.txt"]))
            for key in [foreign, unknown] { _ = try await device.cloud.putIfAbsent(key, [1]) }
            try device.create("Plan.txt", "plan")
            try await device.push()
            try await age(device, days: 400)
            try await device.synchronizer.clean()
            #expect(try await contents(device).count == 3)
        }
    }
}
