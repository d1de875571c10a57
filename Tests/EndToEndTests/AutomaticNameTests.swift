import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct AutomaticNameTests {
    private static func stem(_ filename: String) -> String {
        String(filename[..<(filename.lastIndex(of: ".") ?? filename.endIndex)])
    }

    @Test(arguments: ["Untitled.txt", "Untitled"])
    func `an automatic display name is the first non-blank line of the text`(name: String)
        async throws
    {
        try await withDevice { device in
            let document = device.local / name
            try document.create("\n  \t \n   Hello world  \nsecond line\n")
            try await eventually { try document.displayName() == "Hello world" }
            let named = device.local / name.replacing("Untitled", with: "Hello world")
            #expect(try named.stat().inode == document.stat().inode)
        }
    }

    @Test func `an automatic display name follows the text at each save`() async throws {
        try await withDevice(.displayNames) { device in
            let document = device.local / "Untitled.txt"
            try document.write("First title\n")
            try await eventually { try document.displayName() == "First title" }
            let identity = try document.identity()
            try document.write("Second title\nand more\n")
            try await eventually { try document.displayName() == "Second title" }
            #expect(try document.identifier() == identity.id)
            #expect(try document.filename() == identity.filename)
            try await eventually { try device.local.documentNames() == ["Second title.txt"] }
            #expect(!(device.local / "First title.txt").exists)
        }
    }

    @Test func `an automatic display name has at most 64 characters`() async throws {
        try await withDevice { device in
            let document = device.local / "Untitled.txt"
            try document.write(String(repeating: "é", count: 70) + "\n")
            try await eventually {
                try document.displayName() == String(repeating: "é", count: 64)
            }
        }
    }

    @Test func `without text an automatic display name is the stem of the filename`() async throws {
        try await withDevice { device in
            let empty = device.local / "Untitled.txt"
            try empty.create()
            #expect(try empty.displayName() == Self.stem(empty.filename()))
            let blank = device.local / "Untitled.md"
            try blank.create("\n \n\t\n")
            try await eventually { try blank.displayName() == Self.stem(blank.filename()) }
            let binary = device.local / "Untitled.bin"
            try binary.write([0x89, 0x50, 0xFF, 0xFE, 0x00, 0x01, 0x0A, 0x00])
            try await eventually { try binary.displayName() == Self.stem(binary.filename()) }
        }
    }

    @Test func `an automatic display name goes back to the stem when the text is gone`()
        async throws
    {
        try await withDevice { device in
            let document = device.local / "Untitled.txt"
            try document.write("Title\n")
            try await eventually { try document.displayName() == "Title" }
            try document.write("")
            try await eventually { try document.displayName() == Self.stem(document.filename()) }
        }
    }

    @Test func `a display name is automatic until someone sets it`() async throws {
        try await withDevice { device in
            let document = device.local / "Untitled.txt"
            try document.write("Title\n")
            try await eventually { try document.displayName() == "Title" }
            let byFilename = device.local / (try document.filename())
            try byFilename.setAttribute("user.displayName", "Mine")
            try byFilename.write("Another title\n")
            // Another document's automatic name arriving shows that saves have been seen to.
            let other = device.local / "Untitled.txt"
            #expect(!other.exists)
            try other.write("Other\n")
            try await eventually { try other.displayName() == "Other" }
            #expect(try byFilename.displayName() == "Mine")
        }
    }

    @Test func `renaming sets an automatic display name for good`() async throws {
        try await withDevice { device in
            let document = device.local / "Untitled.txt"
            try document.write("Title\n")
            try document.rename(to: device.local / "Letter.txt")
            #expect(!document.exists)
            try (device.local / "Letter.txt").write("Another title\n")
            try document.write("Other\n")
            try await eventually { try document.displayName() == "Other" }
            #expect(try (device.local / "Letter.txt").displayName() == "Letter")
        }
    }

    @Test func `Untitled.EXT means the newest such document, and each extension its own`()
        async throws
    {
        try await withDevice { device in
            let text = device.local / "Untitled.txt"
            let markdown = device.local / "Untitled.md"
            try text.write("Old\n")
            try markdown.write("Markdown\n")
            try await eventually { try text.displayName() == "Old" }
            // Without O_EXCL the name goes on meaning what there is.
            try text.append("more\n")
            #expect(try text.text() == "Old\nmore\n")
            #expect(try markdown.text() == "Markdown\n")
            #expect(try device.local.documentNames().count == 2)
        }
    }

    @Test func `with O_EXCL Untitled.EXT always makes a fresh document`() async throws {
        try await withDevice { device in
            let untitled = device.local / "Untitled.txt"
            try untitled.create("First\n")
            let first = try untitled.identity()
            try untitled.create("Second\n")
            let second = try untitled.identity()
            #expect(first.id != second.id)
            try untitled.create("Third\n")
            #expect(try untitled.text() == "Third\n")
            #expect(try (device.local / first.filename).text() == "First\n")
            #expect(try (device.local / second.filename).text() == "Second\n")
            #expect(try device.local.documentNames().count == 3)
            // The newest gone, the name means the one before.
            try untitled.remove()
            #expect(try untitled.text() == "Second\n")
        }
    }

    @Test func `setfattr -x user.displayName makes a display name automatic again`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.write("First line\n")
            let byFilename = device.local / (try document.filename())
            try await device.shell("setfattr -x user.displayName local/Groceries.txt")
            #expect(try byFilename.displayName() == "First line")
            #expect(!document.exists)
            #expect(try (device.local / "First line.txt").text() == "First line\n")
            try byFilename.write("Changed\n")
            try await eventually { try byFilename.displayName() == "Changed" }
        }
    }

    @Test func `an automatic display name outlives the mount and stays automatic`() async throws {
        try await withDevice { device in
            let document = device.local / "Untitled.txt"
            try document.write("Title\n")
            try await eventually { try document.displayName() == "Title" }
            try await device.remount()
            #expect(try document.displayName() == "Title")
            try document.write("New title\n")
            try await eventually { try document.displayName() == "New title" }
        }
    }

    @Test func `an automatic display name travels`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Untitled.txt"
            try document.write("First title\n")
            let byFilename = desktop.cloud / (try document.filename())
            try await eventually { try byFilename.displayName() == "First title" }
            try document.write("Second title\n")
            try await eventually { try byFilename.displayName() == "Second title" }
        }
    }

    @Test func `a document that someone named Untitled something is named`() async throws {
        try await withDevice { device in
            let document = device.local / "Untitled 2.txt"
            try document.write("Title\n")
            let automatic = device.local / "Untitled.txt"
            try automatic.write("Other\n")
            try await eventually { try automatic.displayName() == "Other" }
            #expect(try document.displayName() == "Untitled 2")
        }
    }
}
