import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct FolderStateTests {
    @Test func `the state of a folder is a header and one line per document in listing order`()
        async throws
    {
        try await withDevice { device in
            let names = ["zebra.txt", "apple.md", "README"]
            for name in names { try (device.local / name).create(name) }
            try (device.local / "Folder").makeFolder()
            try (device.local / "scratch.tmp").create()
            try (device.local / "link").makeSymbolicLink(to: "zebra.txt")
            try await eventually {
                try device.local.folderState().rows.allSatisfy { $0.flags == ["closed"] }
            }
            let state = try device.local.folderState()
            // The contract prints the header with spaces and asks for tabs between fields.
            #expect(
                state.header.replacing("\t", with: " ")
                    == "#indicator state transfer filename displayName")
            #expect(state.rows.map(\.displayName) == ["zebra", "apple", "README"])
            #expect(
                try state.rows.map(\.filename) == names.map { try (device.local / $0).filename() })
            #expect(state.rows.map(\.indicator) == ["green", "green", "green"])
        }
    }

    @Test(arguments: Listing.allCases)
    func `every folder has a state, listed or not`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let folder = device.cloud / "Folder"
            let inner = folder / "Inner"
            try folder.makeFolder()
            try inner.makeFolder()
            try (device.cloud / "Top.txt").create()
            try (inner / "Plan.txt").create()
            #expect(try device.cloud.folderState().rows.map(\.displayName) == ["Top"])
            #expect(try folder.folderState().rows == [])
            #expect(try inner.folderState().rows.map(\.displayName) == ["Plan"])
            #expect(try device.local.folderState().rows == [])
        }
    }

    @Test func `the line of an open document says normal`() async throws {
        try await withDevice { device in
            let file = try (device.local / "Groceries.txt").open(.readWrite, .create)
            #expect(try device.local.folderState().rows.map(\.flags) == [["normal"]])
            try file.close()
            try await eventually {
                try device.local.folderState().rows.map(\.flags) == [["closed"]]
            }
        }
    }

    @Test func `the line of a placeholder says that it is not downloaded`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (laptop.cloud / "Groceries.txt").create("milk")
            try await eventually { try desktop.cloud.folderState().rows.count == 1 }
            let row = try desktop.cloud.folderState().rows[0]
            #expect(row.displayName == "Groceries")
            #expect(row.transfer.contains("notDownloaded"))
            #expect(try row.filename == (laptop.cloud / "Groceries.txt").filename())
        }
    }

    @Test func `the state of the tree, key by key`() async throws {
        try await withDevice(.plain) { device in
            try await eventually { try device.treeState()["cloud.connection"] == "online" }
            let state = try device.treeState()
            #expect(
                state.keys == [
                    "preferred", "local.documents", "cloud.documents", "cloud.url", "cloud.copy", "cloud.connection",
                    "cloud.pending", "cloud.unsent", "cloud.room", "cloud.conflicts", "undo", "redo", "trash", "device",
                ])
            #expect(state["preferred"] == "local")
            #expect(state["local.documents"] == "0")
            #expect(state["cloud.documents"] == "0")
            #expect(state["cloud.pending"] == "0")
            #expect(state["cloud.conflicts"] == "0")
            #expect(state["device"] == "Laptop")
        }
    }

    @Test
    func `the tree counts documents in all folders, and neither folders, links nor scratch files`()
        async throws
    {
        try await withDevice { device in
            for container in [device.local, device.cloud] {
                let folder = container / "Folder"
                try folder.makeFolder()
                try (container / "One.txt").create()
                try (folder / "Two.txt").create()
                try (folder / ".dotfile").create()
                try (folder / "scratch.tmp").create()
                try (folder / "link").makeSymbolicLink(to: "Two.txt")
            }
            try (device.local / "Three.txt").create()
            #expect(try device.treeState()["local.documents"] == "4")
            #expect(try device.treeState()["cloud.documents"] == "3")
            try (device.local / "Three.txt").remove()
            #expect(try device.treeState()["local.documents"] == "3")
        }
    }

    @Test func `cloud.pending counts what has still to go out`() async throws {
        try await withDevice { device in
            try device.cloudDirectory.disconnect()
            try await eventually { try device.treeState()["cloud.connection"] == "offline" }
            for name in ["A.txt", "B.txt"] { try (device.cloud / name).create(name) }
            try await eventually { try (Int(device.treeState()["cloud.pending"] ?? "") ?? 0) >= 2 }
            try device.cloudDirectory.reconnect()
            try await eventually {
                try device.treeState()["cloud.pending"] == "0"
            }
            #expect(try device.treeState()["cloud.connection"] == "online")
            for name in ["A.txt", "B.txt"] {
                #expect(try (device.cloud / name).state()["uploading"] == "uploaded")
            }
        }
    }
}
