import Glibc
import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct OfflineTests {
    private static func disconnect(_ devices: Device...) async throws {
        try devices[0].cloudDirectory.disconnect()
        for device in devices {
            try await eventually { try device.treeState()["cloud.connection"] == "offline" }
        }
    }

    /// Runs with a placeholder whose content the cloud holds back without being known to be
    /// unreachable: in place of its object stands a pipe that nobody writes to.
    private static func withSilentDocument(
        laptop: Device, desktop: Device, perform body: (FilePath) async throws -> Void
    ) async throws {
        try (laptop.cloud / "Groceries.txt").create("milk")
        let placeholder = desktop.cloud / "Groceries.txt"
        try await eventually { placeholder.exists }
        let objects = laptop.cloudDirectory.objects(named: try placeholder.filename())
        try #require(objects.count == 1)
        try objects[0].remove()
        try objects[0].call { mkfifo($0, 0o600) }
        // Programs that still wait at the pipe are released.
        defer { _ = try? objects[0].open(.readWrite, .nonBlocking) }
        try await body(placeholder)
    }

    @Test
    func `the connection is offline while the cloud cannot be reached, and online again after`()
        async throws
    {
        try await withDevice { device in
            try await eventually { try device.treeState()["cloud.connection"] == "online" }
            try await Self.disconnect(device)
            try device.cloudDirectory.reconnect()
            try await eventually {
                try device.treeState()["cloud.connection"] == "online"
            }
        }
    }

    @Test
    func
        `without a connection documents that are here are read, edited, created, moved and deleted, and sent later`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            for name in ["Edit.txt", "Move.txt", "Delete.txt"] {
                try (laptop.cloud / name).create(name)
            }
            try await eventually { try desktop.cloud.documentNames().count == 3 }
            try await Self.disconnect(laptop)

            #expect(try (laptop.cloud / "Edit.txt").text() == "Edit.txt")
            try (laptop.cloud / "Edit.txt").append(", edited offline")
            try (laptop.cloud / "New.txt").create("new")
            try (laptop.cloud / "Folder").makeFolder()
            try (laptop.cloud / "Move.txt").rename(to: laptop.cloud / "Folder" / "Moved.txt")
            try (laptop.cloud / "Delete.txt").remove()
            try (laptop.local / "Local.txt").create("local")
            #expect(try (laptop.cloud / "New.txt").state()["uploading"] == "waiting")

            try laptop.cloudDirectory.reconnect()
            try await eventually {
                try (desktop.cloud / "Edit.txt").text() == "Edit.txt, edited offline"
                    && (desktop.cloud / "New.txt").text() == "new"
                    && (desktop.cloud / "Folder" / "Moved.txt").text() == "Move.txt"
                    && !(desktop.cloud / "Delete.txt").exists
            }
            #expect(try Set(desktop.cloud.documentNames()) == Set(laptop.cloud.documentNames()))
            #expect(try laptop.treeState()["cloud.conflicts"] == "0")
        }
    }

    @Test func `changes made offline wait durably, through another mount and a crash`() async throws {
        try await withTwoDevices { laptop, desktop in
            try await Self.disconnect(laptop)
            try (laptop.cloud / "First.txt").create("first")
            try await laptop.remount()
            #expect(try (laptop.cloud / "First.txt").text() == "first")
            try (laptop.cloud / "Second.txt").create("second")
            try await laptop.crash()
            try await laptop.mount()
            #expect(try (laptop.cloud / "Second.txt").text() == "second")
            try laptop.cloudDirectory.reconnect()
            try await eventually {
                try (desktop.cloud / "First.txt").text() == "first"
                    && (desktop.cloud / "Second.txt").text() == "second"
            }
        }
    }

    @Test func `mounting works offline`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (laptop.cloud / "Here.txt").create("here")
            try await eventually { try (desktop.cloud / "Here.txt").text() == "here" }
            try (laptop.cloud / "There.txt").create("there")
            try await eventually { (desktop.cloud / "There.txt").exists }
            try await desktop.unmount()
            try desktop.cloudDirectory.disconnect()
            try await desktop.mount()
            #expect(try (desktop.cloud / "Here.txt").text() == "here")
            #expect((desktop.cloud / "There.txt").exists)
            #expect(try (desktop.cloud / "There.txt").stat().size == 5)
            try await eventually { try desktop.treeState()["cloud.connection"] == "offline" }
        }
    }

    @Test(.tags(.long))
    func `a server that takes connections and never answers holds a mount up for seconds, and is said`()
        async throws
    {
        let server = try await S3Server.shared()
        let holder = try HeldServer(before: server.port)
        let options = MountOptions(cloudURL: server.url(through: holder), environment: try server.environment())
        try await withUnmountedDevice(options.plain) { device in
            holder.hold(.replies, after: 0)
            let mounting = Task { try await device.attemptMount(device.mountArguments) }
            // Its requests to the server end after a minute and a half.
            try await eventually(within: .seconds(60)) {
                device.isMounted && (try? device.treeState()["cloud.error"]) == "it does not answer"
            }
            let result = try await mounting.value
            #expect(
                result.exitStatus == 0 && result.standardOutput.contains("(offline)"), "\(result)")
            try (device.cloud / "Plan.txt").create("plan")
            holder.release()
            try await device.waitUntilUploaded(device.cloud / "Plan.txt")
            #expect(try device.treeState()["cloud.connection"] == "online")
        }
    }

    @Test func `a container that cannot be reached is not made anew`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (laptop.cloud / "Groceries.txt").create("milk")
            try await eventually { (desktop.cloud / "Groceries.txt").exists }
            try await Self.disconnect(laptop, desktop)
            try (laptop.cloud / "New.txt").create("new")
            try await desktop.remount()
            try await eventually { try desktop.treeState()["cloud.connection"] == "offline" }
            #expect(!laptop.cloudDirectory.path.exists)
            #expect((desktop.cloud / "Groceries.txt").exists)
            #expect((laptop.cloud / "Groceries.txt").exists)
        }
    }

    @Test
    func
        `opening what is not here is EHOSTUNREACH at once where the cloud is known to be unreachable`()
        async throws
    {
        // A timeout that the time limit would not survive, so that "at once" is put to the test.
        let options = MountOptions(timeoutSeconds: 90)
        try await withTwoDevices(options.plain) { laptop, desktop in
            try (laptop.cloud / "Groceries.txt").create("milk")
            let placeholder = desktop.cloud / "Groceries.txt"
            try await eventually { placeholder.exists }
            try await Self.disconnect(desktop)
            let start = ContinuousClock.now
            #expect(throws: Errno.noRouteToHost) { try placeholder.open(.readOnly) }
            #expect(throws: Errno.noRouteToHost) { try placeholder.open(.readWrite) }
            #expect(ContinuousClock.now - start < .seconds(60))
            #expect(try placeholder.stat().size == 4)
            #expect(try placeholder.state()["downloading"] == "notDownloaded")
            try desktop.cloudDirectory.reconnect()
            try await eventually { try placeholder.text() == "milk" }
        }
    }

    @Test
    func `opening what is not here is EHOSTUNREACH after the timeout where that is not known yet`()
        async throws
    {
        try await withTwoDevices(MountOptions(timeoutSeconds: 2).plain) { laptop, desktop in
            try await Self.withSilentDocument(laptop: laptop, desktop: desktop) { placeholder in
                let start = ContinuousClock.now
                #expect(throws: Errno.noRouteToHost) { try placeholder.open(.readOnly) }
                let waited = ContinuousClock.now - start
                #expect(waited >= .milliseconds(1900))
                // Not after the half a minute that is the default.
                #expect(waited < .seconds(28))
            }
        }
    }

    /// tar, grep and file(1) set it.
    @Test func `O_NONBLOCK means nothing for what is not here`() async throws {
        try await withTwoDevices { laptop, desktop in
            for name in ["Groceries.txt", "Away.txt"] { try (laptop.cloud / name).create("milk") }
            let (placeholder, away) = (desktop.cloud / "Groceries.txt", desktop.cloud / "Away.txt")
            try await eventually { placeholder.exists && away.exists }
            #expect(try placeholder.open(.readOnly, .nonBlocking).text() == "milk")
            try await desktop.shell("truncate -s 2 cloud/Groceries.txt; cat cloud/Groceries.txt")
            #expect(try placeholder.text() == "mi")
            try await Self.disconnect(desktop)
            #expect(throws: Errno.noRouteToHost) { try away.open(.readOnly, .nonBlocking) }
        }
    }

    @Test func `a backup by tar and a search by grep get the contents of placeholders`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (laptop.cloud / "F").makeFolder()
            for number in 1...3 { try (laptop.cloud / "F" / "\(number).txt").create("needle \(number)\n") }
            try await eventually { try (desktop.cloud / "F").documentNames().count == 3 }
            #expect(try await desktop.shell("grep -rh needle cloud/F | sort").lines == (1...3).map { "needle \($0)" })
            try await eventually { try await desktop.docfs("evict", (desktop.cloud / "F").string).exitStatus == 0 }
            #expect(
                try await desktop.shell("tar -C cloud -cf - F | tar -xOf - | sort").lines
                    == (1...3).map { "needle \($0)" })
        }
    }

    @Test func `opening what is not here is interruptible`() async throws {
        try await withTwoDevices(MountOptions(timeoutSeconds: 90).plain) { laptop, desktop in
            try await Self.withSilentDocument(laptop: laptop, desktop: desktop) { placeholder in
                let start = ContinuousClock.now
                let read = try await runProgram("timeout", ["1", "cat", placeholder.string])
                // 124 is timeout's word for a program that it had to interrupt.
                #expect(read.exitStatus == 124)
                #expect(ContinuousClock.now - start < .seconds(60))
            }
        }
    }

    @Test func `a placeholder can be renamed and deleted offline`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (laptop.cloud / "Rename.txt").create("rename")
            try (laptop.cloud / "Delete.txt").create("delete")
            try await eventually { try desktop.cloud.documentNames().count == 2 }
            try await Self.disconnect(laptop, desktop)
            try (desktop.cloud / "Rename.txt").rename(to: desktop.cloud / "Renamed.txt")
            try (desktop.cloud / "Delete.txt").remove()
            try desktop.cloudDirectory.reconnect()
            try await eventually {
                try (laptop.cloud / "Renamed.txt").text() == "rename"
                    && !(laptop.cloud / "Delete.txt").exists
            }
        }
    }

    @Test func `two devices that worked apart agree when they meet`() async throws {
        try await withTwoDevices { laptop, desktop in
            try await laptop.shell("mkdir cloud/Shared")
            try await eventually { (desktop.cloud / "Shared").exists }
            try await Self.disconnect(laptop, desktop)
            try (laptop.cloud / "Shared" / "Laptop.txt").create("laptop")
            try (desktop.cloud / "Shared" / "Desktop.txt").create("desktop")
            try laptop.cloudDirectory.reconnect()
            try await eventually {
                try (laptop.cloud / "Shared" / "Desktop.txt").text() == "desktop"
                    && (desktop.cloud / "Shared" / "Laptop.txt").text() == "laptop"
            }
            #expect(
                try Set((laptop.cloud / "Shared").listing())
                    == Set((desktop.cloud / "Shared").listing()))
        }
    }
}
