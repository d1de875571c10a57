import Glibc
import MountSupport
import SystemPackage
import Testing

/// Earlier versions of a document (Semantics, "Versions").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct VersionTests {
    private func save(_ texts: [String], to document: FilePath) async throws {
        for text in texts {
            try document.write(text)
            try await eventually {
                try document.state()["uploading"] == "uploaded" && document.state()["state"] == "closed"
            }
        }
    }

    private func texts(_ folder: FilePath) throws -> [String] {
        try folder.listing().map { try (folder / $0).text() }
    }

    @Test func `each save that reached the cloud is a version, the latest first, and not listed`() async throws {
        try await withDevice { device in
            let document = device.cloud / "Plan.txt"
            try document.create("one")
            try await device.waitUntilUploaded(document)
            #expect(try texts(device.cloud / "Plan.txt.versions") == [])
            try await save(["two", "three"], to: document)
            #expect(try texts(device.cloud / "Plan.txt.versions") == ["two", "one"])
            #expect(try device.cloud.documentNames().count == 1)
            let byFilename = device.cloud / (try document.filename() + ".versions")
            #expect(try texts(byFilename) == ["two", "one"])
        }
    }

    @Test func `copying a version over the document restores it`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Plan.txt"
            try document.create("one")
            try await laptop.waitUntilUploaded(document)
            try await save(["two"], to: document)
            let identity = try document.identity()
            try await laptop.shell("cp cloud/Plan.txt.versions/* cloud/Plan.txt")
            #expect(try document.text() == "one")
            #expect(try document.identity() == identity)
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "one" }
            try await eventually { try texts(desktop.cloud / "Plan.txt.versions") == ["two", "one"] }
        }
    }

    @Test func `versions cannot be changed or removed`() async throws {
        try await withDevice { device in
            let document = device.cloud / "Plan.txt"
            try document.create("one")
            try await device.waitUntilUploaded(document)
            try await save(["two"], to: document)
            let folder = device.cloud / "Plan.txt.versions"
            let version = folder / (try #require(try folder.listing().first))
            // The superuser's request reaches docfs; the kernel refuses others by the folder's mode.
            let refusal = getuid() == 0 ? Errno.notPermitted : Errno.permissionDenied
            #expect(throws: refusal) { try version.remove() }
            #expect(throws: Errno.permissionDenied) { try version.open(.readWrite) }
            #expect(throws: Errno.notPermitted) { try folder.removeFolder() }
            #expect(throws: refusal) { try version.rename(to: device.cloud / "Other.txt") }
            #expect(throws: refusal) { try document.rename(to: folder / "Plan.txt") }
        }
    }

    @Test func `a local document has no versions, and a document of that name wins`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("one")
            #expect(!(device.local / "Plan.txt.versions").exists)
            try (device.cloud / "Plan.txt").create("one")
            try (device.cloud / "Plan.txt.versions").create("mine")
            #expect(try (device.cloud / "Plan.txt.versions").text() == "mine")
        }
    }

    @Test func `a large version streams, and tools can copy it`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Film.bin"
            let content = LargeContent(pieces: 6)
            try content.write(to: document)
            try await laptop.waitUntilUploaded(document)
            try await save(["short"], to: document)
            try await eventually { try (desktop.cloud / "Film.bin.versions").listing().count == 1 }
            try await desktop.shell("cp cloud/Film.bin.versions/* local/Copy.bin")
            #expect(try content.matches(desktop.local / "Copy.bin"))
        }
    }
}
