import Documents
import Glibc
@testable import Library
import ObjectStore
import Replication
import Synchronization
import Testing

/// Removing contents that nothing needs (PRODUCT 6: versions are kept for 30 days).
@Suite(.timeLimit(.minutes(2)))
struct CleaningTests {
    private func contents(_ device: TestDevice) async throws -> [ObjectKey] {
        try await device.cloud.list(ContentKey.folder, after: nil, limit: 100)
    }

    /// Makes all objects that are there as old as can be.
    private func age(_ device: TestDevice) async throws {
        for key in try await contents(device) {
            let times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: 0)]
            utimensat(AT_FDCWD, device.cloudFolder + "/" + key.description, times, 0)
        }
    }

    @Test func `old versions go after 30 days, the current one and what is new stay`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "one")
            try await laptop.push()
            try await laptop.save("Plan.txt", "two")
            try await laptop.push()
            try await age(laptop)
            try await laptop.synchronizer.clean()
            #expect(try await contents(laptop).count == 2)
            laptop.advance(days: 31)
            try laptop.create("New.txt", "new")
            try await laptop.push()
            // Both at once do no harm.
            try await phone.pull()
            phone.advance(days: 31)
            async let first: Void = laptop.synchronizer.clean()
            async let second: Void = phone.synchronizer.clean()
            _ = try await (first, second)
            #expect(try await contents(laptop).count == 2)
            #expect(try await phone.text("Plan.txt") == "two")
            #expect(try await phone.text("New.txt") == "new")
        }
    }

    @Test func `what was uploaded and not named in a day is uploaded anew before it is named`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "plan")
            _ = try laptop.synchronizer.startUploads()
            while laptop.synchronizer.uploads.withLock(\.isBusy) {
                await laptop.library.transfers.wake.wait(atMost: .seconds(60))
            }
            let abandoned = try await contents(laptop)
            try #require(abandoned.count == 1)
            laptop.advance(days: 40)
            // As another device would find it meanwhile.
            try await laptop.cloud.delete(abandoned[0])
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "plan")
        }
    }

    @Test func `objects that are none of ours are left alone`() async throws {
        try await withDevice { device in
            let foreign = try #require(ObjectKey("documents/notes.txt"))
            _ = try await device.cloud.putIfAbsent(foreign, [1])
            try await age(device)
            device.advance(days: 400)
            try await device.synchronizer.clean()
            #expect(try await contents(device) == [foreign])
        }
    }
}
