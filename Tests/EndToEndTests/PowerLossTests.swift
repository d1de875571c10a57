import MountSupport
import SystemPackage
import Testing

/// After a loss of power, everything that was synced or sent is there, and no document has another one's place or name.
@Suite(.mounting, .timeLimit(.minutes(15)), .needsDiskImages)
struct PowerLossTests {
    private static func waitUntilSent(_ device: Device) async throws {
        try await eventually {
            try device.treeState()["cloud.pending"] == "0"
        }
    }

    @Test func `a document that was moved out of the cloud is here when the cloud has heard of it`() async throws {
        try await withDiskImage { device, disk in
            try (device.cloud / "Letter.txt").create("dear")
            try await device.waitUntilUploaded(device.cloud / "Letter.txt")
            try await disk.synchronize()
            try (device.cloud / "Letter.txt").rename(to: device.local / "Letter.txt")
            try await Self.waitUntilSent(device)
            try await disk.losePower()
            try await device.mount()
            #expect(try (device.local / "Letter.txt").text() == "dear")
            #expect(!(device.cloud / "Letter.txt").exists)
        }
    }

    /// A document of the cloud whose first version is there and on the disk, and that was written once more.
    private static func writeTwice(_ device: Device, _ disk: DiskImage) async throws -> FilePath {
        let letter = device.cloud / "Letter.txt"
        try letter.create("first")
        try await device.waitUntilUploaded(letter)
        try await disk.synchronize()
        try letter.write("second version")
        return letter
    }

    @Test func `what was written just before a document left the cloud is here when the cloud has heard of it`()
        async throws
    {
        try await withDiskImage { device, disk in
            let letter = try await Self.writeTwice(device, disk)
            try letter.rename(to: device.local / "Letter.txt")
            try await Self.waitUntilSent(device)
            try await disk.losePower()
            try await device.mount()
            #expect(try (device.local / "Letter.txt").text() == "second version")
            #expect(!letter.exists)
        }
    }

    @Test func `a save that the cloud has is here, and in conflict with nothing`() async throws {
        try await withDiskImage { device, disk in
            let letter = try await Self.writeTwice(device, disk)
            try await device.waitUntilUploaded(letter)
            try await Self.waitUntilSent(device)
            try await disk.losePower()
            try await device.mount()
            #expect(try letter.text() == "second version")
            try await Self.waitUntilSent(device)
            #expect(try letter.text() == "second version")
            #expect(try letter.state()["conflicts"] == "0")
        }
    }

    @Test func `a save by renaming that nobody synced leaves the old or the new content, whole`() async throws {
        try await withDiskImage { device, disk in
            let letter = device.local / "Letter.txt"
            try letter.create("old")
            try await disk.synchronize()
            for number in 1...20 {
                try await device.shell(
                    "echo new $N > local/.Letter.tmp; mv local/.Letter.tmp local/Letter.txt",
                    environment: ["N": "\(number)"])
            }
            // The journal then has the names, but not necessarily the contents.
            try await runShell("echo > store/other; sync store/other", in: device.folder)
            try await disk.losePower()
            try await device.mount()
            let text = try letter.text()
            #expect(text == "old" || (1...20).contains { text == "new \($0)\n" })
            #expect(try device.local.documentNames().count == 1)
        }
    }

    @Test func `documents that were moved soon after mounting can be reached, also after the next mount`() async throws
    {
        try await withDiskImage { device, disk in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            for number in 1...9 { try (device.local / "\(number).txt").create("\(number)") }
            try await device.unmount()
            try await disk.synchronize()
            try await device.mount()
            for number in 1...9 { try (device.local / "\(number).txt").rename(to: folder / "\(number).txt") }
            // The names are on the disk, and the catalog is not.
            try await disk.losePower(keepsNames: true)
            for _ in 1...2 {
                try await device.mount()
                for number in 1...9 {
                    let found = [device.local, folder].map { $0 / "\(number).txt" }.filter(\.exists)
                    try #require(found.count == 1)
                    #expect(try found[0].text() == "\(number)")
                }
                try await device.unmount()
            }
        }
    }

    @Test func `a removal from the cloud of which only the file's new place is on the disk did not happen`()
        async throws
    {
        try await withDiskImage(besides: MountOptions()) { device, disk, other in
            let document = device.cloud / "Plan.txt"
            try document.create("plan")
            try await device.waitUntilUploaded(document)
            try await device.remount()
            try await disk.synchronize()
            // Rows are durable before the container hears of them.
            try device.cloudDirectory.disconnect()
            try await eventually { try device.treeState()["cloud.connection"] == "offline" }
            try document.remove()
            try await disk.losePower(keepsNames: true)
            try device.cloudDirectory.reconnect()
            try await device.mount()
            try await eventually { try device.treeState()["cloud.pending"] == "0" }
            #expect(try document.text() == "plan")
            try await eventually { try (other.cloud / "Plan.txt").text() == "plan" }
            let check = try await device.docfs("check", device.mountpoint.string)
            #expect(check.exitStatus == 0, "\(check.standardOutput)")
        }
    }

    @Test func `a new document is not found under the name of one that was deleted just before`() async throws {
        try await withDiskImage { device, disk in
            for number in 1...9 { try (device.local / "Old \(number).txt").create("old \(number)") }
            try await device.remount()
            try await disk.synchronize()
            for number in 1...9 { try (device.local / "Old \(number).txt").remove() }
            for number in 1...9 { try (device.local / "New \(number).txt").create("new \(number)") }
            try await runShell("sync store/local/*", in: device.folder)
            try await disk.losePower()
            try await device.mount()
            for name in try device.local.documentNames() {
                let document = device.local / name
                #expect(try document.text() == document.displayName().lowercased())
            }
        }
    }

    @Test func `a synced document is there with its name, attributes and folder`() async throws {
        try await withDiskImage { device, disk in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            let document = folder / "Report.txt"
            try document.create("report")
            try document.setAttribute("user.colour", "green")
            try document.setAttribute("user.displayName", "Annual report")
            try await device.shell("sync local/Folder/'Annual report.txt' local/Folder")
            try await disk.losePower()
            try await device.mount()
            let renamed = folder / "Annual report.txt"
            #expect(try renamed.text() == "report")
            #expect(try renamed.attribute("user.colour") == "green")
        }
    }
}
