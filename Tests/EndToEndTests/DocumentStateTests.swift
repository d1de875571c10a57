import Foundation
import Glibc
import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct DocumentStateTests {
    @Test func `the state of a local document, key by key`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk, eggs\n")
            let moment = timespec(tv_sec: 1_767_323_045, tv_nsec: 0)
            try document.setTimes(accessed: moment, modified: moment)
            try await eventually { try document.state()["state"] == "closed" }
            let state = try document.state()
            #expect(
                state.keys == [
                    "state", "indicator", "displayName", "filename", "id", "location", "size",
                    "modified", "conflicts",
                ])
            #expect(state["indicator"] == "green")
            #expect(state["displayName"] == "Groceries")
            #expect(try state["filename"] == device.local.documentNames().first)
            #expect(state["id"].flatMap(UUID.init(uuidString:)) != nil)
            #expect(state["location"] == "local")
            #expect(state["size"] == "11")
            let modified = try #require(state["modified"])
            #expect(
                modified.hasPrefix("2026-01-02T03:04:05") && modified.hasSuffix("Z"), "\(modified)")
            #expect(state["conflicts"] == "0")
        }
    }

    @Test func `the state of a cloud document has downloading and uploading besides`() async throws {
        try await withDevice { device in
            let document = device.cloud / "Groceries.txt"
            try document.create("milk")
            try await device.waitUntilUploaded(document)
            let state = try document.state()
            #expect(
                state.keys == [
                    "state", "indicator", "displayName", "filename", "id", "location", "size",
                    "modified", "downloading", "uploading", "conflicts",
                ])
            #expect(state["location"] == "cloud")
            #expect(state["downloading"] == "current")
            #expect(state["uploading"] == "uploaded")
            #expect(state["state"] == "closed")
            #expect(state["indicator"] == "green")
        }
    }

    @Test(arguments: Listing.allCases)
    func `F.state resolves for any name of the document`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            for document in [device.local / "Groceries.txt", folder / "Plan.txt"] {
                try document.create("milk")
                let byFilename = document.removingLastComponent() / (try document.filename())
                try await eventually { try document.state()["state"] == "closed" }
                #expect(try byFilename.stateFile.text() == document.stateFile.text())
            }
        }
    }

    @Test func `state is normal while someone holds the document open, closed when no one does`()
        async throws
    {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            let writer = try document.open(.readWrite, .create)
            #expect(try document.state()["state"] == "normal")
            let reader = try document.open(.readOnly)
            try writer.close()
            #expect(try document.state()["state"] == "normal")
            try reader.close()
            // The kernel tells of a close after close() has returned.
            try await eventually { try document.state()["state"] == "closed" }
        }
    }

    @Test func `size and modified follow a write at once`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            let file = try document.open(.readWrite, .create)
            #expect(try document.state()["size"] == "0")
            try file.write("milk, eggs\n")
            #expect(try document.state()["size"] == "11")
            try file.truncate(to: 4)
            #expect(try document.state()["size"] == "4")
        }
    }

    @Test func `names follow a renaming at once`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            let renamed = device.local / "Shopping.txt"
            try document.create("milk")
            let before = try document.state()
            try document.rename(to: renamed)
            let after = try renamed.state()
            #expect(after["displayName"] == "Shopping")
            #expect(after["filename"] == before["filename"])
            #expect(after["id"] == before["id"])
            #expect(!document.stateFile.exists)
        }
    }

    @Test func `state files have their true size`() async throws {
        try await withDevice { device in
            try (device.local / "Folder").makeFolder()
            try (device.local / "Groceries.txt").create("milk")
            let stateFiles = [
                (device.local / "Groceries.txt").stateFile, device.local / ".state",
                device.cloud / ".state", device.documents / ".state",
                device.local / "Folder" / ".state",
            ]
            try await eventually {
                try (device.local / "Groceries.txt").state()["state"] == "closed"
            }
            for stateFile in stateFiles {
                #expect(try stateFile.stat().size == Int64(stateFile.bytes().count))
            }
            // One that changed its length says so too.
            try (device.local / "Second.txt").create()
            let listed = device.local / ".state"
            #expect(try listed.stat().size == Int64(listed.bytes().count))
        }
    }

    @Test func `a state file is read in pieces as in one`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            try await eventually { try document.state()["state"] == "closed" }
            let whole = try document.stateFile.bytes()
            let file = try document.stateFile.open(.readOnly)
            var pieces: [UInt8] = []
            while true {
                let piece = try file.read(count: 7, at: Int64(pieces.count))
                if piece.isEmpty { break }
                pieces += piece
            }
            #expect(pieces == whole)
            let programs = try await device.shell(
                "cat local/Groceries.txt.state | tail -c +1 | wc -c")
            #expect(programs.line.trimmingCharacters(in: .whitespaces) == String(whole.count))
        }
    }

    @Test func `a state file can be neither written nor removed nor renamed`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let text = try document.stateFile.text()
            #expect(throws: Errno.permissionDenied) { try document.stateFile.open(.writeOnly) }
            #expect(throws: Errno.self) { try document.stateFile.remove() }
            #expect(throws: Errno.self) {
                try document.stateFile.rename(to: device.local / "Elsewhere.txt")
            }
            try await eventually {
                try document.stateFile.exists && document.state()["state"] == "closed"
            }
            #expect(try document.stateFile.stat().size > 0, "\(text)")
            #expect(try device.local.documentNames().count == 1)
        }
    }

    @Test func `reading a state file does not open the document`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let file = try document.stateFile.open(.readOnly)
            try await eventually { try file.text().hasPrefix("state: closed\n") }
        }
    }

    @Test
    func
        `a failed upload is a savingError with a red indicator, says so in one line, and is retried`()
        async throws
    {
        try await withDevice(.plain) { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let identity = try document.identity()
            // A file where the container wants the folder of this document's versions.
            let documents = device.cloudDirectory.path / "documents"
            if !documents.exists { try documents.makeFolder() }
            let obstacles = Set([identity.id, identity.id.lowercased(), identity.id.uppercased()])
                .map { documents / $0 }
            for obstacle in obstacles { try obstacle.create("in the way") }

            let inCloud = device.cloud / "Groceries.txt"
            try document.rename(to: inCloud)
            try await eventually { try inCloud.state().flags.contains("savingError") }
            let state = try inCloud.state()
            #expect(state["indicator"] == "red")
            #expect(state["error"]?.isEmpty == false)
            #expect(state.keys.last == "error")
            #expect(state["uploading"] != "uploaded")
            #expect(try inCloud.text() == "milk")

            for obstacle in obstacles { try obstacle.remove() }
            try await eventually {
                try inCloud.state()["uploading"] == "uploaded"
            }
            let healed = try inCloud.state()
            #expect(healed["error"] == nil)
            #expect(healed["indicator"] == "green")
            #expect(!healed.flags.contains("savingError"))
            #expect(device.cloudDirectory.texts(named: identity.filename).contains("milk"))
        }
    }
}
