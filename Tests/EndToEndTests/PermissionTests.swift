import Foundation
import Glibc
import MountSupport
import SystemPackage
import Testing

/// Owners and modes, mostly for other users of the machine (`--allow-other`; Semantics, "Files as programs expect them").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct PermissionTests {
    /// For each mode with set-id bits, each way to change a content, and a handle opened before or after the chmod: the mode that is left
    /// after a change by another user.
    private static let setIDProgram = """
        import mmap, os, sys
        def map(file, path):
            with mmap.mmap(file, 100) as content: content[0] = 65
        ways = {
            "write": lambda file, path: os.write(file, b"y"),
            "pwrite": lambda file, path: os.pwrite(file, b"y", 5),
            "ftruncate": lambda file, path: os.ftruncate(file, 3),
            "truncate": lambda file, path: os.truncate(path, 3),
            "empty": lambda file, path: os.close(os.open(path, os.O_WRONLY | os.O_TRUNC)),
            "allocate": lambda file, path: os.posix_fallocate(file, 0, 500),
            "map": map,
        }
        for way, change in ways.items():
            for mode in 0o6777, 0o4766, 0o2777, 0o2766, 0o6766:
                for opens in "before", "after":
                    path = os.path.join(sys.argv[1], f"{way} {mode:o} {opens}.bin")
                    with open(path, "wb") as file: file.write(bytes(100))
                    # Of a group that neither the user nor docfs belongs to.
                    os.chown(path, 0, 54321)
                    os.chmod(path, 0o666)
                    ready, go = os.pipe(), os.pipe()
                    child = os.fork()
                    if child == 0:
                        os.setgroups([]); os.setgid(65534); os.setuid(65534)
                        if opens == "before": file = os.open(path, os.O_RDWR)
                        os.write(ready[1], b"x"); os.read(go[0], 1)
                        if opens == "after": file = os.open(path, os.O_RDWR)
                        change(file, path)
                        os._exit(0)
                    os.read(ready[0], 1)
                    os.chmod(path, mode)
                    os.write(go[1], b"x")
                    assert os.waitpid(child, 0)[1] == 0
                    for end in ready + go: os.close(end)
                    print(way, f"{mode:o}", opens, f"{os.stat(path).st_mode & 0o7777:o}")
        """

    @Test(.enabled(if: getuid() == 0, "only the superuser becomes someone else"))
    func `set-id bits go with a change by another user exactly as in a plain folder`() async throws {
        try await withDevice(.allowingOthers) { device in
            let plain = device.folder / "plain"
            try plain.makeFolder()
            let expected = try await runProgram("python3", ["-c", Self.setIDProgram, plain.string])
            #expect(expected.exitStatus == 0, "\(expected.standardError)")
            #expect(expected.standardOutput.split(separator: "\n").count == 70)
            for folder in [device.local, device.cloud] {
                let found = try await runProgram("python3", ["-c", Self.setIDProgram, folder.string])
                #expect(found.standardOutput == expected.standardOutput, "\(found.standardError)")
            }
        }
    }

    @Test(.enabled(if: getuid() == 0, "only the superuser gives files away"))
    func `the history of a private document is as private, and its owner's`() async throws {
        try await withDevice(.allowingOthers) { device in
            let document = device.cloud / "Diary.txt"
            try document.create("first")
            try await device.waitUntilUploaded(document)
            try document.write("second")
            try await eventually { try (device.cloud / "Diary.txt.versions").listing().count == 1 }
            try document.setOwner(12345, group: 54321)
            for (mode, version, folder) in [(0o600, 0o400, 0o500), (0o640, 0o440, 0o550), (0o664, 0o444, 0o555)]
                as [(mode_t, mode_t, mode_t)]
            {
                try document.setPermissions(FilePermissions(rawValue: mode))
                let versions = device.cloud / "Diary.txt.versions"
                #expect(try versions.linkStatus().st_mode & 0o7777 == folder)
                let status = try (versions / versions.listing()[0]).linkStatus()
                #expect(status.st_mode & 0o7777 == version)
                #expect(status.st_uid == 12345)
                #expect(status.st_gid == 54321)
            }
            try document.setPermissions(FilePermissions(rawValue: 0o600))
            func reads(as user: String) async throws -> Bool {
                let reading = try await runProgram(
                    "setpriv",
                    [
                        "--reuid", user, "--regid", "65534", "--clear-groups", "sh", "-c",
                        "cat cloud/Diary.txt.versions/*",
                    ],
                    in: device.documents)
                return reading.standardOutput == "first"
            }
            #expect(try await !reads(as: "65534"))
            #expect(try await reads(as: "12345"))
        }
    }

    @Test(.enabled(if: getuid() == 0, "only the superuser gives files away"))
    func `a new version from another device keeps the owner and the group that the file has here`() async throws {
        try await withTwoDevices(.allowingOthers) { laptop, desktop in
            let here = laptop.cloud / "Plan.txt"
            try here.create("plan")
            try here.setPermissions(FilePermissions(rawValue: 0o600))
            try here.setOwner(12345, group: 54321)
            let there = desktop.cloud / "Plan.txt"
            try await eventually { try there.text() == "plan" }
            try there.write("another plan")
            try await desktop.waitUntilUploaded(there)
            // Before the content is here, and after.
            try await eventually { try here.linkStatus().st_size == 12 }
            #expect(try here.linkStatus().st_uid == 12345)
            #expect(try here.linkStatus().st_gid == 54321)
            let reading = try await runProgram(
                "setpriv", ["--reuid", "12345", "--regid", "54321", "--clear-groups", "cat", here.string])
            #expect(reading.standardOutput == "another plan", "\(reading.standardError)")
            #expect(try here.linkStatus().st_uid == 12345)
            #expect(try here.linkStatus().st_gid == 54321)
        }
    }

    @Test func `the modes of Documents, local and cloud can be changed and hold on this machine`() async throws {
        try await withTwoDevices { laptop, desktop in
            let modes: [(FilePath, mode_t)] = [(laptop.documents, 0o711), (laptop.local, 0o700), (laptop.cloud, 0o750)]
            for (folder, mode) in modes { try folder.setPermissions(FilePermissions(rawValue: mode)) }
            for _ in 1...2 {
                for (folder, mode) in modes { #expect(try folder.linkStatus().st_mode & 0o7777 == mode) }
                try await laptop.remount()
            }
            try (laptop.cloud / "Marker.txt").create("marker")
            try await eventually { (desktop.cloud / "Marker.txt").exists }
            try await eventually { try laptop.treeState()["cloud.pending"] == "0" }
            #expect(try desktop.cloud.linkStatus().st_mode & 0o7777 == 0o755)
        }
    }

    @Test func `a whole tree is restored with the times of its top folders`() async throws {
        try await withDevice { device in
            try await device.shell(
                """
                mkdir -p ../../backup/local && echo a > ../../backup/local/A.txt && touch -d 2020-01-02 ../../backup ../../backup/local && \
                rsync -a ../../backup/ ./
                """)
            #expect(try (device.local / "A.txt").text() == "a\n")
            for folder in [device.documents, device.local] {
                #expect(try folder.linkStatus().st_mtim.tv_sec < 1_600_000_000, "\(folder)")
            }
        }
    }
}
