import MountSupport
import SystemPackage
import Testing

/// A store restored from a backup shows each document under its own name or as a new one, and sends nothing that is local.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct RestoreTests {
    /// How a person backs up and restores: `$FROM` and `$TO` are folders.
    private static let ways = [
        "cp -a $FROM/. $TO", "cp -r $FROM/. $TO", "rsync -a $FROM/ $TO/", "tar -C $FROM -c . | tar -C $TO -x",
    ]

    private static func copy(_ way: String, _ source: FilePath, to target: FilePath) async throws {
        try await runShell("mkdir -p $TO; " + way, environment: ["FROM": source.string, "TO": target.string])
    }

    private static let count = 12

    private static func makeDocuments(on device: Device) async throws {
        for number in 0..<count {
            try (device.local / "Private \(number).txt").create("private \(number)")
            try (device.cloud / "Public \(number).txt").create("public \(number)")
        }
        try (device.local / "Folder").makeFolder()
        try (device.local / "Folder" / "Private inner.txt").create("private inner")
        try (device.local / ".private").create("private dotfile")
        try await waitUntilSent(device)
    }

    private static func waitUntilSent(_ device: Device) async throws {
        try await eventually { try device.treeState()["cloud.pending"] == "0" }
    }

    /// Every document has the content that goes with its name, and the cloud has nothing that was ever local.
    private static func check(_ device: Device) async throws {
        for folder in [device.local, device.local / "Folder", device.cloud] {
            for name in try folder.documentNames() where name != "Folder" && !name.hasPrefix(".") {
                let document = folder / name
                let content = try document.text()
                #expect(try content.split(separator: ",")[0] == document.displayName().lowercased())
            }
        }
        let sent = try await runShell(
            "find . -type f -path './documents/*' -exec cat {} +", in: device.cloudDirectory.path)
        #expect(!sent.standardOutput.contains("private"))
        let state = try device.treeState()
        #expect(state["cloud.connection"] == "online")
    }

    @Test(arguments: ways) func `a backup of a store in use that is restored over a newer one`(way: String) async throws
    {
        try await withDevice { device in
            try await Self.makeDocuments(on: device)
            let backup = device.folder / "backup"
            try await Self.copy(way, device.store, to: backup)
            for number in stride(from: 0, to: Self.count, by: 2) {
                try (device.local / "Private \(number).txt").remove()
            }
            for number in 100..<108 { try (device.local / "Private \(number).txt").create("private \(number)") }
            for number in stride(from: 0, to: Self.count, by: 3) {
                try (device.cloud / "Public \(number).txt").remove()
            }
            try (device.cloud / "Public 1.txt").write("public 1, edited")
            try (device.local / "Private 1.txt").rename(to: device.local / "Folder" / "Private 1.txt")
            try await Self.waitUntilSent(device)
            try await device.unmount()
            try await Self.copy(way, backup, to: device.store)
            try await device.mount()
            try await Self.waitUntilSent(device)
            try await Self.check(device)
            for number in 0..<Self.count {
                #expect(try (device.local / "Private \(number).txt").text() == "private \(number)")
            }
            #expect(try (device.cloud / "Public 1.txt").text() == "public 1, edited")
            #expect(try device.treeState()["cloud.conflicts"] == "0")
        }
    }

    @Test(arguments: ways) func `a backup of a store in use that is restored into another folder`(way: String)
        async throws
    {
        try await withTwoDevices { device, other in
            try await Self.makeDocuments(on: device)
            let backup = device.folder / "backup"
            try await Self.copy(way, device.store, to: backup)
            try (device.cloud / "Public 1.txt").write("public 1, edited")
            try await Self.waitUntilSent(device)
            try await other.unmount()
            try await runShell("rm -rf $STORE", environment: ["STORE": other.store.string])
            try await Self.copy(way, backup, to: other.store)
            try await other.mount()
            try await Self.waitUntilSent(other)
            for device in [device, other] { try await Self.check(device) }
            for number in 0..<Self.count {
                #expect(try (other.local / "Private \(number).txt").text() == "private \(number)")
            }
            #expect(try (other.local / ".private").text() == "private dotfile")
            try await eventually { try (other.cloud / "Public 1.txt").text() == "public 1, edited" }
            #expect(try device.treeState()["cloud.conflicts"] == "0")
        }
    }

    @Test func `two clones of one store are two devices`() async throws {
        try await withTwoDevices { device, clone in
            try await Self.makeDocuments(on: device)
            try await clone.unmount()
            // Both have changes that are not sent yet.
            try device.cloudDirectory.disconnect()
            let late = device.cloud / "Public late.txt"
            try late.create("public late")
            // Else the catalog may be copied before its row is written. The clone would find the file and take it for a document of its own.
            try late.open(.readOnly).synchronize()
            try await runShell(
                "rm -rf $CLONE; cp -a $STORE $CLONE",
                environment: ["STORE": device.store.string, "CLONE": clone.store.string])
            try device.cloudDirectory.reconnect()
            try await clone.mount()
            try (device.cloud / "Public 1.txt").write("public 1, edited")
            try (clone.cloud / "Public 2.txt").write("public 2, edited")
            try await eventually {
                try (clone.cloud / "Public 1.txt").text() == "public 1, edited"
                    && (device.cloud / "Public 2.txt").text() == "public 2, edited"
            }
            for device in [device, clone] {
                try await Self.waitUntilSent(device)
                try await Self.check(device)
                #expect(try device.treeState()["cloud.conflicts"] == "0")
            }
            #expect(try device.cloud.documentNames() == clone.cloud.documentNames())
        }
    }
}
