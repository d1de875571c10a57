import Foundation
import MountSupport
import SystemPackage
import Testing

/// Containers that lost objects, were put back to an older state, or were replaced; and `docfs check` (Semantics, "A container that was damaged").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct CheckTests {
    /// Two devices with three documents, each with a commit of its own, on both.
    private func withDocuments(
        _ body: (_ laptop: Device, _ desktop: Device, _ container: FilePath) async throws -> Void
    ) async throws {
        try await withTwoDevices(.plain) { laptop, desktop in
            for name in ["a.txt", "b.txt", "c.txt"] {
                try (laptop.cloud / name).create("text of \(name)")
                try await laptop.waitUntilUploaded(laptop.cloud / name)
            }
            for name in ["a.txt", "b.txt", "c.txt"] {
                try await eventually { try (desktop.cloud / name).text() == "text of \(name)" }
            }
            try await body(laptop, desktop, laptop.cloudDirectory.path)
        }
    }

    private func connection(_ device: Device) throws -> String { try device.treeState()["cloud.connection"] ?? "" }

    private func waitForFault(_ devices: [Device], _ text: String) async throws {
        for device in devices { try await eventually { try connection(device).contains(text) } }
    }

    private func waitUntilOnline(_ devices: [Device]) async throws {
        for device in devices { try await eventually { try connection(device) == "online" } }
    }

    private func expectInStep(_ laptop: Device, _ desktop: Device) async throws {
        try await waitUntilOnline([laptop, desktop])
        try (laptop.cloud / "after.txt").create("after")
        try await eventually { try (desktop.cloud / "after.txt").text() == "after" }
        #expect(try laptop.cloud.documentNames() == desktop.cloud.documentNames())
    }

    @Test func `a hole in the log is said by every device, and mended from one of them`() async throws {
        try await withDocuments { laptop, desktop, container in
            #expect(try await laptop.docfs("check", laptop.mountpoint.string).line == "ok: 3 documents in the cloud")
            let entries = try (container / "log").listing().sorted()
            try (container / "log" / entries[1]).remove()
            try await waitForFault([laptop, desktop], "hole at position 2")
            try (laptop.cloud / "pending.txt").create("pending")
            let check = try await laptop.docfs("check", laptop.mountpoint.string)
            #expect(check.exitStatus == 1)
            #expect(check.line.contains("hole at position 2"))
            #expect(check.oneErrorLine != nil)
            #expect(try (container / "log").listing().count == entries.count - 1)
            #expect(try laptop.treeState()["check.findings"] == "1")
            #expect(try desktop.treeState()["check.findings"] == nil)
            let status = try await laptop.terminal("status .", columns: 200, environment: "NO_COLOR=1")
            #expect(status.contains("docfs check found 1 fault; docfs check --repair mends what it can."))
            let repair = try await laptop.docfs("check", "--repair", (laptop.cloud / "a.txt").string)
            #expect(repair.exitStatus == 0, "\(repair)")
            #expect(repair.lines.first?.hasPrefix("repaired: ") == true)
            #expect(try laptop.treeState()["check.findings"] == nil)
            try await eventually { try (desktop.cloud / "pending.txt").text() == "pending" }
            try await expectInStep(laptop, desktop)
        }
    }

    @Test(arguments: ["rm -rf container log documents checkpoint", "find . -mindepth 1 -delete", "rm -r log"])
    func `an emptied container is filled again from what is here`(script: String) async throws {
        try await withDocuments { laptop, desktop, container in
            let before = try laptop.cloud.documentNames()
            try await runShell(script, in: container)
            try await waitForFault([laptop, desktop], "docfs check --repair")
            #expect(try laptop.cloud.documentNames() == before)
            // A device that is mounted meanwhile says so as well.
            try await desktop.remount()
            try await waitForFault([desktop], "docfs check --repair")
            #expect(try desktop.cloud.documentNames() == before)
            let repair = try await laptop.docfs("check", "--repair", laptop.mountpoint.string)
            #expect(repair.exitStatus == 0, "\(repair)")
            try await expectInStep(laptop, desktop)
            #expect(try await desktop.docfs("check", desktop.mountpoint.string).exitStatus == 0)
        }
    }

    @Test func `a container put back to an older state is noticed, and what it lost comes back`() async throws {
        try await withDocuments { laptop, desktop, container in
            try await runShell("cp -a '\(container)' '\(container).backup'", in: container)
            try (laptop.cloud / "later.txt").create("later")
            try (desktop.cloud / "a.txt").write("changed")
            try await eventually { try (desktop.cloud / "later.txt").text() == "later" }
            try await eventually { try (laptop.cloud / "a.txt").text() == "changed" }
            try await runShell("rm -rf '\(container)'; mv '\(container).backup' '\(container)'", in: laptop.folder)
            try await waitForFault([laptop, desktop], "rolled back")
            let repair = try await desktop.docfs("check", "--repair", desktop.mountpoint.string)
            #expect(repair.exitStatus == 0, "\(repair)")
            try await expectInStep(laptop, desktop)
            for device in [laptop, desktop] {
                #expect(try (device.cloud / "later.txt").text() == "later")
                #expect(try (device.cloud / "a.txt").text() == "changed")
            }
        }
    }

    @Test func `contents that are missing are named, and sent again by a device that has them`() async throws {
        try await withDocuments { laptop, desktop, container in
            try (laptop.cloud / "d.txt").create("text of d.txt")
            try await laptop.waitUntilUploaded(laptop.cloud / "d.txt")
            try await eventually { (desktop.cloud / "d.txt").exists }
            try await runShell("find documents -type f -delete", in: container)
            #expect(throws: Errno.ioError) { try (desktop.cloud / "d.txt").text() }
            let error = try (desktop.cloud / "d.txt").state()["error"]
            #expect(error?.contains("docfs check --repair") == true)
            let there = try await desktop.docfs("check", "--repair", desktop.mountpoint.string)
            #expect(there.exitStatus == 1)
            #expect(there.lines.contains { $0.hasPrefix("missing: the content of d.txt") })
            #expect(there.lines.contains("sent again: 3 missing contents"))
            let here = try await laptop.docfs("check", "--repair", "--json", laptop.mountpoint.string)
            #expect(here.exitStatus == 0)
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(here.standardOutput.utf8)) as? [String: Any])
            #expect(json["isWhole"] as? Bool == true)
            try await eventually { try (desktop.cloud / "d.txt").text() == "text of d.txt" }
        }
    }

    @Test func `another container is said, and nothing of either is touched`() async throws {
        try await withDocuments { laptop, desktop, container in
            try await laptop.unmount()
            try await runShell("mv '\(container)' '\(container).away'", in: laptop.folder)
            let stranger = try Device(
                name: "stranger", in: laptop.folder, cloudDirectory: laptop.cloudDirectory, options: laptop.options)
            do {
                try await stranger.mount()
                try (stranger.cloud / "theirs.txt").create("theirs")
                try await stranger.waitUntilUploaded(stranger.cloud / "theirs.txt")
                try await laptop.mount()
                try await waitForFault([laptop, desktop], "another container")
                try (laptop.cloud / "mine.txt").create("mine")
                #expect(try laptop.cloud.documentNames().count == 4)
                #expect(try stranger.cloud.documentNames().count == 1)
                try await runShell("rm -rf '\(container)'; mv '\(container).away' '\(container)'", in: laptop.folder)
                try await expectInStep(laptop, desktop)
                #expect(try (desktop.cloud / "mine.txt").text() == "mine")
            } catch {
                await stranger.dismantle()
                throw error
            }
            await stranger.dismantle()
        }
    }

    @Test func `the same container may have another URL at the next mount`() async throws {
        try await withDocuments { laptop, desktop, container in
            try await laptop.unmount()
            try await desktop.unmount()
            let elsewhere = FilePath(container.string + " moved")
            try container.rename(to: elsewhere)
            for device in [laptop, desktop] {
                var arguments = device.mountArguments
                let index = try #require(arguments.firstIndex(of: "--cloud"))
                arguments[index + 1] = "file://" + elsewhere.string.replacing(" ", with: "%20")
                #expect(try await device.attemptMount(arguments).exitStatus == 0)
            }
            try await expectInStep(laptop, desktop)
        }
    }

    @Test func `a check shows a progress bar on a terminal, and none elsewhere`() async throws {
        try await withDevice { device in
            let environment = ["CHECK": "\(try DocfsBinary.path.string) check \(device.mountpoint.string)"]
            let elsewhere = try await device.shell("$CHECK 2>&1", environment: environment)
            #expect(elsewhere.standardOutput == "ok: 0 documents in the cloud\n")
            // A check may end before it is asked how far it is.
            try await eventually {
                let shown = try await device.terminal("check", columns: 80)
                return shown.contains(
                    /\r(checking the store|reading the cloud's log|looking for contents in the cloud) .*░/)
                    && shown.contains("ok: 0")
            }
        }
    }

    @Test func `a check of what is no mount is refused`() async throws {
        try await withDevice { device in
            let result = try await device.docfs("check", "/")
            #expect(result.exitStatus == 1)
            #expect(result.oneErrorLine != nil)
            #expect(try await device.docfs("check", "--nonsense").exitStatus == 64)
        }
    }
}
