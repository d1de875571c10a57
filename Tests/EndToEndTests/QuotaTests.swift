import Glibc
import MountSupport
import SystemPackage
import Testing

/// A store that may take only so much room.
@Suite(.mounting, .timeLimit(.minutes(15)), .needsQuota)
struct QuotaTests {
    @Test func `a quota that is used up refuses what is new, and nothing is lost`() async throws {
        try await withQuota("48M", .displayNames) { device in
            for folder in [device.local, device.cloud] { try (folder / "Plan.txt").create("plan") }
            #expect(try await device.docfs("wait", device.mountpoint.string).exitStatus == 0)
            let large = device.local / "Large.bin"
            #expect(throws: Errno.diskQuotaExceeded) { try LargeContent(pieces: 100).write(to: large) }
            func expectRefusal() throws {
                #expect(throws: Errno.diskQuotaExceeded) { try (device.local / "New.txt").create("new") }
                #expect(try device.treeState()["store.error"]?.contains("(a quota)") == true)
                for folder in [device.local, device.cloud] { #expect(try (folder / "Plan.txt").text() == "plan") }
            }
            try expectRefusal()
            try await device.crash()
            try await device.mount()
            try expectRefusal()
            // What was removed gives way to what is new.
            try large.remove()
            try (device.local / "New.txt").create("new")
            #expect(try device.treeState()["store.error"] == nil)
            #expect(try device.local.documentNames().sorted() == ["New.txt", "Plan.txt"])
            try (device.cloud / "Plan.txt").append(", again")
            #expect(try await device.docfs("wait", device.mountpoint.string).exitStatus == 0)
            #expect(try await device.docfs("check", device.mountpoint.string).exitStatus == 0)
        }
    }
}
