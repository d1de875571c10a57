import Backing
import Catalog
import Documents
@testable import CloudSynchronization
@testable import Library
import ObjectStore
import Replication
import TestSupport
import Testing

/// Names of folders that are on their way out of the cloud, or to another folder, and that others get meanwhile.
@Suite(.timeLimit(.minutes(15)))
struct LeavingNamesTests {
    /// What gets the name of the folder.
    enum Follower: CaseIterable, Sendable { case folder, folderOfLocal, renamedFolder, link, document }

    /// How the folder leaves.
    enum Departure: CaseIterable, Sendable {
        case toLocal, toTrash

        func carryOut(on phone: TestDevice) throws {
            switch self {
            case .toLocal: try phone.move("Trip", from: .cloud, to: .local)
            case .toTrash:
                let trash = try phone.makeFolder(".Trash-0", in: .local)
                try phone.move("Trip", from: .cloud, to: phone.makeFolder("files", in: trash))
            }
        }
    }

    /// Two devices with a folder `Trip` in the cloud, of which the phone does not have the contents.
    private static func withTrip(
        _ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void
    ) async throws {
        try await withTwoDevices { laptop, phone in
            let trip = try laptop.makeFolder("Trip")
            try laptop.create("Plan.txt", "plan", in: trip)
            try laptop.create("List.txt", "list", in: laptop.makeFolder("Days", in: trip))
            try await laptop.push()
            try await phone.pull()
            // A placeholder of long ago.
            phone.advance(seconds: 10_000)
            try await body(laptop, phone)
        }
    }

    /// Moves an entry out of the cloud, whose contents do not come before the store is released.
    private static func sendAway(_ name: String, from phone: TestDevice) async throws {
        phone.cloud.hold()
        try phone.move(name, from: .cloud, to: .local)
        try await phone.work()
        await phone.cloud.waitUntilHolding()
    }

    /// Lets the contents come, and has both devices at rest.
    private static func release(_ phone: TestDevice, seenBy laptop: TestDevice) async throws {
        phone.cloud.release()
        try await phone.push()
        try await laptop.pull()
    }

    @Test(arguments: Follower.allCases, Departure.allCases)
    func `what gets the name of a folder that is leaving keeps that name`(_ follower: Follower, _ departure: Departure)
        async throws
    {
        try await Self.withTrip { laptop, phone in
            phone.cloud.hold()
            if follower == .renamedFolder {
                try phone.makeFolder("Other")
                try await phone.work()
            }
            try departure.carryOut(on: phone)
            try await phone.work()
            await phone.cloud.waitUntilHolding()
            switch follower {
            case .folder: try phone.makeFolder("Day", in: phone.makeFolder("Trip"))
            case .folderOfLocal:
                try phone.makeFolder("Day", in: phone.makeFolder("Trip", in: phone.makeFolder("Box", in: .local)))
                try phone.move("Trip", from: phone.inode("Box", in: .local), to: .cloud)
            case .renamedFolder:
                try phone.rename("Other", to: "Trip")
                try phone.makeFolder("Day", in: phone.inode("Trip"))
            case .link: try phone.makeLink("Trip", to: "elsewhere")
            case .document: try phone.create("Trip", "text")
            }
            try await phone.work()
            try await laptop.pull()
            let early = try laptop.names()
            #expect(early == (follower == .renamedFolder ? ["Other", "Trip"] : ["Trip"]))
            #expect(try laptop.names(in: laptop.inode("Trip")) == ["Days", "Plan.txt"])
            try await Self.release(phone, seenBy: laptop)
            for device in [laptop, phone] {
                #expect(try device.names() == ["Trip"])
                if try device.entry("Trip").kind == .folder {
                    #expect(try device.names(in: device.inode("Trip")) == ["Day"])
                }
            }
        }
    }

