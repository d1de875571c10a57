import Glibc
import MountSupport
import SystemPackage
import Testing

/// The end of a mount that is busy.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct EndingTests {
    private static let size = 16 << 20
    /// So much of a transfer passes before it is held.
    private static let passing = 2 << 20

    private static func end(_ device: Device) async throws {
        device.signalProcesses(SIGTERM)
        // The contract's bound (Semantics, "The command").
        try await eventually(within: .seconds(5)) { device.processes.isEmpty }
        #expect(!device.isMounted)
    }

    @Test func `a mount that nobody waits for any more ends by itself, and leaves nothing mounted`() async throws {
        let server = try await S3Server.shared()
        let holder = try HeldServer(before: server.port)
        let options = MountOptions(cloudURL: server.url(through: holder), environment: try server.environment())
        try await withUnmountedDevice(options.plain) { device in
            holder.hold(.replies, after: 0)
            // It is mounted before it is ready: it waits for the cloud's first answer.
            let words = ([try DocfsBinary.path.string] + device.mountArguments).map { "'\($0)'" }
            try await runShell(
                """
                \(words.joined(separator: " ")) >/dev/null 2>&1 & mounting=$!
                until mountpoint -q '\(device.mountpoint)'; do kill -0 $mounting; sleep 0.1; done
                kill -KILL $mounting; wait $mounting || true
                """, environment: options.environment)
            #expect(device.isMounted)
            holder.release()
            try await eventually { !device.isMounted && device.processes.isEmpty }
            try await device.mount()
        }
    }

    /// While it starts, docfs makes a call on its own mount, and it made one whenever another device changed something.
    @Test func `a mount that is ended as soon as it is ready ends, each time`() async throws {
        let program = """
            import os, signal, socket, subprocess, sys
            for number in range(40):
                name = "\\0docfs-ending-%d-%d" % (os.getpid(), number)
                messages = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                messages.bind(name)
                messages.settimeout(120)
                service = subprocess.Popen(sys.argv[1:], env=dict(os.environ, NOTIFY_SOCKET=name.replace("\\0", "@")))
                try:
                    assert messages.recv(100) == b"READY=1"
                    service.send_signal(signal.SIGTERM)
                    assert service.wait(120) == 0
                finally:
                    service.kill()
            """
        try await withUnmountedDevice(.plain) { device in
            let result = try await runProgram(
                "python3",
                ["-c", program, try DocfsBinary.path.string] + device.mountArguments + ["--foreground"])
            #expect(result.exitStatus == 0, "\(result)")
        }
    }

    /// Before docfs looks for signals, one ends it as it ends any process; after that the mount ends.
    @Test func `a mount that is told to end at any moment of its start ends`() async throws {
        let program = """
            import os, signal, subprocess, sys, time
            for number in range(60):
                service = subprocess.Popen(sys.argv[2:])
                try:
                    time.sleep(number * 0.005)
                    service.send_signal(signal.SIGTERM)
                    assert service.wait(120) in (0, -signal.SIGTERM)
                    assert not os.path.ismount(sys.argv[1])
                finally:
                    service.kill()
            """
        try await withUnmountedDevice(.plain) { device in
            let result = try await runProgram(
                "python3",
                ["-c", program, device.mountpoint.string, try DocfsBinary.path.string] + device.mountArguments
                    + ["--foreground"])
            #expect(result.exitStatus == 0, "\(result)")
        }
    }

    @Test func `SIGTERM during an upload and a download ends the mount within 5 seconds, and the next one goes on`()
        async throws
    {
        let server = try await S3Server.shared()
        let holder = try HeldServer(before: server.port)
        let options = MountOptions(cloudURL: server.url(through: holder), environment: try server.environment())
        try await withTwoDevices(options) { laptop, desktop in
            holder.hold(.requests, after: Self.passing)
            try await laptop.shell("head -c \(Self.size) /dev/urandom > cloud/Film.bin")
            let film = laptop.cloud / "Film.bin"
            let digest = try await laptop.shell("sha256sum < cloud/Film.bin").line
            try await eventually { try film.state()["uploading"] == "uploading" }
            try await eventually { holder.isHolding(.requests) }
            #expect(try film.state()["uploading"] == "uploading")
            try await Self.end(laptop)
            holder.release()
            try await laptop.mount()
            try await eventually { try film.state()["uploading"] == "uploaded" }

            let placeholder = desktop.cloud / "Film.bin"
            try await eventually { try placeholder.linkStatus().st_size == Self.size }
            holder.hold(.replies, after: Self.passing)
            try placeholder.setAttribute("user.document.downloading", "current")
            try await eventually { holder.isHolding(.replies) }
            #expect(try placeholder.state()["downloading"] == "downloading")
            try await Self.end(desktop)
            holder.release()
            try await desktop.mount()
            #expect(try await desktop.shell("sha256sum < cloud/Film.bin").line == digest)
        }
    }
}
