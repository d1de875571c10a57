import Glibc
import MountSupport
import SystemPackage
import Testing

/// What a person who is new to docfs tries first, and what it answers.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct FirstHourTests {
    private func output(_ device: Device, _ arguments: String...) async throws -> String {
        let result = try await runProgram(try DocfsBinary.path.string, arguments, in: device.folder)
        #expect(result.exitStatus == 0, "\(arguments): \(result.standardError)")
        return result.standardOutput
    }

    @Test func `mount says in one line what there is, where the cloud is, and which names are shown`() async throws {
        try await withUnmountedDevice(.plain) { device in
            let url = device.cloudDirectory.url
            let mountpoint = device.mountpoint.string
            let first = try await device.attemptMount(device.mountArguments)
            #expect(
                first.standardOutput
                    == "\(mountpoint) has 0 documents; the cloud is \(url) (online); listings show filenames (--show display-names changes that)\n"
            )
            try (device.local / "Plan.txt").create("plan")
            try (device.cloud / "List.txt").create("list")
            try await device.waitUntilUploaded(device.cloud / "List.txt")
            try await device.unmount()
            try device.cloudDirectory.disconnect()
            let second = try await device.attemptMount(device.mountArguments + ["--show", "display-names"])
            #expect(
                second.standardOutput
                    == "\(mountpoint) has 2 documents; the cloud is \(url) (offline); listings show display names (--show filenames changes that)\n"
            )
            try device.cloudDirectory.reconnect()
        }
    }

    @Test func `ls takes the mountpoint, Documents, and a path with a slash at its end, and lists folders`()
        async throws
    {
        try await withDevice { device in
            try (device.local / "Trip").makeFolder()
            try (device.local / "Plan.txt").create("plan")
            for path in [device.mountpoint.string, device.mountpoint.string + "/", "\(device.documents)/.."] {
                #expect(try await output(device, "ls", path) == "-  folder  -  Documents/  Documents\n")
            }
            let documents = try await output(device, "ls", device.documents.string)
            #expect(documents == "-  folder  -  local/  local\n-  folder  -  cloud/  cloud\n")
            let local = try await output(device, "ls", device.local.string + "/")
            #expect(local.split(separator: "\n").map { $0.split(separator: " ").last } == ["Trip", "Plan"])
            #expect(try await output(device, "ls", "--json", device.mountpoint.string) == "[\n\n]\n")
        }
    }

    @Test func `ls of several paths lists those that are there, and names the one that is not`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            let missing = device.local / "Nothing.txt"
            let result = try await device.docfs("ls", missing.string, (device.local / "Plan.txt").string)
            #expect(result.exitStatus == 1)
            #expect(result.oneErrorLine?.contains(missing.string) == true, "\(result.standardError)")
            #expect(result.standardOutput.contains("  Plan\n"))
        }
    }

    @Test func `mounts lists each mount with its store, its cloud, and since when`() async throws {
        try await withDevice { device in
            let line = try await output(device, "mounts").split(separator: "\n").first {
                $0.hasPrefix("\(device.mountpoint)  ")
            }
            let fields = try #require(line).split(separator: " ", omittingEmptySubsequences: true).map(String.init)
            #expect(fields.count == 4)
            #expect(fields[1] == device.store.string && fields[2] == device.cloudDirectory.url)
            #expect(fields[3].wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
        }
    }

    @Test func `sort without a mode prints the present one`() async throws {
        try await withDevice { device in
            #expect(try await output(device, "sort", device.local.string) == "manual\n")
            _ = try await output(device, "sort", device.local.string, "modified")
            #expect(try await output(device, "sort", device.local.string) == "modified\n")
            try (device.local / "Plan.txt").create("plan")
            let result = try await device.docfs("sort", (device.local / "Plan.txt").string)
            #expect(result.exitStatus == 1 && result.oneErrorLine?.contains("is not a folder") == true)
        }
    }

    @Test func `sort, download, evict and keep take the current folder, or the only mount, where no path is given`()
        async throws
    {
        try await withDevice { device in
            let binary = try DocfsBinary.path.string
            func run(_ command: String, in folder: FilePath) async throws -> ProgramResult {
                try await runProgram(binary, command.split(separator: " ").map(String.init), in: folder)
            }
            let plan = device.cloud / "Plan.txt"
            try plan.create("plan")
            try await device.waitUntilUploaded(plan)
            #expect(try await run("sort name", in: device.local).exitStatus == 0)
            #expect(try await run("sort", in: device.local).standardOutput == "name\n")
            #expect(try await run("sort", in: device.mountpoint).standardOutput == "manual\n")
            #expect(try await run("evict", in: device.mountpoint).exitStatus == 0)
            #expect(try plan.state()["downloading"] == "notDownloaded")
            #expect(try await run("download", in: device.mountpoint).exitStatus == 0)
            #expect(try plan.state()["downloading"] == "current")
            #expect(try await run("keep", in: device.mountpoint).exitStatus == 0)
            #expect(try device.cloud.attribute("user.document.keep") == "always")
            let wrong = try await run("sort weight", in: device.local)
            #expect(wrong.exitStatus == 1 && wrong.oneErrorLine != nil, "\(wrong.standardError)")
        }
    }

    @Test func `resolve without a conflict says so, and versions says that local documents have none`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            let path = (device.local / "Plan.txt").string
            #expect(try await output(device, "resolve", path) == "\(path) is not in conflict.\n")
            let versions = try await device.docfs("versions", path)
            #expect(versions.exitStatus == 0 && versions.standardOutput == "")
            #expect(versions.oneErrorLine == "docfs: \(path) is in local; only documents of the cloud have versions")
        }
    }
}