    @Test func `what waits for a name that does not become free goes under another one, with all in it`() async throws {
        try await Self.withTrip { laptop, phone in
            phone.cloud.release(failing: .unreachable("the content does not come"))
            try phone.move("Trip", from: .cloud, to: .local)
            let trip = try phone.makeFolder("Trip")
            try phone.create("New.txt", "new", in: trip)
            func send() async throws -> [String] {
                try await phone.upload()
                _ = try await phone.synchronizer.sender.sendPending()
                try await laptop.pull()
                return try laptop.names()
            }
            #expect(try await send() == ["Trip"])
            // Time in which no commit could be made does not count.
            phone.advance(seconds: 5000)
            for _ in 1...9 {
                #expect(try await send() == ["Trip"])
                phone.advance(seconds: 60)
            }
            #expect(try await send() == ["Trip"])
            phone.advance(seconds: 60)
            #expect(try await send() == ["Trip", "Trip (phone)"])
            #expect(try await laptop.text("New.txt", in: laptop.inode("Trip (phone)")) == "new")
        }
    }

    @Test func `each name is waited for anew`() async throws {
        try await Self.withTrip { laptop, phone in
            let other = try laptop.makeFolder("Other")
            try laptop.create("Plan.txt", "other plan", in: other)
            try await laptop.push()
            try await phone.pull()
            for name in ["Trip", "Other"] {
                try await Self.sendAway(name, from: phone)
                if name == "Trip" { try phone.makeFolder(name) } else { try phone.rename("Trip", to: name) }
                try await phone.work()
                for _ in 1...6 {
                    phone.advance(seconds: 60)
                    try await phone.work()
                }
                try await laptop.pull()
                #expect(try laptop.names() == ["Other", "Trip"])
                phone.cloud.release()
                try await phone.push()
            }
            try await laptop.pull()
            #expect(try laptop.names() == ["Other"])
        }
    }

    @Test func `a wait for another name begins anew`() async throws {
        try await Self.withTrip { laptop, phone in
            try laptop.create("Plan.txt", "other plan", in: laptop.makeFolder("Other"))
            try await laptop.push()
            try await phone.pull()
            phone.cloud.release(failing: .unreachable("the content does not come"))
            try phone.move("Trip", from: .cloud, to: .local)
            try phone.makeFolder("Trip")
            func expectNoOther(for minutes: Int) async throws {
                for _ in 1...minutes {
                    _ = try await phone.synchronizer.sender.sendPending()
                    try await laptop.pull()
                    #expect(try laptop.names() == ["Other", "Trip"])
                    phone.advance(seconds: 60)
                }
            }
            try await expectNoOther(for: 9)
            try phone.move("Other", from: .cloud, to: .local)
            try phone.rename("Trip", to: "Other")
            try await expectNoOther(for: 9)
        }
    }

    @Test func `a wait for the same name begins anew after another name in between`() async throws {
        try await Self.withTrip { laptop, phone in
            phone.cloud.release(failing: .unreachable("the content does not come"))
            try phone.move("Trip", from: .cloud, to: .local)
            let folder = try phone.makeFolder("Trip")
            func expect(_ names: [String], for minutes: Int) async throws {
                for _ in 1...minutes {
                    _ = try await phone.synchronizer.sender.sendPending()
                    try await laptop.pull()
                    #expect(try laptop.names() == names)
                    phone.advance(seconds: 60)
                }
            }
            try await expect(["Trip"], for: 9)
            try phone.rename("Trip", to: "Elsewhere")
            try await expect(["Elsewhere", "Trip"], for: 2)
            try phone.rename("Elsewhere", to: "Trip")
            try await expect(["Elsewhere", "Trip"], for: 9)
            #expect(try phone.inode("Trip") == folder)
        }
    }

