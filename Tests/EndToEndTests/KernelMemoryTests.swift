import Glibc
import MountSupport
import SystemPackage
import Testing

/// The kernel's caches of names, attributes and listings are invalidated when these change.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct KernelMemoryTests {
    @Test(arguments: [Listing.filenames, .displayNames], [false, true])
    func `an edit by the listed name, after another device saved, is an edit of what it saved`(
        listing: Listing, isRead: Bool
    ) async throws {
        try await withTwoDevices(MountOptions(listing: listing)) { laptop, desktop in
            let document = laptop.cloud / "Groceries.txt"
            try document.create("milk\n")
            try await laptop.waitUntilUploaded(document)
            try await eventually { try desktop.cloud.documentNames().count == 1 }
            let there = desktop.cloud / (try #require(try desktop.cloud.documentNames().first))
            #expect(try there.text() == "milk\n")
            // The reader keeps the file open to which the name led.
            let reader = isRead ? try there.open(.readOnly) : nil
            try document.append("eggs\n")
            try await eventually { try there.state()["downloading"] == "outdated" }
            try there.append("bread\n")
            #expect(try there.text() == "milk\neggs\nbread\n")
            #expect(try reader?.text() ?? "milk\n" == "milk\n")
            try await eventually { try document.text() == "milk\neggs\nbread\n" }
            #expect(try document.state()["conflicts"] == "0")
        }
    }

    @Test func `content that is arriving has no holes`() async throws {
        try await withTwoDevices { laptop, desktop in
            let content = LargeContent(pieces: 96)
            let original = laptop.cloud / "Film.bin"
            try content.write(to: original)
            try await laptop.waitUntilUploaded(original)
            let placeholder = desktop.cloud / "Film.bin"
            try await eventually { placeholder.exists }
            let file = try placeholder.open(.readOnly)
            #expect(try file.seek(.hole, from: 0) == Int(content.size))
            #expect(try file.seek(.data, from: 1_000_000) == 1_000_000)
            #expect(try file.seek(.data, from: Int(content.size) - 1) == Int(content.size) - 1)
            #expect(throws: Errno.noSuchAddressOrDevice) { try file.seek(.data, from: Int(content.size)) }
            let copy = desktop.folder / "copy"
            let result = try await runProgram("cp", ["--sparse=auto", placeholder.string, copy.string])
            #expect(result.exitStatus == 0)
            #expect(try content.matches(copy))
        }
    }

    @Test func `a listing under way shows every document once, whatever another device saves`() async throws {
        try await withTwoDevices { laptop, desktop in
            // Long names, so that the kernel asks for the listing in several pages.
            let names = (100..<400).map { ".\(String(repeating: "long", count: 50)) \($0)" }
            for name in names { try (laptop.cloud / name).create("first") }
            let changing = [names[0], names[150], names[298], names[299]]
            try await eventually { try desktop.cloud.documentNames().count == names.count }
            for name in changing { _ = try (desktop.cloud / name).text() }
            let directory = try OpenDirectory(desktop.cloud)
            var listed = [try #require(try directory.next()).name]
            for name in changing { try (laptop.cloud / name).write("second version") }
            for name in changing {
                try await eventually { try (desktop.cloud / name).state()["downloading"] == "outdated" }
            }
            while let entry = try directory.next() { listed.append(entry.name) }
            #expect(listed == names)
            for name in changing { #expect(try (desktop.cloud / name).text() == "second version") }
        }
    }

    @Test func `creating through Documents changes the folder where the document lies`() async throws {
        try await withDevice { device in
            let before = try device.local.stat().st_mtim
            var number = 0
            // As often as the clock of the file system needs to move on.
            try await eventually {
                number += 1
                try (device.documents / "\(number).txt").create()
                let after = try device.local.stat().st_mtim
                return (after.tv_sec, after.tv_nsec) > (before.tv_sec, before.tv_nsec)
            }
            try device.documents.open(.readOnly).synchronize()
            #expect(try device.local.documentNames().count == number)
        }
    }

    @Test(arguments: Listing.allCases)
    func `a document that is changed by its place in Documents changes in its folder at once`(listing: Listing)
        async throws
    {
        try await withDevice(MountOptions(listing: listing)) { device in
            func listed(_ name: String) throws -> FilePath {
                device.local / (listing == .filenames ? try (device.local / name).filename() : name)
            }
            try (device.local / "Plan.txt").create("plan")
            let plan = try listed("Plan.txt")
            _ = try plan.stat()
            try (device.documents / "Plan.txt").rename(to: device.documents / "Goal.txt")
            #expect(!(device.local / "Plan.txt").exists)
            #expect(try (device.local / "Goal.txt").text() == "plan")

            let goal = try listed("Goal.txt")
            _ = try goal.stat()
            try (device.documents / ".goutputstream-1").create("new")
            try (device.documents / ".goutputstream-1").rename(to: device.documents / "Goal.txt")
            #expect(try goal.text() == "new")
            #expect(try (device.local / "Goal.txt").text() == "new")

            _ = try goal.stat()
            try (device.documents / "Goal.txt").remove()
            #expect(!goal.exists)
            try (device.local / "Goal.txt").makeFolder()
        }
    }
}
