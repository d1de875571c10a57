import Backing
import Catalog
import Documents
import Testing

@testable import CloudSynchronization
@testable import Library

/// The clock of a device that jumps.
@Suite(.timeLimit(.minutes(15)))
struct ClockTests {
    @Test(arguments: [400, -400, 20_000, -20_000])
    func `what is done while the clock is wrong is there on each device, as it was done last`(days: Int) async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Before.txt", "before")
            try laptop.create("Deleted.txt", "deleted")
            try await laptop.push()
            try await phone.pull()

            laptop.advance(days: days)
            try await laptop.save("Before.txt", "while it was wrong")
            try laptop.create("Meanwhile.txt", "meanwhile")
            try laptop.remove("Deleted.txt")
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Before.txt") == "while it was wrong")
            // One device's clock cleans nothing of the other's.
            try await laptop.synchronizer.cleaner.clean()

            laptop.advance(days: -days)
            try await laptop.save("Before.txt", "after")
            try laptop.rename("Meanwhile.txt", to: "Later.txt")
            try await phone.save("Meanwhile.txt", "of the phone")
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try await device.text("Before.txt") == "after")
                #expect(try await device.text("Later.txt") == "of the phone")
                #expect(!device.exists("Deleted.txt"))
                #expect(try device.entry("Before.txt").conflicts == 0)
            }
        }
    }

    @Test(arguments: [400, -400]) func `what was removed while the clock is wrong comes back`(days: Int) async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            try device.create("Plan.txt", "cloud plan")
            try await device.push()
            device.advance(days: days)
            for folder in [InodeNumber.local, .cloud] { try device.remove("Plan.txt", in: folder) }
            try await device.push()
            device.advance(days: -days)
            device.library.store.tidy()
            try await device.synchronizer.cleaner.clean()
            while !device.exists("Plan.txt", in: .local) || !device.exists("Plan.txt") {
                try device.library.perform(.undo)
            }
            #expect(try await device.text("Plan.txt", in: .local) == "plan")
            #expect(try await device.text("Plan.txt") == "cloud plan")
        }
    }
}
