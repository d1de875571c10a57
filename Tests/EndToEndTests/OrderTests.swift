import MountSupport
import SystemPackage
import Testing

/// The order in which a folder's documents stand.
@Suite(.mounting, .timeLimit(.minutes(2)))
struct OrderTests {
    private static let names = ["zebra.txt", "apple.txt", "Mango.txt", "1.txt"]

    @Test func `a folder has the same order on each device`() async throws {
        try await withTwoDevices(.displayNames) { laptop, desktop in
            for name in Self.names { try (laptop.cloud / name).create(name) }
            try await eventually { try desktop.cloud.documentNames() == Self.names }
            // One that the other device adds stands last on both.
            try (desktop.cloud / "Banana.txt").create("banana")
            for device in [laptop, desktop] {
                try await eventually { try device.cloud.documentNames() == Self.names + ["Banana.txt"] }
            }
            try await desktop.remount()
            #expect(try desktop.cloud.documentNames() == Self.names + ["Banana.txt"])
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `a document that is saved or renamed keeps its place`(container: String) async throws {
        try await withDevice(.displayNames) { device in
            let folder = device.documents / container
            for name in Self.names { try (folder / name).create(name) }
            try (folder / "zebra.txt").write("another text")
            try (folder / "apple.txt").rename(to: folder / "Pear.txt")
            try (folder / "Mango.txt").setAttribute("user.displayName", "Fig")
            #expect(try folder.documentNames() == ["zebra.txt", "Pear.txt", "Fig.txt", "1.txt"])
        }
    }

    @Test func `a document that is moved to another folder stands last there`() async throws {
        try await withDevice(.displayNames) { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            for name in ["a.txt", "b.txt"] { try (device.local / name).create(name) }
            try (folder / "there.txt").create()
            for name in ["b.txt", "a.txt"] { try (device.local / name).rename(to: folder / name) }
            #expect(try folder.listing() == ["there.txt", "b.txt", "a.txt"])
        }
    }

    @Test func `documents that migrate keep their order among each other`() async throws {
        try await withDevice(.displayNames) { device in
            for name in Self.names { try (device.local / name).create(name) }
            for name in Self.names.reversed() { try (device.local / name).rename(to: device.cloud / name) }
            #expect(try device.cloud.documentNames() == Self.names)
            for name in Self.names.reversed() { try (device.cloud / name).rename(to: device.local / name) }
            #expect(try device.local.documentNames() == Self.names)
        }
    }
}
