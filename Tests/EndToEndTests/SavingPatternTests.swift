import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct SavingPatternTests {
    /// A document between two others, so that its place in the order can be told.
    private static func makeDocument(in folder: FilePath) throws -> FilePath {
        let document = folder / "Groceries.txt"
        try (folder / "Before.txt").create("before")
        try document.create("old content")
        try (folder / "After.txt").create("after")
        try document.setAttribute("user.colour", "green")
        return document
    }

    @Test(
        arguments: [
            ".goutputstream-A1B2C3", "sedAb12Cd", "Groceries.txt.tmp", "Groceries.txt.new",
            "lu1234abcd.txt", ".Groceries.txt.aB3dE9",
        ], ["local", "cloud"])
    func
        `a temporary file renamed over a document leaves it id, filename, display name, attributes and place`(
            temporaryName: String, container: String
        ) async throws
    {
        try await withDevice { device in
            let folder = device.documents / container
            let document = try Self.makeDocument(in: folder)
            let identity = try document.identity()
            let order = try folder.documentNames()
            let temporary = folder / temporaryName
            try temporary.create("new content")
            try temporary.rename(to: document)
            #expect(try document.text() == "new content")
            #expect(try document.identity() == identity)
            #expect(try document.attribute("user.colour") == "green")
            #expect(try folder.documentNames() == order)
            #expect(!temporary.exists)
            #expect(try (folder / identity.filename).text() == "new content")
            #expect(try document.state()["size"] == "11")
        }
    }

    @Test func `a temporary file renamed over a document by its filename replaces its content`()
        async throws
    {
        try await withDevice { device in
            let document = try Self.makeDocument(in: device.local)
            let identity = try document.identity()
            try (device.local / "new.tmp").create("new content")
            try (device.local / "new.tmp").rename(to: device.local / identity.filename)
            #expect(try document.text() == "new content")
            #expect(try document.identity() == identity)
        }
    }

    @Test func `a replaced document keeps its identity over another mount`() async throws {
        try await withDevice { device in
            let document = try Self.makeDocument(in: device.local)
            let identity = try document.identity()
            try (device.local / "new.tmp").create("new content")
            try (device.local / "new.tmp").rename(to: document)
            try await device.remount()
            #expect(try document.identity() == identity)
            #expect(try document.text() == "new content")
            #expect(try document.attribute("user.colour") == "green")
            #expect(try (device.storedLocal / identity.filename).text() == "new content")
        }
    }

    @Test func `a temporary file in a folder beside replaces the content as well`() async throws {
        try await withDevice { device in
            let folder = device.local / ".partial"
            try folder.makeFolder()
            let document = try Self.makeDocument(in: device.local)
            let identity = try document.identity()
            try (folder / "Groceries.txt").create("new content")
            try (folder / "Groceries.txt").rename(to: document)
            #expect(try document.text() == "new content")
            #expect(try document.identity() == identity)
            #expect(try folder.listing() == [])
        }
    }

    @Test func `a reader that has the document open sees the old content, whole`() async throws {
        try await withDevice { device in
            let document = device.local / "Report.txt"
            let size = 300_000
            try document.write([UInt8](repeating: UInt8(ascii: "o"), count: size))
            let reader = try document.open(.readOnly)
            let start = try reader.read(count: 4096, at: 0)
            let temporary = device.local / "Report.txt.new"
            try temporary.write([UInt8](repeating: UInt8(ascii: "n"), count: size + 1000))
            try temporary.rename(to: document)
            var rest: [UInt8] = []
            while true {
                let piece = try reader.read(count: 65536, at: Int64(4096 + rest.count))
                if piece.isEmpty { break }
                rest += piece
            }
            #expect(start.count + rest.count == size)
            #expect((start + rest).isUniform)
            #expect(try document.bytes().isUniform && document.text().hasPrefix("n"))
            #expect(try document.stat().size == Int64(size + 1000))
        }
    }

    @Test func `a reader during saves sees the old or the new content, whole`() async throws {
        try await withDevice { device in
            let document = device.local / "Report.txt"
            try document.write([UInt8](repeating: UInt8(ascii: "z"), count: 150_000))
            async let saves = device.shell(
                """
                for round in 1 2 3 4 5; do for letter in a b c d e f g h; do
                head -c 150000 /dev/zero | tr '\\0' $letter > local/.goutputstream-X
                mv local/.goutputstream-X local/Report.txt
                done; done
                """)
            for _ in 0..<150 {
                let content = try document.bytes()
                #expect(content.count == 150_000)
                #expect(content.isUniform)
                await Task.yield()
            }
            _ = try await saves
            #expect(try document.bytes().isUniform && document.text().hasPrefix("h"))
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `renamed to a backup name and written anew, a document is the same document again`(
        container: String
    ) async throws {
        try await withDevice { device in
            let folder = device.documents / container
            let document = try Self.makeDocument(in: folder)
            let identity = try document.identity()
            let backup = folder / "Groceries.txt~"
            try document.rename(to: backup)
            try document.create("new content")
            #expect(try document.text() == "new content")
            #expect(try document.identity() == identity)
            #expect(try document.attribute("user.colour") == "green")
            // The backup is a scratch file.
            #expect(try backup.text() == "old content")
            #expect(!backup.stateFile.exists)
            #expect(try folder.documentNames().contains("Groceries.txt~"))
            try backup.remove()
            #expect(try document.identity() == identity)
        }
    }

    @Test func `a backup whose name is no scratch name is a new document`() async throws {
        try await withDevice { device in
            let document = try Self.makeDocument(in: device.local)
            let identity = try document.identity()
            let backup = device.local / "Groceries.txt.bak"
            try document.rename(to: backup)
            try document.create("new content")
            #expect(try document.identity() == identity)
            #expect(try document.text() == "new content")
            #expect(try backup.text() == "old content")
            #expect(try backup.identifier() != identity.id)
            #expect(try backup.filename() != identity.filename)
        }
    }

    @Test func `a document moved aside and replaced by a rename is the same document again`()
        async throws
    {
        try await withDevice { device in
            let document = try Self.makeDocument(in: device.local)
            let identity = try document.identity()
            try (device.local / "new.tmp").create("new content")
            try document.rename(to: device.local / "Groceries.txt~")
            try (device.local / "new.tmp").rename(to: document)
            #expect(try document.identity() == identity)
            #expect(try document.text() == "new content")
            #expect(try (device.local / "Groceries.txt~").text() == "old content")
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `deleted and created again within 15 seconds, a document is the same document again`(
        container: String
    ) async throws {
        try await withDevice { device in
            let folder = device.documents / container
            let document = try Self.makeDocument(in: folder)
            let identity = try document.identity()
            try document.remove()
            #expect(!document.exists)
            #expect(!(folder / identity.filename).exists)
            try document.create("new content")
            #expect(try document.identity() == identity)
            #expect(try document.text() == "new content")
            #expect(try document.attribute("user.colour") == "green")
            #expect(try folder.documentNames().count == 3)
        }
    }

    @Test func `deleted and created again, a document is empty until written`() async throws {
        try await withDevice { device in
            let document = try Self.makeDocument(in: device.local)
            try document.remove()
            let file = try document.open(.readWrite, [.create, .exclusiveCreate])
            #expect(try file.readAll() == [])
            #expect(try document.stat().size == 0)
        }
    }

    @Test
    func `deleted and replaced by a renamed temporary file, a document is the same document again`()
        async throws
    {
        try await withDevice { device in
            let document = try Self.makeDocument(in: device.local)
            let identity = try document.identity()
            try (device.local / "new.tmp").create("new content")
            try document.remove()
            try (device.local / "new.tmp").rename(to: document)
            #expect(try document.identity() == identity)
            #expect(try document.text() == "new content")
        }
    }

    @Test func `another name after a deletion is another document`() async throws {
        try await withDevice { device in
            let document = try Self.makeDocument(in: device.local)
            let identity = try document.identity()
            try document.remove()
            let other = device.local / "Shopping.txt"
            try other.create("new content")
            #expect(try other.identifier() != identity.id)
            #expect(try other.filename() != identity.filename)
        }
    }

    @Test func `writing in place keeps the document`() async throws {
        try await withDevice { device in
            let document = try Self.makeDocument(in: device.local)
            let identity = try document.identity()
            let order = try device.local.documentNames()
            try document.write("short")
            #expect(try document.text() == "short")
            try document.append(" and longer")
            #expect(try document.text() == "short and longer")
            #expect(try document.identity() == identity)
            #expect(try device.local.documentNames() == order)
        }
    }

    @Test func `new documents stand last in their folder`() async throws {
        try await withDevice(.displayNames) { device in
            let names = ["zebra.txt", "apple.txt", "Mango.txt", "1.txt"]
            for name in names { try (device.local / name).create() }
            #expect(try device.local.documentNames() == names)
            let found = try await device.shell("ls -U local")
            #expect(found.lines == names)
        }
    }
}
