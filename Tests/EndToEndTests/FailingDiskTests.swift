import Glibc
import MountSupport
import SystemPackage
import Testing

/// A store whose disk takes no changes any more.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct FailingDiskTests {
    /// One of each kind of change.
    private static let changes: [(name: String, change: @Sendable (FilePath) throws -> Void)] = [
        ("create", { try ($0 / "New.txt").create("new") }),
        ("append", { try ($0 / "Plan.txt").append("more") }),
        ("truncate", { try ($0 / "Plan.txt").call { truncate($0, 0) } }),
        ("rename", { try ($0 / "Plan.txt").rename(to: $0 / "Letter.txt") }),
        ("replace", { try ($0 / "Plan.txt").rename(to: $0 / "Notes.txt") }),
        ("remove", { try ($0 / "Plan.txt").remove() }),
        ("make a folder", { try ($0 / "New").makeFolder() }),
        ("change the mode", { try ($0 / "Plan.txt").setPermissions([.ownerRead]) }),
        ("name", { try ($0 / "Plan.txt").setAttribute("user.displayName", "Letter") }),
        ("link", { try ($0 / "Link").makeSymbolicLink(to: "Plan.txt") }),
    ]

    @Test(.needsDiskImages) func `a disk that became read-only is read, and refuses each change with EROFS`()
        async throws
    {
        try await withDiskImage(.displayNames) { device, disk in
            let containers = [device.local, device.cloud]
            for container in containers {
                for name in ["Plan.txt", "Notes.txt"] { try (container / name).create("\(container)/\(name)") }
            }
            try await eventually { try device.treeState()["cloud.pending"] == "0" }
            try await disk.synchronize()
            #expect(try device.treeState()["store.error"] == nil)
            try await disk.becomeReadOnly()

            for container in containers {
                for name in ["Plan.txt", "Notes.txt"] {
                    #expect(try (container / name).text() == "\(container)/\(name)")
                }
                for (name, change) in Self.changes {
                    #expect(throws: Errno.readOnlyFileSystem, "\(name)") { try change(container) }
                }
                #expect(try container.documentNames() == ["Plan.txt", "Notes.txt"])
            }
            let said = try device.treeState()["store.error"]
            #expect(said?.hasPrefix("the disk of \(device.store) takes no changes (Read-only file system)") == true)
            let status = try await device.docfs("status", "--json", device.mountpoint.string)
            #expect(status.standardOutput.contains("storeError"))

            try await device.unmount()
            try await disk.repair()
            try await device.mount()
            for container in containers {
                for name in ["Plan.txt", "Notes.txt"] {
                    #expect(try (container / name).text() == "\(container)/\(name)")
                }
                try (container / "Plan.txt").append(", again")
            }
            #expect(try device.treeState()["store.error"] == nil)
            #expect(try await device.docfs("check", device.mountpoint.string).exitStatus == 0)
        }
    }

    /// Root may do everything.
    @Test(.enabled(if: geteuid() != 0))
    func `permissions that the store lost refuse what needs them, and nothing is lost when they are back`() async throws
    {
        try await withDevice(.displayNames) { device in
            for container in [device.local, device.cloud] { try (container / "Plan.txt").create("plan") }
            try await eventually { try device.treeState()["cloud.pending"] == "0" }
            let folders = ["local", "cloud", "staging", "trash"].map { device.store / $0 }
            for folder in folders { try folder.setPermissions([]) }
            for container in [device.local, device.cloud] {
                #expect(throws: Errno.permissionDenied) { try (container / "New.txt").create("new") }
                #expect(throws: Errno.permissionDenied) {
                    try (container / "Plan.txt").rename(to: container / "Plan.md")
                }
                #expect(throws: Errno.permissionDenied) { try (container / "Plan.txt").remove() }
            }
            for folder in folders { try folder.setPermissions([.ownerReadWriteExecute]) }
            for container in [device.local, device.cloud] {
                #expect(try (container / "Plan.txt").text() == "plan")
                try (container / "New.txt").create("new")
                try (container / "Plan.txt").rename(to: container / "Letter.txt")
            }
            try await eventually { try device.treeState()["cloud.pending"] == "0" }
            #expect(try await device.docfs("check", device.mountpoint.string).exitStatus == 0)
        }
    }
}
