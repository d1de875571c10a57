import Glibc
import MountSupport
import SystemPackage
import Testing

/// What stays on this device: `docfs download`, `evict`, `keep` and `mount --cache-limit`.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct StayingTests {
    /// A document that the laptop has sent, and that is a placeholder on the desktop.
    private static func send(_ name: String, _ text: String, laptop: Device, desktop: Device) async throws -> FilePath {
        let document = laptop.cloud / name
        try document.create(text)
        let placeholder = desktop.cloud / name
        try await eventually {
            let state = try placeholder.state()["downloading"]
            return try state != nil && document.state()["uploading"] == "uploaded"
        }
        return placeholder
    }

    @Test func `download brings contents here, of a folder all of them`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (laptop.cloud / "Work").makeFolder()
            try (laptop.cloud / "Work/Inner").makeFolder()
            for name in ["Work/a.txt", "Work/Inner/b.txt"] {
                _ = try await Self.send(name, "milk", laptop: laptop, desktop: desktop)
            }
            let single = try await Self.send("Plan.txt", "eggs", laptop: laptop, desktop: desktop)
            let folder = try await desktop.docfs("download", (desktop.cloud / "Work").string)
            #expect(folder.exitStatus == 0, "\(folder.standardError)")
            for name in ["Work/a.txt", "Work/Inner/b.txt"] {
                #expect(try (desktop.cloud / name).state()["downloading"] == "current")
                #expect(try (desktop.cloud / name).stat().blocksAllocated > 0)
            }
            #expect(try single.state()["downloading"] == "notDownloaded")
            #expect(try await desktop.docfs("download", single.string).exitStatus == 0)
            try desktop.cloudDirectory.disconnect()
            #expect(try single.text() == "eggs")
            try desktop.cloudDirectory.reconnect()
        }
    }

    @Test func `download without a connection says why and ends with 1`() async throws {
        try await withTwoDevices { laptop, desktop in
            let placeholder = try await Self.send("Plan.txt", "eggs", laptop: laptop, desktop: desktop)
            try desktop.cloudDirectory.disconnect()
            try await eventually {
                try (desktop.documents / ".state").text().contains("cloud.connection: offline")
            }
            let result = try await desktop.docfs("download", placeholder.string)
            #expect(result.exitStatus == 1)
            #expect(result.standardError == "docfs: \(placeholder) cannot be fetched: the cloud cannot be reached\n")
            // Found in its folder, it is called by the name that a person knows as well.
            let folder = try await desktop.docfs("download", desktop.cloud.string)
            #expect(folder.standardError == result.standardError)
            try desktop.cloudDirectory.reconnect()
        }
    }

    @Test func `evict makes a placeholder again, and opening brings the content back`() async throws {
        try await withTwoDevices { laptop, desktop in
            let text = String(repeating: "milk and eggs\n", count: 5000)
            let document = try await Self.send("Plan.txt", text, laptop: laptop, desktop: desktop)
            #expect(try document.text() == text)
            try await eventually { try document.state()["downloading"] == "current" }
            let before = try document.stat()
            #expect(before.blocksAllocated > 0)
            #expect(try desktop.treeState()["cloud.room"] == String(text.utf8.count))
            let result = try await desktop.docfs("evict", document.string)
            #expect(result.exitStatus == 0, "\(result.standardError)")
            let after = try document.stat()
            #expect(after.blocksAllocated == 0 && after.size == before.size)
            #expect(after.st_mtim.tv_nsec == before.st_mtim.tv_nsec)
            #expect(try document.state()["downloading"] == "notDownloaded")
            #expect(try desktop.treeState()["cloud.room"] == "0")
            #expect(try laptop.treeState()["cloud.room"] == String(text.utf8.count))
            #expect(try !(desktop.storedCloud / document.filename()).exists)
            #expect(try document.text() == text)
            #expect(try await desktop.docfs("evict", (laptop.cloud / "Plan.txt").string).exitStatus == 0)
            #expect(try (laptop.cloud / "Plan.txt").text() == text)
        }
    }

    @Test func `what is open, kept, not sent or local stays, and the reason is one line`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = try await Self.send("Plan.txt", "eggs", laptop: laptop, desktop: desktop)
            #expect(try document.text() == "eggs")
            try await eventually { try document.state()["downloading"] == "current" }
            func refused(_ path: FilePath, _ reason: String) async throws {
                let result = try await desktop.docfs("evict", path.string)
                #expect(result.exitStatus == 1)
                #expect(
                    result.standardError.hasPrefix("docfs: \(path) stays here: \(reason)"), "\(result.standardError)")
                #expect(result.standardError.split(separator: "\n").count == 1)
            }
            let open = try document.open(.readOnly)
            try await refused(document, "a program has it open")
            try open.close()
            try document.setAttribute("user.document.keep", "always")
            try await refused(document, "it is kept here")
            try document.removeAttribute("user.document.keep")
            let mine = desktop.local / "Mine.txt"
            try mine.create("mine")
            try await refused(mine, "it is a document of local")
            try desktop.cloudDirectory.disconnect()
            let new = desktop.cloud / "New.txt"
            try new.create("new")
            try await refused(new, "its changes are not in the cloud yet")
            #expect(throws: Errno.resourceBusy) { try new.setAttribute("user.document.downloading", "notDownloaded") }
            #expect(try new.text() == "new")
            try desktop.cloudDirectory.reconnect()
        }
    }

    @Test func `a kept folder fetches what other devices add to it and newer versions, and keep --off ends that`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            try (laptop.cloud / "Work").makeFolder()
            let first = try await Self.send("Work/a.txt", "one", laptop: laptop, desktop: desktop)
            let kept = try await desktop.docfs("keep", (desktop.cloud / "Work").string)
            #expect(kept.exitStatus == 0, "\(kept.standardError)")
            #expect(try first.stat().blocksAllocated > 0)
            #expect(try first.attribute("user.document.keep") == "always")
            #expect(try !first.attributeNames().contains("user.document.keep"))
            try (laptop.cloud / "Work/b.txt").create("two")
            let second = desktop.cloud / "Work/b.txt"
            try await eventually {
                try second.exists && second.state()["downloading"] == "current"
            }
            try (laptop.cloud / "Work/a.txt").write("one, edited")
            try await eventually {
                try first.stat().size == 11 && first.state()["downloading"] == "current"
            }
            let refused = try await desktop.docfs("keep", desktop.local.string)
            #expect(refused.exitStatus == 1)
            #expect(
                refused.standardError.contains("/local cannot be kept: only documents and folders are, and local"),
                "\(refused.standardError)")
            let byFilename = (desktop.cloud / "Work" / (try second.filename())).string
            let inner = try await desktop.docfs("keep", "--off", byFilename)
            #expect(inner.exitStatus == 1)
            #expect(
                inner.standardError.contains("/\(second.lastComponent!.string) is kept because a folder above it is"))
            #expect(try await desktop.docfs("keep", "--off", (desktop.cloud / "Work").string).exitStatus == 0)
            #expect(try await desktop.docfs("evict", (desktop.cloud / "Work").string).exitStatus == 0)
            #expect(try second.stat().blocksAllocated == 0)
            #expect(throws: Errno.noData) { try (laptop.cloud / "Work/a.txt").attribute("user.document.keep") }
        }
    }

    @Test func `with --cache-limit the documents that were opened longest ago give way`() async throws {
        var limited = MountOptions()
        limited.cacheLimit = "4M"
        try await withTwoDevices(secondOptions: limited) { laptop, desktop in
            let text = String(repeating: "0123456789abcdef", count: 65536)
            let names = (0..<8).map { "Film \($0).txt" }
            for name in names { _ = try await Self.send(name, text, laptop: laptop, desktop: desktop) }
            for name in names {
                #expect(try (desktop.cloud / name).text() == text)
                // Contents give way a moment after a document is closed.
                try await eventually {
                    let usage = try await desktop.shell("du -sk cloud")
                    return try #require(usage.line.split(separator: "\t").first.flatMap { Int($0) }) <= 5 * 1024 + 64
                }
            }
            try await eventually { try (desktop.cloud / names[7]).state()["downloading"] == "current" }
            try await eventually { try (desktop.cloud / names[0]).stat().blocksAllocated == 0 }
            #expect(try (desktop.cloud / names[7]).stat().blocksAllocated > 0)
            #expect(try (desktop.cloud / names[0]).text() == text)
        }
    }

    @Test func `download of more than the limit says that documents have given way`() async throws {
        var limited = MountOptions()
        limited.cacheLimit = "2M"
        try await withTwoDevices(secondOptions: limited) { laptop, desktop in
            let text = String(repeating: "0123456789abcdef", count: 65536)
            let names = (0..<4).map { "Film \($0).txt" }
            for name in names { _ = try await Self.send(name, text, laptop: laptop, desktop: desktop) }
            let result = try await desktop.docfs("download", desktop.cloud.string)
            #expect(result.exitStatus == 1)
            #expect(result.oneErrorLine?.contains("--cache-limit leaves no room") == true, "\(result.standardError)")
            // One that is still on its way would take the room of the next one.
            try await eventually {
                try names.allSatisfy { try (desktop.cloud / $0).state()["downloading"] != "downloading" }
            }
            let one = try await desktop.docfs("download", (desktop.cloud / names[0]).string)
            #expect(one.exitStatus == 0, "\(one.standardError)")
        }
    }

    @Test func `a limit that is no size is wrong usage`() async throws {
        try await withUnmountedDevice { device in
            let result = try await device.attemptMount(device.mountArguments + ["--cache-limit", "much"])
            #expect(result.exitStatus == 64)
        }
    }

    @Test func `a kill while contents give way loses nothing`() async throws {
        var limited = MountOptions()
        limited.cacheLimit = "1M"
        try await withTwoDevices(secondOptions: limited) { laptop, desktop in
            let text = String(repeating: "0123456789abcdef", count: 16384)
            let names = (0..<12).map { "Film \($0).txt" }
            for name in names { _ = try await Self.send(name, text, laptop: laptop, desktop: desktop) }
            for round in 0..<3 {
                async let readers: ProgramResult = runShell(
                    "for f in cloud/*; do cat \"$f\" > /dev/null 2>&1; done; true", in: desktop.documents)
                try await Task.sleep(for: .milliseconds(20 + 30 * round))
                try await desktop.crash()
                _ = try? await readers
                try await desktop.mount()
            }
            for name in names {
                #expect(try (desktop.cloud / name).text() == text)
                #expect(try (laptop.cloud / name).text() == text)
                #expect(try (desktop.cloud / name).state()["conflicts"] == "0")
            }
        }
    }
}
