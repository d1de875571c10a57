import MountSupport
import SystemPackage
import TestSupport
import Testing

/// docfs under systemd, mount(8) and /etc/fstab.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct ServiceTests {
    /// Starts the program in its arguments with a NOTIFY_SOCKET and prints each message; when it is ready, lists the mount and
    /// ends the program.
    private static let serviceManager = """
        import os, signal, socket, subprocess, sys
        kind, mountpoint, *command = sys.argv[1:]
        name = "\\0docfs-test-%d" % os.getpid() if kind == "abstract" else os.path.join(mountpoint + ".socket")
        messages = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        messages.bind(name)
        messages.settimeout(60)
        service = subprocess.Popen(command, env=dict(os.environ, NOTIFY_SOCKET=name.replace("\\0", "@")))
        try:
            print(messages.recv(100).decode(), *sorted(os.listdir(mountpoint + "/Documents")))
            service.send_signal(signal.SIGTERM)
            print(messages.recv(100).decode(), service.wait(60))
        finally:
            service.kill()
        """

    @Test(arguments: ["abstract", "path"])
    func `in the foreground docfs tells its service manager when the mount is ready and when it stops`(socket: String)
        async throws
    {
        try await withUnmountedDevice(.plain) { device in
            let result = try await runProgram(
                "python3",
                ["-c", Self.serviceManager, socket, device.mountpoint.string, try DocfsBinary.path.string]
                    + device.mountArguments + ["--foreground"])
            #expect(result.standardOutput == "READY=1 cloud local\nSTOPPING=1 0\n", "\(result.standardError)")
        }
    }

    // MARK: mount -t fuse.docfs

    private static let mountHelper = FilePath(#filePath).removingLastComponent().removingLastComponent()
        .removingLastComponent().pushing("scripts/packaging/mount.fuse.docfs")

    /// The arguments with which mount.fuse.docfs calls docfs, one a line.
    private static func arguments(_ words: String..., status: Int32 = 0) async throws -> ProgramResult {
        try await withTemporaryFolder { path in
            let folder = FilePath(path)
            try (folder / "docfs").create("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
            try await runShell("chmod +x docfs", in: folder)
            return try await runShell(
                "PATH=$PWD:$PATH; sh \(mountHelper.string) \(words.joined(separator: " "))", in: folder,
                exitStatus: status)
        }
    }

    @Test func `options of fstab are those of docfs mount`() async throws {
        let result = try await Self.arguments(
            "/store", "/docs", "-o",
            "rw,nosuid,show=display-names,cloud=s3://b/p?endpoint=http://h:1,allow_other,x-systemd.automount")
        #expect(
            result.standardOutput.split(separator: "\n") == [
                "mount", "--store", "/store", "--show", "display-names", "--cloud", "s3://b/p?endpoint=http://h:1",
                "--allow-other", "/docs",
            ])
    }

    @Test func `the store called docfs is the usual one`() async throws {
        #expect(try await Self.arguments("docfs", "/docs", "-o", "rw").standardOutput == "mount\n/docs\n")
    }

    @Test(arguments: [("ro", "read-only"), ("wrong", "the option wrong is unknown"), ("uid=no-such-person", "nobody")])
    func `options that cannot be kept are refused in one line`(option: String, reason: String) async throws {
        let result = try await Self.arguments("docfs", "/docs", "-o", option, status: 1)
        #expect(result.standardError.contains(reason))
        #expect(result.standardError.split(separator: "\n").count == 1)
    }
}
