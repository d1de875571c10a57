import Backing
import Catalog
import Documents
@testable import Library
import Testing

/// Folders that move between local and cloud with all they hold.
@Suite(.timeLimit(.minutes(15)))
struct FolderMigrationTests {
    /// The container still has the folder: it was not told of the return.
    @Test func `a folder that leaves the cloud again before its return was sent is gone from it`() async throws {
        try await withTwoDevices { laptop, phone in
            let trip = try laptop.makeFolder("Trip")
            try laptop.create("Plan.txt", "plan", in: trip)
            try laptop.create("Deep.txt", "deep", in: laptop.makeFolder("Days", in: trip))
            try await laptop.push()
            try laptop.move("Trip", from: .cloud, to: .local)
            try laptop.move("Trip", from: .local, to: .cloud)
            try laptop.move("Trip", from: .cloud, to: .local)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [])
            #expect(try laptop.names() == [])
            #expect(try await laptop.text("Plan.txt", in: trip) == "plan")
        }
    }

    /// The commit that creates it carries the time that it had before.
    @Test(arguments: Moment.allCases, [true, false])
    func `a folder keeps a time that was set when it leaves the cloud and returns`(moment: Moment, isTop: Bool)
        async throws
    {
        try await withTwoDevices { laptop, phone in
            let trip = try laptop.makeFolder("Trip")
            let days = try laptop.makeFolder("Days", in: trip)
            let inode = isTop ? trip : days
            try await laptop.reach(moment)
            try laptop.change(inode) { $0.modified = .at(Timestamp(seconds: 1000, nanoseconds: 0)) }
            try laptop.move("Trip", from: .cloud, to: .local)
            try laptop.move("Trip", from: .local, to: .cloud)
            try await laptop.push()
            #expect(try laptop.library.attributes(of: .entry(inode)).modified.seconds == 1000)
            try await phone.pull()
            let copy = try phone.inode("Trip")
            let there = try isTop ? copy : phone.inode("Days", in: copy)
            #expect(try phone.library.attributes(of: .entry(there)).modified.seconds == 1000)
        }
    }

    /// Its file is another one, so the container must be told of the removal anew.
    @Test func `a document that was saved by backup just before its folder left the cloud does not come back`()
        async throws
    {
        try await withTwoDevices { laptop, phone in
            let trip = try laptop.makeFolder("Trip")
            try laptop.create("Plan.txt", "plan", in: trip)
            try await laptop.push()
            try laptop.rename("Plan.txt", in: trip, to: "Plan.txt~", in: trip)
            try laptop.create("Plan.txt", "new plan", in: trip)
            try laptop.move("Trip", from: .cloud, to: .local)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [])
            #expect(try await laptop.text("Plan.txt", in: trip) == "new plan")
        }
    }

    @Test func `changes in a folder that this device has not seen survive in the cloud when the folder leaves it`()
        async throws
    {
        try await withTwoDevices { laptop, phone in
            let trip = try laptop.makeFolder("Trip")
            try laptop.create("Plan.txt", "plan", in: trip)
            try laptop.create("List.txt", "list", in: trip)
            try await laptop.push()
            try await phone.pull()
            try await phone.save("Plan.txt", "phone", in: phone.inode("Trip"))
            try await phone.push()
            try laptop.move("Trip", from: .cloud, to: .local)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names(in: phone.inode("Trip")) == ["Plan.txt"])
            #expect(try await phone.text("Plan.txt", in: phone.inode("Trip")) == "phone")
            #expect(try await laptop.text("Plan.txt", in: trip) == "plan")
        }
    }

    /// Its entries become scratch files there, and the container must hear of the end of each, folders and links too.
    @Test(arguments: [InodeNumber.local, .cloud], [false, true])
    func `a folder that goes into a trash folder is gone from the cloud with all it holds`(
        trash: InodeNumber, isHere: Bool
    ) async throws {
        try await withTwoDevices { laptop, phone in
            let trip = try laptop.makeFolder("Trip")
            try laptop.create("Plan.txt", "plan", in: trip)
            try laptop.makeLink("link", to: "Plan.txt", in: trip)
            try laptop.create("List.txt", "list", in: laptop.makeFolder("Days", in: trip))
            try await laptop.push()
            try await phone.pull()
            let device = isHere ? laptop : phone
            let files = try device.makeFolder("files", in: device.makeFolder(".Trash-0", in: trash))
            try device.move("Trip", from: .cloud, to: files)
            try await device.push()
            for other in [laptop, phone] {
                try await other.pull()
                #expect(try other.names().filter { $0 != ".Trash-0" } == [])
            }
            let moved = try device.inode("Trip", in: files)
            #expect(try device.names(in: moved) == ["Days", "Plan.txt", "link"])
            #expect(try await device.text("Plan.txt", in: moved) == "plan")
            #expect(try await device.text("List.txt", in: device.inode("Days", in: moved)) == "list")
        }
    }

    @Test func `documents that came with a folder have the sizes and times of their files once they are sent`()
        async throws
    {
        try await withDevice { device in
            let trip = try device.makeFolder("Trip", in: .local)
            try device.create("Plan.txt", "plan", in: trip)
            try await device.save("Plan.txt", "a longer plan", in: trip)
            let modified = try device.library.attributes(of: .entry(device.inode("Plan.txt", in: trip))).modified
            try device.move("Trip", from: .local, to: .cloud)
            try await device.push()
            let entry = try device.entry("Plan.txt", in: trip)
            #expect((entry.size, entry.modified) == (13, modified))
            #expect(entry.pending.isEmpty)
        }
    }
}
