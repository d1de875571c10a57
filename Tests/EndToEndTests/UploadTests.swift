import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct UploadTests {
    @Test
    func
        `in the cloud container each version is a plain object whose last component is the filename`()
        async throws
    {
        try await withDevice(.plain) { device in
            let document = device.cloud / "Groceries.txt"
            try document.create("milk")
            let filename = try document.filename()
            try await device.waitUntilUploaded(document)
            #expect(device.cloudDirectory.texts(named: filename) == ["milk"])
            try document.write("eggs")
            try await eventually { device.cloudDirectory.texts(named: filename).contains("eggs") }
            #expect(!(try (device.cloudDirectory.path / "log").listing().isEmpty))
        }
    }

    @Test func `a save is visible to the cloud after half a second of quiet, not before`()
        async throws
    {
        try await withDevice(.plain) { device in
            let document = device.cloud / "Groceries.txt"
            let start = ContinuousClock.now
            try document.create("milk")
            let filename = try document.filename()
            try await eventually { device.cloudDirectory.texts(named: filename) == ["milk"] }
            #expect(ContinuousClock.now - start >= .milliseconds(500))
        }
    }

    @Test func `a save is visible to the cloud only after the last writer closes`() async throws {
        try await withDevice(.plain) { device in
            let open = device.cloud / "Open.txt"
            let writer = try open.open(.readWrite, .create)
            let secondWriter = try open.open(.readWrite)
            try writer.write("being written")
            try writer.close()
            // Another document, begun later, makes the whole way while this one is held open.
            let other = device.cloud / "Other.txt"
            try other.create("other")
            try await device.waitUntilUploaded(other)
            let filename = try open.filename()
            #expect(!device.cloudDirectory.texts(named: filename).contains("being written"))
            #expect(try open.state()["uploading"] != "uploaded")
            try secondWriter.close()
            try await device.waitUntilUploaded(open)
            #expect(device.cloudDirectory.texts(named: filename).contains("being written"))
        }
    }

    @Test func `saves in quick succession go up as few versions`() async throws {
        try await withDevice(.plain) { device in
            let document = device.cloud / "Groceries.txt"
            try document.create("start")
            for round in 1...200 { try document.write("round \(round)") }
            try await eventually {
                try device.cloudDirectory.texts(named: document.filename()).contains("round 200")
            }
            #expect(try device.cloudDirectory.objects(named: document.filename()).count < 20)
        }
    }

    @Test func `a reader that holds the document open does not delay its upload`() async throws {
        try await withDevice(.plain) { device in
            let document = device.cloud / "Groceries.txt"
            try document.create("milk")
            let reader = try document.open(.readOnly)
            try await device.waitUntilUploaded(document)
            #expect(try reader.text() == "milk")
        }
    }

    @Test func `an upload goes on after another mount`() async throws {
        try await withDevice(.plain) { device in
            let content = LargeContent(pieces: 32)
            let document = device.cloud / "Film.bin"
            try content.write(to: document)
            let filename = try document.filename()
            try await device.remount()
            try await device.waitUntilUploaded(document)
            let object = try #require(device.cloudDirectory.objects(named: filename).first)
            #expect(try content.matches(object))
        }
    }

    @Test func `a document changed while it is being uploaded is uploaded as it is in the end`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            let content = LargeContent(pieces: 48)
            let document = laptop.cloud / "Film.bin"
            try content.write(to: document)
            try await eventually { try document.state()["uploading"] != "waiting" }
            try document.append("the end")
            let size = content.size + 7
            let there = desktop.cloud / "Film.bin"
            try await eventually {
                try there.stat().size == size && document.state()["uploading"] == "uploaded"
            }
            let end = try there.open(.readOnly).read(count: 7, at: content.size)
            #expect(end == Array("the end".utf8))
        }
    }
}
