import Glibc
import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct MigrationTests {
    @Test func `moving a document into the cloud keeps its filename`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let filename = try document.filename()
            try await device.shell("mv local/Groceries.txt cloud/")
            #expect(try device.cloud.documentNames() == [filename])
            #expect(try device.local.documentNames() == [])
        }
    }

    @Test(arguments: [("local", "cloud"), ("cloud", "local")], Listing.allCases)
    func `filename, display name, id, attributes and content stay`(
        containers: (source: String, target: String), listing: Listing
    ) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let before = device.documents / containers.source / "Groceries.txt"
            let after = device.documents / containers.target / "Groceries.txt"
            try before.create("milk")
            try before.setAttribute("user.colour", "green")
            let identity = try before.identity()
            let modified = try before.stat().st_mtim
            try before.rename(to: after)
            #expect(!before.exists)
            #expect(try after.identity() == identity)
            #expect(try after.attribute("user.colour") == "green")
            #expect(try after.text() == "milk")
            #expect(try after.stat().st_mtim.tv_nsec == modified.tv_nsec)
            #expect(try after.state()["location"] == containers.target)
        }
    }

    @Test(arguments: [("local", "cloud"), ("cloud", "local")])
    func `a new name in the destination sets the display name`(
        containers: (source: String, target: String)
    ) async throws {
        try await withDevice { device in
            let before = device.documents / containers.source / "Groceries.txt"
            let after = device.documents / containers.target / "Shopping.txt"
            try before.create("milk")
            let identity = try before.identity()
            try before.rename(to: after)
            #expect(
                try after.identity()
                    == Identity(
                        id: identity.id, filename: identity.filename, displayName: "Shopping"))
        }
    }

    @Test(arguments: [("local", "cloud"), ("cloud", "local")])
    func `migrating never overwrites`(containers: (source: String, target: String)) async throws {
        try await withDevice { device in
            let source = device.documents / containers.source / "Groceries.txt"
            let target = device.documents / containers.target / "Groceries.txt"
            try source.create("source")
            try target.create("target")
            let filename = try target.filename()
            #expect(throws: Errno.fileExists) { try source.rename(to: target) }
            #expect(throws: Errno.fileExists) {
                try source.rename(to: target.removingLastComponent() / filename)
            }
            #expect(try source.text() == "source")
            #expect(try target.text() == "target")
            let moved = try await runProgram("mv", [source.string, target.string])
            #expect(moved.exitStatus == 1)
            #expect(moved.standardError.contains("File exists"))
        }
    }

    @Test func `into the cloud: the upload follows, waiting until uploaded`() async throws {
        try await withDevice(.plain) { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let filename = try document.filename()
            let inCloud = device.cloud / "Groceries.txt"
            try document.rename(to: inCloud)
            let states = ["waiting", "uploading", "uploaded"]
            #expect(try states.contains(inCloud.state()["uploading"] ?? "nothing"))
            #expect(try inCloud.state()["downloading"] == "current")
            try await device.waitUntilUploaded(inCloud)
            #expect(device.cloudDirectory.texts(named: filename) == ["milk"])
            #expect(try (device.storedCloud / filename).text() == "milk")
            #expect(!(device.storedLocal / filename).exists)
        }
    }

    @Test func `until the cloud has it, this device does`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let inCloud = device.cloud / "Groceries.txt"
            try device.cloudDirectory.disconnect()
            try document.rename(to: inCloud)
            #expect(try inCloud.text() == "milk")
            #expect(try inCloud.state()["uploading"] == "waiting")
            try await device.remount()
            #expect(try inCloud.text() == "milk")
            try device.cloudDirectory.reconnect()
            try await device.waitUntilUploaded(inCloud)
        }
    }

    @Test func `an open document stays usable through its open handles`() async throws {
        try await withDevice(.plain) { device in
            let before = device.local / "Groceries.txt"
            let after = device.cloud / "Groceries.txt"
            let file = try before.open(.readWrite, .create)
            try file.write("milk\n")
            let filename = try before.filename()
            try before.rename(to: after)
            try file.write("eggs\n")
            #expect(try file.text() == "milk\neggs\n")
            #expect(try after.text() == "milk\neggs\n")
            try after.rename(to: before)
            try file.write("bread\n")
            try before.rename(to: after)
            try file.write("tea\n")
            try file.close()
            #expect(try after.text() == "milk\neggs\nbread\ntea\n")
            try await device.waitUntilUploaded(after)
            #expect(
                device.cloudDirectory.texts(named: filename).contains("milk\neggs\nbread\ntea\n"))
        }
    }

    @Test func `folders migrate with all they hold, as one step`() async throws {
        try await withTwoDevices { laptop, desktop in
            let trip = laptop.local / "Trip"
            try await laptop.shell("mkdir -p local/Trip/Days/Empty local/Trip/.hidden")
            try (trip / "Plan.txt").create("plan")
            try (trip / "Days" / "Monday.txt").create("monday")
            try (trip / ".hidden" / "notes").create("notes")
            try (trip / "link").makeSymbolicLink(to: "Days/Monday.txt")
            try (trip / "scratch.tmp").create("scratch")
            let identities = try [trip / "Plan.txt", trip / "Days" / "Monday.txt"].map {
                try $0.identity()
            }
            let moved = laptop.cloud / "Trip"
            try trip.rename(to: moved)
            #expect(!trip.exists)
            #expect(
                try [moved / "Plan.txt", moved / "Days" / "Monday.txt"].map { try $0.identity() }
                    == identities)
            #expect(try (moved / "Days" / "Monday.txt").text() == "monday")
            #expect(try (moved / ".hidden" / "notes").text() == "notes")
            #expect((moved / "link").symbolicLinkTarget == "Days/Monday.txt")
            #expect(try (moved / "scratch.tmp").text() == "scratch")
            #expect((moved / "Days" / "Empty").exists)

            let there = desktop.cloud / "Trip"
            try await eventually {
                try (there / "Days" / "Monday.txt").text() == "monday"
                    && (there / ".hidden" / "notes").text() == "notes"
                    && (there / "Days" / "Empty").exists
            }
            #expect(!(there / "scratch.tmp").exists)

            try moved.rename(to: trip)
            #expect(!moved.exists)
            #expect(try (trip / "Plan.txt").identity() == identities[0])
            #expect(try (trip / "Days" / "Monday.txt").identity() == identities[1])
            try await eventually { !there.exists }
        }
    }

    @Test func `there and back again before the upload is one document still`() async throws {
        try await withTwoDevices { laptop, desktop in
            let inside = laptop.cloud / "Groceries.txt"
            let outside = laptop.local / "Groceries.txt"
            try outside.create("milk")
            let identity = try outside.identity()
            for _ in 1...5 {
                try outside.rename(to: inside)
                try inside.rename(to: outside)
            }
            #expect(try outside.identity() == identity)
            #expect(try outside.text() == "milk")
            try outside.rename(to: inside)
            try await eventually {
                try (desktop.cloud / "Groceries.txt").text() == "milk"
            }
            #expect(try (desktop.cloud / "Groceries.txt").identity() == identity)
        }
    }
}