    /// The second name is not free either, while what has it waits for the first.
    @Test func `documents that get each other's names wait for the first of these`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in ["Plan.txt", "Notes.txt"] { try laptop.create(name, "old " + name) }
            try await laptop.push()
            try await phone.pull()
            phone.advance(seconds: 10_000)
            try await Self.sendAway("Plan.txt", from: phone)
            try phone.rename("Notes.txt", to: "Plan.txt")
            phone.advance(seconds: 20)
            try phone.create("Notes.txt", "new")
            try await phone.work()
            try await laptop.pull()
            #expect(try laptop.names() == ["Notes.txt", "Plan.txt"])
            try await Self.release(phone, seenBy: laptop)
            for device in [laptop, phone] {
                #expect(try device.names() == ["Notes.txt", "Plan.txt"])
                #expect(try await device.text("Plan.txt") == "old Notes.txt")
                #expect(try await device.text("Notes.txt") == "new")
            }
        }
    }

    @Test func `what is saved in a document that waits for its name goes at once`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in ["Plan.txt", "Notes.txt"] { try laptop.create(name, "old " + name) }
            try await laptop.push()
            try await phone.pull()
            phone.cloud.release(failing: .unreachable("the content does not come"))
            try phone.move("Plan.txt", from: .cloud, to: .local)
            try phone.rename("Notes.txt", to: "Plan.txt")
            try await phone.save("Plan.txt", "newer")
            try await phone.upload()
            _ = try await phone.synchronizer.sender.sendPending()
            try await laptop.pull()
            #expect(try laptop.names() == ["Notes.txt", "Plan.txt"])
            #expect(try await laptop.text("Notes.txt") == "newer")
            try await Self.release(phone, seenBy: laptop)
            for device in [laptop, phone] {
                #expect(try device.names() == ["Plan.txt"])
                #expect(try await device.text("Plan.txt") == "newer")
            }
        }
    }

    @Test func `a document that goes into a folder which waits for its name arrives there`() async throws {
        try await Self.withTrip { laptop, phone in
            try phone.create("Note.txt", "note")
            let album = try phone.makeFolder("Album")
            try phone.makeFolder("Summer", in: album)
            try await phone.push()
            try await Self.sendAway("Trip", from: phone)
            let trip = try phone.makeFolder("Trip")
            try phone.move("Note.txt", from: .cloud, to: trip)
            try phone.move("Album", from: .cloud, to: trip)
            try phone.makeFolder("Winter", in: album)
            try await phone.work()
            try await laptop.pull()
            // These have what they had, and what is made in a folder that is known already comes at once.
            #expect(try laptop.names() == ["Album", "Note.txt", "Trip"])
            #expect(try laptop.names(in: laptop.inode("Album")) == ["Summer", "Winter"])
            try await Self.release(phone, seenBy: laptop)
            for device in [laptop, phone] {
                #expect(try device.names() == ["Trip"])
                let trip = try device.inode("Trip")
                #expect(try device.names(in: trip) == ["Album", "Note.txt"])
                #expect(try device.names(in: device.inode("Album", in: trip)) == ["Summer", "Winter"])
            }
        }
    }

    /// Until the inner folder is out, the container would refuse the move.
    @Test func `a folder goes into one that lay in it, and that waits`() async throws {
        try await Self.withTrip { laptop, phone in
            let outer = try phone.makeFolder("Outer")
            let inner = try phone.makeFolder("Inner", in: outer)
            try phone.makeFolder("Rest", in: outer)
            try await phone.push()
            try await Self.sendAway("Trip", from: phone)
            // It waits for the name, so what goes into it must wait, too.
            let trip = try phone.makeFolder("Trip")
            try phone.move("Inner", from: outer, to: trip)
            try phone.move("Outer", from: .cloud, to: inner)
            try await phone.work()
            try await Self.release(phone, seenBy: laptop)
            for device in [laptop, phone] {
                #expect(try device.names() == ["Trip"])
                let inner = try device.inode("Inner", in: device.inode("Trip"))
                #expect(try device.names(in: inner) == ["Outer"])
                #expect(try device.names(in: device.inode("Outer", in: inner)) == ["Rest"])
            }
        }
    }

    @Test func `a new folder gets the name of one of which thousands of entries are deleted`() async throws {
        try await withTwoDevices { laptop, phone in
            let big = try laptop.makeFolder("Big")
            let count = 2 * CommitLimit.usual.entries + 10
            for number in 1...count { try laptop.create("\(number)", in: big) }
            try await laptop.push()
            try await phone.pull()
            let before = try await laptop.commits.count
            for number in 1...count { try laptop.remove("\(number)", in: big) }
            try laptop.library.removeFolder(Array("Big".utf8), in: .cloud)
            try laptop.makeFolder("New", in: laptop.makeFolder("Big"))
            try await laptop.push()
            // No request is answered while a commit is made.
            for commit in try await laptop.commits.dropFirst(before) {
                #expect(commit.changes.count <= CommitLimit.usual.entries + 8)
            }
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["Big"])
                #expect(try device.names(in: device.inode("Big")) == ["New"])
            }
        }
    }

    /// The container would keep the old folder, since it has the document in it still.
    @Test func `a folder from which a placeholder is leaving is deleted when that is gone`() async throws {
        try await Self.withTrip { laptop, phone in
            try laptop.remove("List.txt", in: laptop.inode("Days", in: laptop.inode("Trip")))
            try laptop.library.removeFolder(Array("Days".utf8), in: laptop.inode("Trip"))
            try await laptop.push()
            try await phone.pull()
            phone.cloud.hold()
            try phone.move("Plan.txt", from: phone.inode("Trip"), to: .local)
            try phone.library.removeFolder(Array("Trip".utf8), in: .cloud)
            try phone.makeFolder("New", in: phone.makeFolder("Trip"))
            try await phone.work()
            await phone.cloud.waitUntilHolding()
            try await phone.work()
            try await Self.release(phone, seenBy: laptop)
            for device in [laptop, phone] {
                #expect(try device.names() == ["Trip"])
                #expect(try device.names(in: device.inode("Trip")) == ["New"])
            }
            #expect(try await phone.text("Plan.txt", in: .local) == "plan")
        }
    }

    /// The wait of one entry does not begin anew when others are looked at.
    @Test func `many entries that wait keep no others from going, nor from their time`() async throws {
        try await Self.withTrip { laptop, phone in
            let count = 2 * CommitLimit.usual.entries
            for number in 1...count { try phone.makeLink("old \(number)", to: "elsewhere") }
            try phone.makeFolder("Album")
            try await phone.push()
            phone.cloud.release(failing: .unreachable("the content does not come"))
            try phone.move("Trip", from: .cloud, to: .local)
            let trip = try phone.makeFolder("Trip")
            for number in 1...count { try phone.makeLink("\(number)", to: "elsewhere", in: trip) }
            for number in 1...count { try phone.remove("old \(number)") }
            try phone.rename("Album", to: "Pictures")
            let before = try await phone.commits.count
            func send() async throws -> [String] {
                _ = try await phone.synchronizer.sender.sendPending()
                try await laptop.pull()
                return try laptop.names()
            }
            #expect(try await send() == ["Pictures", "Trip"])
            for commit in try await phone.commits.dropFirst(before) {
                #expect(commit.changes.count <= CommitLimit.usual.entries + 8)
            }
            for _ in 1...11 {
                phone.advance(seconds: 60)
                _ = try await send()
            }
            #expect(try laptop.names() == ["Pictures", "Trip", "Trip (phone)"])
            #expect(try laptop.names(in: laptop.inode("Trip (phone)")).count == count)
        }
    }

    // MARK: Folders that go into each other

    @Test func `two devices move two folders into each other, and the first move holds`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in ["A", "B"] { try laptop.makeFolder("in \(name)", in: laptop.makeFolder(name)) }
            try await laptop.push()
            try await phone.pull()
            try laptop.move("A", from: .cloud, to: laptop.inode("B"))
            try phone.move("B", from: .cloud, to: phone.inode("A"))
            try await laptop.push()
            try await phone.push()
            try await laptop.push()
            for device in [laptop, phone] {
                #expect(try device.names() == ["B"])
                let outer = try device.inode("B")
                #expect(try device.names(in: outer) == ["A", "in B"])
                #expect(try device.names(in: device.inode("A", in: outer)) == ["in A"])
                #expect(try device.hasNothingPending)
            }
        }
    }

    /// What is on the way from one to the other moves later in the same commit.
    @Test func `a folder goes into one that lies in it by way of another one`() async throws {
        try await Self.withTrip { laptop, phone in
            let outer = try phone.makeFolder("X")
            let inner = try phone.makeFolder("Z", in: phone.makeFolder("R", in: outer))
            let far = try phone.makeFolder("D3", in: phone.makeFolder("D2", in: phone.makeFolder("D1")))
            try await phone.push()
            try await Self.sendAway("Trip", from: phone)
            try phone.move("Z", from: phone.inode("R", in: outer), to: phone.makeFolder("Trip"))
            try phone.move("R", from: outer, to: far)
            try phone.move("X", from: .cloud, to: inner)
            try await phone.work()
            try await Self.release(phone, seenBy: laptop)
            for device in [laptop, phone] {
                #expect(try device.names() == ["D1", "Trip"])
                #expect(try device.names(in: device.inode("Z", in: device.inode("Trip"))) == ["X"])
            }
        }
    }
}
