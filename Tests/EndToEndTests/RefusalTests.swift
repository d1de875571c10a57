import Glibc
import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct RefusalTests {
    @Test(arguments: ["local", "cloud"])
    func `hard links, devices, sockets and FIFOs are EPERM`(container: String) async throws {
        try await withDevice { device in
            let folder = device.documents / container
            let document = folder / "Plan.txt"
            try document.create("plan")
            #expect(throws: Errno.notPermitted) {
                try document.call { path in
                    (folder / "Hard.txt").withPlatformString { link(path, $0) }
                }
            }
            #expect(throws: Errno.notPermitted) { try (folder / "fifo").call { mkfifo($0, 0o600) } }
            #expect(throws: Errno.notPermitted) {
                try (folder / "socket").call { mknod($0, S_IFSOCK | 0o600, 0) }
            }
            if getuid() == 0 {
                for type in [S_IFCHR, S_IFBLK] {
                    #expect(throws: Errno.notPermitted) {
                        try (folder / "device").call { mknod($0, type | 0o600, 259) }
                    }
                }
            }
            #expect(try folder.documentNames().count == 1)
        }
    }

    @Test func `mknod of a regular file makes a document`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").call { mknod($0, S_IFREG | 0o600, 0) }
            #expect(try (device.local / "Plan.txt").displayName() == "Plan")
            #expect(try (device.local / "Plan.txt").stat().size == 0)
        }
    }

    @Test func `a name that does not exist is ENOENT`() async throws {
        try await withDevice { device in
            let missing = device.local / "Missing.txt"
            #expect(throws: Errno.noSuchFileOrDirectory) { try missing.stat() }
            #expect(throws: Errno.noSuchFileOrDirectory) { try missing.open(.readWrite) }
            #expect(throws: Errno.noSuchFileOrDirectory) { try missing.remove() }
            #expect(throws: Errno.noSuchFileOrDirectory) {
                try missing.rename(to: device.local / "x")
            }
            #expect(throws: Errno.noSuchFileOrDirectory) { try missing.stateFile.stat() }
        }
    }

    @Test func `nothing is made beside Documents`() async throws {
        try await withDevice { device async throws in
            #expect(throws: Errno.notPermitted) { try (device.mountpoint / "Plan.txt").create() }
            #expect(throws: Errno.notPermitted) { try (device.mountpoint / "Folder").makeFolder() }
            #expect(try device.mountpoint.listing() == ["Documents"])
        }
    }

    @Test(.enabled(if: getuid() == 0, "only the superuser becomes someone else"))
    func `only the person who mounted it sees the mount`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            // The folders above are open to all; it is the mount that refuses.
            let stranger = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
            let listing = try await runProgram(
                "setpriv", stranger + ["ls", device.mountpoint.string])
            #expect(listing.exitStatus != 0)
            #expect(listing.standardError.contains("Permission denied"))
        }
    }

    @Test(.enabled(if: getuid() == 0, "only the superuser becomes someone else"))
    func `with --allow-other others see the mount`() async throws {
        try await withUnmountedDevice { device in
            let mounted = try await device.attemptMount(device.mountArguments + ["--allow-other"])
            try #require(mounted.exitStatus == 0, "\(mounted.standardError)")
            let stranger = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
            let listing = try await runProgram(
                "setpriv", stranger + ["ls", device.mountpoint.string])
            #expect(listing.line == "Documents")
        }
    }
}
