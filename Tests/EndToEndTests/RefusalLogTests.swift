import Glibc
import MountSupport
import SystemPackage
import Testing

/// The log answers why a system call was refused.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct RefusalLogTests {
    /// Tries what is refused: a migration never overwrites.
    private static func overwrite(on device: Device) async throws {
        for folder in [device.local, device.cloud] { try (folder / "Plan.txt").create("plan") }
        #expect(throws: Errno.fileExists) {
            try (device.local / "Plan.txt").rename(to: device.cloud / "Plan.txt")
        }
        #expect(throws: Errno.noSuchFileOrDirectory) { try (device.local / "Missing.txt").linkStatus() }
    }

    private static func refusals(of operation: String, on device: Device) throws -> [String] {
        try (device.store / "docfs.log").text().split(separator: "\n").map(String.init).filter {
            $0.contains("operation=\(operation) ") || $0.hasSuffix("operation=\(operation)")
        }
    }

    @Test func `with --log-level debug the log has operation, inode, names, error number and reason of each refusal`()
        async throws
    {
        try await withDevice(MountOptions(logLevel: "debug")) { device in
            try await Self.overwrite(on: device)
            let folders = try [device.local, device.cloud].map { try $0.linkStatus().st_ino }
            let renames = try Self.refusals(of: "rename", on: device)
            #expect(renames.count == 1)
            for part in [
                "debug", "errno=EEXIST", "reason=", "inode=\(folders[0])", #"name="Plan.txt""#,
                "newInode=\(folders[1])",
                #"newName="Plan.txt""#,
            ] {
                #expect(renames.first?.contains(part) == true, "\(part): \(renames)")
            }
            let lookups = try Self.refusals(of: "lookup", on: device).filter { $0.contains(#"name="Missing.txt""#) }
            #expect(lookups.first?.contains("errno=ENOENT") == true)
        }
    }

    @Test func `an open that waits for content tells by name or inode why it failed`() async throws {
        try await withTwoDevices(MountOptions(timeoutSeconds: 1, logLevel: "debug")) { laptop, desktop in
            try (laptop.cloud / "Plan.txt").create("plan")
            try await eventually { (desktop.cloud / "Plan.txt").exists }
            let inode = try (desktop.cloud / "Plan.txt").linkStatus().st_ino
            try desktop.cloudDirectory.disconnect()
            #expect(throws: Errno.noRouteToHost) { try (desktop.cloud / "Plan.txt").bytes() }
            let opens = try Self.refusals(of: "open", on: desktop)
            #expect(opens.contains { $0.contains("errno=EHOSTUNREACH") && $0.contains("inode=\(inode) ") })
            try desktop.cloudDirectory.reconnect()
        }
    }

    @Test func `by default the log says nothing of refusals`() async throws {
        try await withDevice { device in
            try await Self.overwrite(on: device)
            #expect(try !(device.store / "docfs.log").text().contains("refused"))
        }
    }
}
