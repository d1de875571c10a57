import MountSupport
import SystemPackage
import Testing

/// A store remembers how it was mounted, and to which container it belongs.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct StoreOptionsTests {
    private func mount(_ device: Device, _ options: String...) async throws -> ProgramResult {
        try await device.attemptMount(["mount", device.mountpoint.string, "--store", device.store.string] + options)
    }

    private func expectMounted(_ result: ProgramResult, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(result.exitStatus == 0, "\(result.standardError)", sourceLocation: sourceLocation)
    }

    @Test func `what is not said again stays so`() async throws {
        try await withUnmountedDevice(.plain) { device in
            expectMounted(
                try await mount(
                    device, "--cloud", device.cloudDirectory.url, "--device-name", "Box", "--show", "display-names",
                    "--filenames", "sequential", "--filename-prefix", "Note"))
            try (device.cloud / "Plan.txt").create("plan")
            try await device.unmount()
            expectMounted(try await mount(device))
            try (device.local / "List.txt").create("list")
            #expect(try device.cloud.listing() == ["Plan.txt"])
            #expect(try device.storedLocal.listing() == ["Note 2.txt"])
            let state = try (device.documents / ".state").text()
            #expect(state.contains("\ncloud.url: \(device.cloudDirectory.url)\n"), "\(state)")
            #expect(state.contains("\ndevice: Box\n"), "\(state)")
            try await device.unmount()
            expectMounted(try await mount(device, "--show", "filenames"))
            #expect(try device.local.listing() == ["Note 2.txt"])
            try await device.unmount()
            expectMounted(try await mount(device))
            #expect(try device.local.listing() == ["Note 2.txt"])
        }
    }

    @Test func `a limit on the cache is remembered until it is taken back`() async throws {
        try await withUnmountedDevice(.plain) { device in
            let options = device.store / "options.json"
            expectMounted(try await mount(device, "--cloud", device.cloudDirectory.url, "--cache-limit", "64M"))
            #expect(try options.text().contains("\"cacheLimit\" : 67108864"))
            try await device.unmount()
            expectMounted(try await mount(device))
            #expect(try options.text().contains("\"cacheLimit\" : 67108864"))
            try await device.unmount()
            expectMounted(try await mount(device, "--cache-limit", "none"))
            #expect(try !options.text().contains("cacheLimit"))
        }
    }

    @Test func `options that are damaged are told with their file`() async throws {
        try await withUnmountedDevice(.plain) { device in
            expectMounted(try await mount(device, "--cloud", device.cloudDirectory.url))
            try await device.unmount()
            try (device.store / "options.json").write("{")
            let result = try await mount(device)
            #expect(result.exitStatus == 1)
            #expect(result.oneErrorLine?.contains("\(device.store)/options.json") == true, "\(result.standardError)")
        }
    }

    @Test func `a container on the disk of the documents is told to be no copy elsewhere`() async throws {
        try await withUnmountedDevice(.plain) { device in
            expectMounted(try await mount(device, "--cloud", device.cloudDirectory.url))
            #expect(try (device.documents / ".state").text().contains("\ncloud.copy: none elsewhere"))
        }
    }

    @Test(arguments: ["store", "docs"])
    func `a container inside the store or the mount is refused`(folder: String) async throws {
        try await withUnmountedDevice(.plain) { device in
            let url = "file://\(device.folder / folder)/cloud"
            let result = try await mount(device, "--cloud", url)
            #expect(result.exitStatus == 1)
            #expect(result.oneErrorLine?.contains("is inside the") == true, "\(result.standardError)")
        }
    }

    /// Mounts a device with its container, puts a document there, and unmounts.
    private func usedOnce(_ device: Device) async throws {
        expectMounted(try await mount(device, "--cloud", device.cloudDirectory.url))
        try (device.cloud / "Plan.txt").create("plan")
        try await device.waitUntilUploaded(device.cloud / "Plan.txt")
        try await device.unmount()
    }

    private func expectRefusal(_ result: ProgramResult, of device: Device, for url: String) {
        #expect(result.exitStatus == 1)
        let line = result.oneErrorLine ?? result.standardError
        #expect(line.contains(device.cloudDirectory.url) && line.contains(url), "\(line)")
        #expect(device.processes.isEmpty)
    }

    @Test func `another container is refused with both URLs, and the store keeps its own`() async throws {
        try await withUnmountedDevice(.plain) { device in
            try await usedOnce(device)
            let empty = device.folder / "empty"
            try empty.makeFolder()
            for folder in [empty, device.folder / "missing"] {
                expectRefusal(
                    try await mount(device, "--cloud", "file://\(folder)"), of: device, for: "file://\(folder)")
            }
            #expect(try empty.listing().isEmpty)
            expectMounted(try await mount(device))
            let state = try (device.documents / ".state").text()
            #expect(state.contains("\ncloud.url: \(device.cloudDirectory.url)\ncloud.copy"), "\(state)")
            #expect(state.contains("\ncloud.connection: online\n"), "\(state)")
        }
    }

    @Test func `a container that has another place now is the store's own`() async throws {
        try await withUnmountedDevice(.plain) { device in
            try await usedOnce(device)
            let elsewhere = device.folder / "elsewhere"
            try device.cloudDirectory.path.rename(to: elsewhere)
            expectMounted(try await mount(device, "--cloud", "file://\(elsewhere)"))
            try await device.unmount()
            expectMounted(try await mount(device))
            #expect(try (device.documents / ".state").text().contains("\ncloud.url: file://\(elsewhere)\n"))
        }
    }

    @Test func `--move-to-this-cloud takes the documents along`() async throws {
        try await withUnmountedDevice(.plain) { device in
            try await usedOnce(device)
            let url = "file://\(device.folder / "other")"
            expectMounted(try await mount(device, "--cloud", url, "--move-to-this-cloud"))
            try await eventually {
                try (device.documents / ".state").text().contains("\ncloud.connection: online\n")
            }
            #expect(try (device.cloud / "Plan.txt").text() == "plan")
            try await device.unmount()
            expectMounted(try await mount(device))
            #expect(try (device.documents / ".state").text().contains("\ncloud.url: \(url)\n"))
            try await device.unmount()
            expectRefusal(try await mount(device, "--cloud", device.cloudDirectory.url), of: device, for: url)
        }
    }

    /// Who removes the former cloud after `docfs wait` must not lose what never left it.
    @Test func `wait does not take documents for moved that stay in the former cloud`() async throws {
        try await withTwoDevices(.plain) { laptop, desktop in
            try (laptop.cloud / "Plan.txt").create("plan")
            try await laptop.waitUntilUploaded(laptop.cloud / "Plan.txt")
            // A placeholder: its content is in the former cloud only.
            try await eventually { (desktop.cloud / "Plan.txt").exists }
            try await desktop.unmount()
            try (desktop.folder / "other").makeFolder()
            expectMounted(
                try await mount(desktop, "--cloud", "file://\(desktop.folder / "other")", "--move-to-this-cloud"))
            let waited = try await desktop.docfs("wait", desktop.mountpoint.string)
            #expect(
                waited.exitStatus == 1 && waited.oneErrorLine?.contains("Plan.txt cannot be sent from here") == true,
                "\(waited)")
        }
    }
}
