import MountSupport
import SystemPackage
import Testing

/// The cloud on a real S3 server (Semantics, "Containers").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct S3Tests {
    private func options(_ server: S3Server, _ url: String? = nil) throws -> MountOptions {
        MountOptions(cloudURL: url ?? server.url(), environment: try server.environment())
    }

    @Test func `two devices share documents, folders, saves and deletions`() async throws {
        let server = try await S3Server.shared()
        try await withTwoDevices(try options(server)) { laptop, desktop in
            try await laptop.shell("mkdir -p 'local/Trip/Day #1'; echo rain >'local/Trip/Day #1/50% + more?.txt'")
            try (laptop.local / "Trip").rename(to: laptop.cloud / "Trip")
            let there = desktop.cloud / "Trip" / "Day #1" / "50% + more?.txt"
            try await eventually { try there.text() == "rain\n" }
            try there.append("sun\n")
            let here = laptop.cloud / "Trip" / "Day #1" / "50% + more?.txt"
            try await eventually { try here.text() == "rain\nsun\n" }
            try await laptop.shell("rm -r cloud/Trip")
            try await eventually { try desktop.cloud.documentNames() == [] }
            #expect(try laptop.treeState()["cloud.connection"] == "online")
        }
    }

    @Test(.tags(.long)) func `while the server is away everything that is here works, and goes out when it is back`()
        async throws
    {
        let server = try await S3Server.start()
        let options = try options(server)
        try await withTwoDevices(options) { laptop, desktop in
            try (laptop.cloud / "Plan.txt").create("plan\n")
            try (laptop.cloud / "Elsewhere.txt").create("elsewhere\n")
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "plan\n" }
            try await eventually { (desktop.cloud / "Elsewhere.txt").exists }
            try await server.stop()
            try await eventually { try desktop.treeState()["cloud.connection"] == "offline" }
            #expect(throws: Errno.noRouteToHost) { try (desktop.cloud / "Elsewhere.txt").text() }
            try (desktop.cloud / "Plan.txt").append("offline\n")
            try (desktop.cloud / "New.txt").create("new")
            try await desktop.remount()
            #expect(try (desktop.cloud / "Plan.txt").text() == "plan\noffline\n")
            try await server.run()
            try await eventually {
                try (laptop.cloud / "Plan.txt").text() == "plan\noffline\n"
                    && (laptop.cloud / "New.txt").text() == "new"
            }
            #expect(try (desktop.cloud / "Elsewhere.txt").text() == "elsewhere\n")
            try await eventually { try desktop.treeState()["cloud.pending"] == "0" }
        }
    }

    @Test func `wrong credentials show as unauthorized, and nowhere as themselves`() async throws {
        let server = try await S3Server.shared()
        var options = try options(server)
        let secret = "sesame-and-what-not"
        options.environment["AWS_SECRET_ACCESS_KEY"] = secret
        try await withDevice(options.plain) { device in
            try (device.cloud / "Plan.txt").create("plan")
            try await eventually { try device.treeState()["cloud.connection"] == "unauthorized" }
            #expect(try (device.cloud / "Plan.txt").text() == "plan")
            #expect(try !(device.store / "docfs.log").text().contains(secret))
        }
    }

    @Test func `without credentials the mount says what is missing`() async throws {
        let server = try await S3Server.shared()
        var options = try options(server)
        options.environment = ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "HOME": "/nonexistent"]
        try await withUnmountedDevice(options) { device in
            let result = try await device.attemptMount(device.mountArguments)
            #expect(result.exitStatus == 1)
            #expect(result.standardError.contains("credentials"))
            #expect(result.standardError.split(separator: "\n").count == 1)
        }
    }
}
