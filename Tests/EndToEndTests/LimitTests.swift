import MountSupport
import SystemPackage
import Testing

/// Any number of folders and documents works under any limit of open files.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct LimitTests {
    /// Mounts with a limit on open descriptors.
    private static func mount(_ device: Device, descriptors: Int) async throws {
        try await mount(device, limit: "-n \(descriptors)")
    }

    /// - Parameter limit: arguments of ulimit(1).
    private static func mount(_ device: Device, limit: String) async throws {
        let output = device.folder / "limited.output"
        try await runShell(
            #"ulimit $LIMIT; exec "$DOCFS" mount "$MOUNT" --store "$STORE" --cloud "$CLOUD" >"$OUTPUT" 2>&1"#,
            environment: [
                "LIMIT": limit, "DOCFS": try DocfsBinary.path.string, "MOUNT": device.mountpoint.string,
                "STORE": device.store.string, "CLOUD": device.cloudDirectory.url, "OUTPUT": output.string,
            ])
    }

    @Test func `a limit on the size of files refuses what is larger, and docfs goes on`() async throws {
        try await withTwoDevices { laptop, desktop in
            let film = String(repeating: "0123456789abcdef", count: 1 << 18)
            try (laptop.cloud / "Film.txt").create(film)
            try await eventually { (desktop.cloud / "Film.txt").exists }
            try await desktop.unmount()
            // In units of 512 bytes: 2 MiB. The film has 4 MiB.
            try await Self.mount(desktop, limit: "-f 4096")
            #expect(throws: (any Error).self) { try (desktop.cloud / "Film.txt").text() }
            try (desktop.cloud / "Small.txt").create("small")
            #expect(try (desktop.cloud / "Small.txt").text() == "small")
            #expect(try (desktop.cloud / "Film.txt").state()["downloading"] == "notDownloaded")
            try await desktop.unmount()
            try await desktop.mount()
            #expect(try (desktop.cloud / "Film.txt").text() == film)
        }
    }

    @Test func `more folders than descriptors, after a crash`() async throws {
        try await withUnmountedDevice { device in
            try await Self.mount(device, descriptors: 256)
            try await device.shell("for n in $(seq 1500); do mkdir local/$n; done")
            for number in stride(from: 1, through: 1500, by: 25) {
                try (device.local / "\(number)" / "Document.txt").create("\(number)")
            }
            try await device.crash()
            try await Self.mount(device, descriptors: 256)
            for number in stride(from: 1, through: 1500, by: 25) {
                #expect(try (device.local / "\(number)" / "Document.txt").text() == "\(number)")
            }
            #expect(try device.local.documentNames().count == 1500)
        }
    }

    @Test func `more documents that leave the cloud at once than descriptors`() async throws {
        try await withUnmountedDevice { device in
            try await Self.mount(device, descriptors: 256)
            try (device.cloud / "Folder").makeFolder()
            for number in 0..<400 { try (device.cloud / "Folder" / "\(number).txt").create("\(number)") }
            try await eventually { try device.treeState()["cloud.pending"] == "0" }
            try (device.cloud / "Folder").rename(to: device.local / "Folder")
            try await eventually { try device.treeState()["cloud.pending"] == "0" }
            #expect(try device.treeState()["cloud.connection"] == "online")
            #expect(try device.local.appending("Folder").documentNames().count == 400)
        }
    }

    @Test func `more open documents than docfs may have are ENFILE, until some are closed`() async throws {
        try await withUnmountedDevice { device in
            try await Self.mount(device, descriptors: 256)
            for number in 0..<300 { try (device.local / "\(number).txt").create("\(number)") }
            var open: [OpenFile] = []
            defer { for file in open { try? file.close() } }
            #expect(throws: Errno.tooManyOpenFilesInSystem) {
                for number in 0..<300 { open.append(try (device.local / "\(number).txt").open(.readOnly)) }
            }
            #expect(open.count > 100)
            for file in open.prefix(50) { try file.close() }
            open.removeFirst(50)
            // The kernel tells of a close after close() has returned.
            try await eventually { (try? (device.local / "299.txt").text()) == "299" }
        }
    }

    @Test func `folders within folders within folders, after a crash`() async throws {
        try await withUnmountedDevice { device in
            try await Self.mount(device, descriptors: 256)
            let depth = 3000
            let nested = """
                import os, sys
                os.chdir("local")
                for number in range(\(depth)):
                    if sys.argv[1] == "make": os.mkdir("d")
                    os.chdir("d")
                if sys.argv[1] == "make": open("Deep.txt", "w").write("deep")
                else: assert open("Deep.txt").read() == "deep"
                """
            _ = try await runShell("python3 -c \"$SCRIPT\" make", in: device.documents, environment: ["SCRIPT": nested])
            try await device.crash()
            for _ in 1...2 {
                try await Self.mount(device, descriptors: 256)
                _ = try await runShell(
                    "python3 -c \"$SCRIPT\" read", in: device.documents, environment: ["SCRIPT": nested])
                try await device.unmount()
            }
        }
    }
}
