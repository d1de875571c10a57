import Glibc
import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct SymbolicLinkTests {
    @Test(arguments: Listing.allCases)
    func `symbolic links are kept as they are, names and targets`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let targets = [
                "Plan.txt": "link.txt", "/etc/passwd": "absolute", "../cloud/Ünïcödé": "up.md",
                "does not exist": "dangling", String(repeating: "long/", count: 200): "long",
            ]
            for container in [device.local, device.cloud] {
                for (target, name) in targets {
                    let link = container / name
                    try link.makeSymbolicLink(to: target)
                    #expect(try link.stat(followTargetSymlink: false).type == .symbolicLink)
                    let read = try await runProgram("readlink", ["-n", link.string])
                    #expect(read.standardOutput == target)
                }
                #expect(try Set(container.documentNames()) == Set(targets.values))
            }
            try await device.remount()
            #expect((device.local / "dangling").symbolicLinkTarget == "does not exist")
            #expect((device.cloud / "dangling").symbolicLinkTarget == "does not exist")
        }
    }

    @Test func `a symbolic link leads to a document by either of its names`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            let filename = try (device.local / "Plan.txt").filename()
            try (device.local / "byName").makeSymbolicLink(to: "Plan.txt")
            try (device.cloud / "byFilename").makeSymbolicLink(to: "../local/\(filename)")
            #expect(try (device.local / "byName").text() == "plan")
            #expect(try (device.cloud / "byFilename").text() == "plan")
            try (device.local / "byName").append(", changed")
            #expect(try (device.local / "Plan.txt").text() == "plan, changed")
        }
    }

    @Test func `symbolic links are no documents: they have no state and no generated name`()
        async throws
    {
        try await withDevice { device in
            try (device.local / "link.txt").makeSymbolicLink(to: "nowhere")
            #expect(!(device.local / "link.txt").stateFile.exists)
            #expect(throws: Errno.self) { try (device.local / "link.txt").displayName() }
            #expect(throws: Errno.self) { try (device.local / "link.txt").identifier() }
            #expect(try device.local.listing().contains("link.txt"))
            #expect(try device.treeState()["local.documents"] == "0")
        }
    }

    @Test func `symbolic links are renamed, replaced and removed`() async throws {
        try await withDevice { device in
            let link = device.local / "link"
            try link.makeSymbolicLink(to: "first")
            #expect(throws: Errno.fileExists) { try link.makeSymbolicLink(to: "second") }
            try link.rename(to: device.local / "renamed")
            #expect(try device.local.documentNames() == ["renamed"])
            #expect((device.local / "renamed").symbolicLinkTarget == "first")
            try await device.shell("ln -sfn second local/renamed")
            #expect((device.local / "renamed").symbolicLinkTarget == "second")
            try (device.local / "renamed").remove()
            #expect(try device.local.documentNames() == [])
        }
    }

    @Test func `symbolic links travel`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (laptop.cloud / "Folder").makeFolder()
            try (laptop.cloud / "Folder" / "link.txt").makeSymbolicLink(to: "../Plan.txt")
            let there = desktop.cloud / "Folder" / "link.txt"
            try await eventually { there.symbolicLinkTarget == "../Plan.txt" }
            #expect(try (desktop.cloud / "Folder").listing() == ["link.txt"])
            try there.rename(to: desktop.cloud / "moved")
            try await eventually {
                (laptop.cloud / "moved").symbolicLinkTarget == "../Plan.txt"
                    && !(laptop.cloud / "Folder" / "link.txt").exists
            }
            try (laptop.cloud / "moved").remove()
            try await eventually { !(desktop.cloud / "moved").exists }
        }
    }

    @Test func `symbolic links migrate`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (laptop.local / "link").makeSymbolicLink(to: "target")
            try (laptop.local / "link").rename(to: laptop.cloud / "link")
            #expect((laptop.cloud / "link").symbolicLinkTarget == "target")
            #expect(!(laptop.local / "link").exists)
            try await eventually { (desktop.cloud / "link").symbolicLinkTarget == "target" }
            try (desktop.cloud / "link").rename(to: desktop.local / "link")
            #expect((desktop.local / "link").symbolicLinkTarget == "target")
            try await eventually { !(laptop.cloud / "link").exists }
        }
    }
}
