import Glibc
import MountSupport
import SystemPackage
import Testing

/// A mount that is refused prints one line and leaves nothing behind.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct MountRefusalTests {
    private static func expectRefusal(
        _ result: ProgramResult, of device: Device, naming word: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(result.exitStatus == 1, sourceLocation: sourceLocation)
        #expect(
            result.oneErrorLine != nil, "\(result.standardError)", sourceLocation: sourceLocation)
        if let word {
            #expect(
                result.standardError.contains(word), "\(result.standardError)",
                sourceLocation: sourceLocation)
        }
        #expect(result.standardOutput == "", sourceLocation: sourceLocation)
        #expect(device.processes.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func `a missing mountpoint is refused`() async throws {
        try await withUnmountedDevice { device in
            try device.mountpoint.removeFolder()
            let result = try await device.attemptMount(device.mountArguments)
            Self.expectRefusal(result, of: device, naming: device.mountpoint.string)
        }
    }

    @Test func `a mountpoint that is no folder is refused`() async throws {
        try await withUnmountedDevice { device in
            try device.mountpoint.removeFolder()
            try device.mountpoint.create("a file")
            let result = try await device.attemptMount(device.mountArguments)
            Self.expectRefusal(result, of: device, naming: device.mountpoint.string)
            #expect(try device.mountpoint.text() == "a file")
        }
    }

    @Test func `a mountpoint that is not empty is refused, unless that is meant`() async throws {
        try await withUnmountedDevice { device in
            try (device.mountpoint / "Letter.txt").create("hidden")
            let result = try await device.attemptMount(device.mountArguments)
            Self.expectRefusal(result, of: device, naming: "--non-empty")
            #expect(try await device.attemptMount(device.mountArguments + ["--non-empty"]).exitStatus == 0)
            #expect(try device.mountpoint.listing() == ["Documents"])
            try await device.unmount()
            #expect(try (device.mountpoint / "Letter.txt").text() == "hidden")
        }
    }

    @Test func `a busy mountpoint is refused, and the mount there goes on`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            var arguments = device.mountArguments
            let store = try #require(arguments.firstIndex(of: device.store.string))
            arguments[store] = (device.folder / "another store").string
            let before = device.processes
            let result = try await device.attemptMount(arguments)
            #expect(result.exitStatus == 1)
            #expect(
                result.oneErrorLine?.contains(device.mountpoint.string) == true,
                "\(result.standardError)")
            #expect(device.processes == before)
            #expect(try (device.local / "Plan.txt").text() == "plan")
        }
    }

    @Test func `a store in use by another docfs is refused, and its mount goes on`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            let elsewhere = device.folder / "elsewhere"
            try elsewhere.makeFolder()
            let arguments = device.mountArguments.map {
                $0 == device.mountpoint.string ? elsewhere.string : $0
            }
            let result = try await device.attemptMount(arguments)
            #expect(result.exitStatus == 1)
            #expect(
                result.oneErrorLine?.contains(device.store.string) == true,
                "\(result.standardError)")
            #expect(try elsewhere.listing() == [])
            #expect(try (device.local / "Plan.txt").text() == "plan")
        }
    }

    @Test func `a store is free again after unmount and after a crash`() async throws {
        try await withDevice { device in
            try await device.remount()
            try await device.crash()
            try await device.mount()
            #expect(device.isMounted)
        }
    }

    /// A process that was told to end, or was killed, has the store and the mountpoint for a moment still.
    @Test(arguments: [SIGKILL, SIGTERM])
    func `a mount waits for a docfs that is ending`(signal: Int32) async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            for _ in 0..<5 {
                device.signalProcesses(signal)
                if signal == SIGTERM { try await eventually { !device.isMounted } }
                let result = try await device.attemptMount(device.mountArguments)
                try #require(result.exitStatus == 0, "\(result.standardError)")
                #expect(try (device.local / "Plan.txt").text() == "plan")
            }
        }
    }

    @Test(arguments: [
        "ftp://example.org/documents", "https://example.org/", "documents", "file://",
    ])
    func `an unsupported cloud URL is refused`(url: String) async throws {
        try await withUnmountedDevice { device in
            let arguments = device.mountArguments.map {
                $0 == device.cloudDirectory.url ? url : $0
            }
            let result = try await device.attemptMount(arguments)
            // The contract leaves open whether a wrong value is wrong usage (64) or a failure (1).
            #expect([1, 64].contains(result.exitStatus))
            #expect(result.oneErrorLine != nil, "\(result.standardError)")
            #expect(result.standardError.contains(url))
            #expect(device.processes.isEmpty)
        }
    }

    @Test func `a cloud folder on a file system without hard links is refused, and no container is made`() async throws
    {
        try await withDevice { device in
            // docfs has none, so a mount of it is such a file system.
            let container = device.local / "container"
            let other = try Device(
                name: "Desktop", in: device.folder, cloudDirectory: CloudDirectory(path: container),
                options: MountOptions())
            let result = try await other.attemptMount(other.mountArguments)
            await other.dismantle()
            Self.expectRefusal(
                result, of: other, naming: "the file system of \(container.string) has no hard links (link(2): ")
            #expect(result.standardError.contains("choose a folder on another file system"))
            #expect(try container.listing() == [])
            // It is refused for the same reason when it is tried again.
            let again = try await other.attemptMount(other.mountArguments)
            await other.dismantle()
            #expect(again.standardError == result.standardError)
        }
    }

    @Test func `a store that cannot be made is refused`() async throws {
        try await withUnmountedDevice { device in
            try device.store.create("a file where the store should be")
            let result = try await device.attemptMount(device.mountArguments)
            Self.expectRefusal(result, of: device, naming: device.store.string)
            #expect(!device.isMounted)
        }
    }

    @Test(.enabled(if: getuid() != 0, "permissions do not bind the superuser"))
    func `a store that is not writable is refused`() async throws {
        try await withUnmountedDevice { device in
            try device.store.makeFolder()
            try device.store.setPermissions([.ownerRead, .ownerExecute])
            let result = try await device.attemptMount(device.mountArguments)
            Self.expectRefusal(result, of: device, naming: device.store.string)
            try device.store.setPermissions([.ownerReadWriteExecute])
        }
    }

    /// Runs `docfs mount` in a mount namespace of its own, prepared by a script.
    private static func mountInNamespace(
        of device: Device, preparedBy script: String
    ) async throws -> ProgramResult {
        try await runProgram(
            "unshare",
            ["-m", "sh", "-c", script + #" && exec "$0" "$@""#, try DocfsBinary.path.string]
                + device.mountArguments,
            environment: ["STORE": device.store.string])
    }

    @Test(.enabled(if: getuid() == 0, "only the superuser makes a namespace"))
    func `a store on a read-only file system is refused`() async throws {
        try await withUnmountedDevice { device in
            try device.store.makeFolder()
            let result = try await Self.mountInNamespace(
                of: device,
                preparedBy: #"mount --bind "$STORE" "$STORE" && mount -o remount,ro,bind "$STORE""#)
            Self.expectRefusal(result, of: device, naming: device.store.string)
        }
    }

    @Test(.enabled(if: getuid() == 0, "only the superuser makes a namespace"))
    func `a missing /dev/fuse is said`() async throws {
        try await withUnmountedDevice { device in
            let result = try await Self.mountInNamespace(
                of: device,
                preparedBy: """
                    mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && \
                    mknod -m 666 /dev/urandom c 1 9
                    """)
            Self.expectRefusal(result, of: device, naming: "/dev/fuse")
        }
    }
}
