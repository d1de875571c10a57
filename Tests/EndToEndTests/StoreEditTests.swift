import MountSupport
import SystemPackage
import Testing

/// The store's plain files are the documents: also those that a person changed while docfs was not running.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct StoreEditTests {
    @Test func `an edit in the store is sent`() async throws {
        try await withTwoDevices { device, other in
            try (device.cloud / "Letter.txt").create("first")
            try await device.waitUntilUploaded(device.cloud / "Letter.txt")
            let filename = try (device.cloud / "Letter.txt").filename()
            try await device.unmount()
            try (device.storedCloud / filename).write("edited in the store")
            try await device.mount()
            try await eventually {
                try (other.cloud / "Letter.txt").text() == "edited in the store"
            }
        }
    }

    /// As `sed -i` and most editors save.
    @Test func `an edit in the store by another file in its place is sent, too`() async throws {
        try await withTwoDevices { device, other in
            try (device.cloud / "Letter.txt").create("first")
            try await device.waitUntilUploaded(device.cloud / "Letter.txt")
            let filename = try (device.cloud / "Letter.txt").filename()
            let id = try (device.cloud / "Letter.txt").identifier()
            try await device.unmount()
            try await runShell("sed -i s/first/second/ $NAME", in: device.storedCloud, environment: ["NAME": filename])
            try await device.mount()
            try await eventually { try (other.cloud / "Letter.txt").text() == "second" }
            #expect(try (device.cloud / "Letter.txt").identifier() == id)
        }
    }

    @Test func `an edit in the store and one elsewhere are both kept`() async throws {
        try await withTwoDevices { device, other in
            let letter = device.cloud / "Letter.txt"
            try letter.create("first")
            try await device.waitUntilUploaded(letter)
            let filename = try letter.filename()
            try await eventually { try (other.cloud / "Letter.txt").text() == "first" }
            try await device.unmount()
            try (device.storedCloud / filename).write("edited in the store")
            try (other.cloud / "Letter.txt").write("edited elsewhere")
            try await other.waitUntilUploaded(other.cloud / "Letter.txt")
            try await device.mount()
            for device in [device, other] {
                try await eventually {
                    try (device.cloud / "Letter.txt").state()["conflicts"] == "1"
                }
                let conflicts = device.cloud / "Letter.txt.conflicts"
                let versions = try [(device.cloud / "Letter.txt").text(), (conflicts / conflicts.listing()[0]).text()]
                #expect(Set(versions) == ["edited in the store", "edited elsewhere"])
            }
        }
    }

    @Test func `an edit in the store outlives a deletion elsewhere`() async throws {
        try await withTwoDevices { device, other in
            let letter = device.cloud / "Letter.txt"
            try letter.create("first")
            try await device.waitUntilUploaded(letter)
            let filename = try letter.filename()
            try await eventually { (other.cloud / "Letter.txt").exists }
            try await device.unmount()
            try (device.storedCloud / filename).write("edited in the store")
            try (other.cloud / "Letter.txt").remove()
            try await eventually { try other.treeState()["cloud.pending"] == "0" }
            try await device.mount()
            try await eventually {
                try (other.cloud / "Letter.txt").text() == "edited in the store"
            }
            #expect(try letter.text() == "edited in the store")
        }
    }

    @Test func `files and folders that were added to the store are documents`() async throws {
        try await withTwoDevices { device, other in
            try (device.cloud / "Trip").makeFolder()
            try await eventually { (other.cloud / "Trip").exists }
            try await device.unmount()
            for folder in [device.storedLocal, device.storedCloud, device.storedCloud / "Trip"] {
                try (folder / "Added.txt").write("added")
                try (folder / "New").makeFolder()
                try (folder / "New" / "Inner.txt").write("inner")
            }
            try await device.mount()
            for folder in [device.local, device.cloud, device.cloud / "Trip"] {
                #expect(try (folder / "Added.txt").text() == "added")
                #expect(try (folder / "New" / "Inner.txt").text() == "inner")
            }
            for folder in [other.cloud, other.cloud / "Trip"] {
                try await eventually {
                    try (folder / "Added.txt").text() == "added" && (folder / "New" / "Inner.txt").text() == "inner"
                }
            }
        }
    }

    @Test func `documents removed from the store are removed, and nothing else`() async throws {
        try await withTwoDevices { device, other in
            for name in ["Kept", "Gone"] {
                for folder in [device.local, device.cloud] { try (folder / "\(name).txt").create(name) }
            }
            try await eventually { try device.treeState()["cloud.pending"] == "0" }
            let gone = try [device.local: device.storedLocal, device.cloud: device.storedCloud].map { folder, stored in
                stored / (try (folder / "Gone.txt").filename())
            }
            try await device.unmount()
            for file in gone { try file.remove() }
            try await device.mount()
            try await eventually { !(other.cloud / "Gone.txt").exists }
            for folder in [device.local, device.cloud, other.cloud] where folder != device.local {
                #expect(try folder.documentNames().count == 1)
                #expect(try (folder / "Kept.txt").text() == "Kept")
            }
            #expect(try device.local.documentNames().count == 1)
        }
    }

    @Test func `a file moved in the store is the same document elsewhere`() async throws {
        try await withDevice { device in
            try (device.local / "Folder").makeFolder()
            try (device.local / "Folder" / "Inner.txt").create("inner")
            try (device.local / "Letter.txt").create("dear")
            try (device.local / ".rc").create("settings")
            let (letter, inner) = (
                try (device.local / "Letter.txt").identity(), try (device.local / "Folder" / "Inner.txt").identity()
            )
            try await device.unmount()
            try await runShell(
                "mv $LETTER Folder; mv .rc .rc.old; mv Folder 'Another name'", in: device.storedLocal,
                environment: ["LETTER": letter.filename])
            try await device.mount()
            let folder = device.local / "Another name"
            #expect(try device.local.documentNames().sorted() == [".rc.old", "Another name"])
            #expect(try (folder / "Letter.txt").identity() == letter)
            #expect(try (folder / "Inner.txt").identity() == inner)
            #expect(try (device.local / ".rc.old").text() == "settings")
        }
    }
}
