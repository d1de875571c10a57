import Backing
import Catalog
import Documents
@testable import Library
import Testing

/// A save has a time of modification, which all devices show.
@Suite(.timeLimit(.minutes(15)))
struct SavedTimeTests {
    enum Save: CaseIterable { case overwriting, truncating }

    private static func modified(_ name: String, on device: TestDevice) throws -> Timestamp {
        try device.library.attributes(of: .entry(device.inode(name))).modified
    }

    @Test(arguments: Save.allCases)
    func `a save of the same content keeps its time, here and on other devices`(save: Save) async throws {
        try await withPlanOnTwoDevices { laptop, phone, plan in
            try laptop.setModified("Plan.txt", seconds: 1000)
            try await laptop.push()
            switch save {
            case .overwriting: try await laptop.save("Plan.txt", laptop.text("Plan.txt"))
            case .truncating: try laptop.change(laptop.inode("Plan.txt")) { $0.size = plan.size }
            }
            let modified = try Self.modified("Plan.txt", on: laptop)
            #expect(modified.seconds > 1000)
            try await laptop.push()
            #expect(try await laptop.savesInLog == 0)
            // What the container says of the document is taken over here, too.
            try laptop.rename("Plan.txt", to: "Letter.txt")
            try await laptop.push()
            #expect(try Self.modified("Letter.txt", on: laptop) == modified)
            try await phone.pull()
            #expect(try Self.modified("Letter.txt", on: phone) == modified)
        }
    }

    /// A change of the name while the commit is on its way has the content looked at once more.
    @Test func `a time that another device sets while a save is being sent holds`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try await laptop.save("Plan.txt", "laptop")
            try await laptop.upload()
            laptop.cloud.setLog(.losesReply)
            _ = try? await laptop.work()
            try laptop.rename("Plan.txt", to: "Letter.txt")
            laptop.cloud.setLog(.works)
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "laptop")
            try phone.setModified("Plan.txt", seconds: 1000)
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.entry("Letter.txt").pending.contains(.content))
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] { #expect(try Self.modified("Letter.txt", on: device).seconds == 1000) }
        }
    }

    @Test func `a document that another device changed and removed while it was saved here has the time of the save`()
        async throws
    {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try await laptop.save("Plan.txt", "laptop")
            let modified = try Self.modified("Plan.txt", on: laptop)
            try await laptop.upload()
            try await phone.save("Plan.txt", "phone")
            try await phone.push()
            try phone.remove("Plan.txt")
            try await phone.push()
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.entry("Plan.txt").modified == modified)
                #expect(try Self.modified("Plan.txt", on: device) == modified)
            }
        }
    }
}
