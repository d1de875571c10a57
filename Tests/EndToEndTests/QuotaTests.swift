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
            try await runShell(": > store/hog", in: device.folder)
            let large = device.local / "Large.bin"
            #expect(throws: Errno.diskQuotaExceeded) { try LargeContent(pieces: 100).write(to: large) }
            func expectRefusal() throws {
                let refusal = #expect(throws: Errno.self) { try (device.local / "New.txt").create("new") }
                // The catalog may be the first that has no room.
                #expect(refusal == .diskQuotaExceeded || refusal == .noSpace)
                #expect(try device.treeState()["store.error"]?.hasSuffix("until there is room") == true)
                for folder in [device.local, device.cloud] { #expect(try (folder / "Plan.txt").text() == "plan") }
            }
            try expectRefusal()
            try await device.crash()
            // Another program takes the rest.
            try await runShell(
                "for size in 64k 4k 512; do dd if=/dev/zero of=store/hog oflag=append conv=notrunc bs=$size 2>/dev/null || :; sync store/hog || :; done",
                in: device.folder)
            try await device.mount()
            try expectRefusal()
            try await runShell("rm store/hog; sync -f store", in: device.folder)
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
