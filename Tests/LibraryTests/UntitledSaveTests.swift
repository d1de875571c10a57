import Catalog
import Documents
@testable import Library
import Testing

/// Programs that save a document which has no name yet, and which they know as `Untitled.EXT` (Semantics, "Automatic names").
@Suite(.timeLimit(.minutes(15)))
struct UntitledSaveTests {
    /// An untitled document that says `hello`.
    private func withUntitled(_ body: (TestDevice, Entry) async throws -> Void) async throws {
        try await withDevice { device in
            try device.create("Untitled.txt", "hello", in: .local)
            device.advance(seconds: 20)
            try await body(device, device.entry("hello.txt", in: .local))
        }
    }

    private func expectSaved(_ document: Entry, on device: TestDevice, besides others: [String] = []) async throws {
        #expect(try await device.text("Untitled.txt", in: .local) == "bye")
        let entry = try device.entry("Untitled.txt", in: .local)
        #expect(entry.id == document.id && entry.filename == document.filename && entry.position == document.position)
        #expect(entry.name?.full == "bye.txt" && entry.naming == .untitled)
        #expect(try device.names(in: .local).sorted() == (["bye.txt"] + others).sorted())
    }

    @Test(arguments: ["sedAbC123", "new.txt", ".Untitled.txt.AbCdEf"])
    func `a file that is renamed over it is a save, whatever the file was called`(name: String) async throws {
        try await withUntitled { device, document in
            try device.create(name, "bye", in: .local)
            try device.rename(name, in: .local, to: "Untitled.txt")
            try await expectSaved(document, on: device)
        }
    }

    @Test func `what is no save finds the name free`() async throws {
        try await withUntitled { device, document in
            try device.create("new.txt", "bye", in: .local)
            try device.rename("new.txt", in: .local, to: "Untitled.txt", .noReplace)
            try device.makeFolder("Trip", in: .local)
            #expect(try device.entry("Untitled.txt", in: .local).naming == .given)
            #expect(try await device.text(document.filename, in: .local) == "hello")
        }
    }

    @Test(arguments: ["Untitled.txt~", "Untitled.txt.bak"])
    func `a file that is made after the document became a backup is the document`(backup: String) async throws {
        try await withUntitled { device, document in
            try device.rename("Untitled.txt", in: .local, to: backup)
            try device.create("Untitled.txt", "bye", in: .local, isExclusive: false)
            try await expectSaved(document, on: device, besides: [backup])
            #expect(try await device.text(backup, in: .local) == "hello")
        }
    }

    /// `Untitled.txt` means the newest, and then the one before it.
    @Test(arguments: ["Untitled.txt~", "Untitled.txt.bak", nil], [false, true])
    func `an older untitled document is not what is saved`(backup: String?, isRenamed: Bool) async throws {
        try await withDevice { device in
            try device.create("Untitled.txt", "older", in: .local)
            let older = try device.entry("older.txt", in: .local)
            try device.create("Untitled.txt", "hello", in: .local)
            device.advance(seconds: 20)
            let newer = try device.entry("hello.txt", in: .local)
            if let backup {
                try device.rename("Untitled.txt", in: .local, to: backup)
            } else {
                try device.remove("Untitled.txt", in: .local)
            }
            if isRenamed {
                try device.create("sedAbC123", "bye", in: .local)
                try device.rename("sedAbC123", in: .local, to: "Untitled.txt")
            } else {
                try device.create("Untitled.txt", "bye", in: .local, isExclusive: false)
            }
            #expect(try device.entry("bye.txt", in: .local).id == newer.id)
            #expect(try device.entry(older.filename, in: .local).id == older.id)
            #expect(try await device.text(older.filename, in: .local) == "older")
        }
    }

    /// The save fails, and the program renames the backup back.
    @Test func `a backup that is renamed back replaces no other document of the name`() async throws {
        for name in ["Untitled.txt", "Plan.txt"] {
            try await withDevice { device in
                let names = name == "Plan.txt" ? ["Plan.txt", "Other.txt"] : [name, name]
                for (name, text) in zip(names, ["hello", "other"]) {
                    try device.create(name, text, in: .local)
                    device.advance(seconds: 20)
                }
                // `name` means the first of two that are called so, and the newest of those without a name.
                let (first, second) = (
                    try device.entry(name, in: .local),
                    try device.entry(name == "Plan.txt" ? "Other.txt" : "hello.txt", in: .local)
                )
                if name == "Plan.txt" {
                    try device.library.setExtendedAttribute(
                        "user.displayName", to: Array("Plan".utf8), of: .entry(second.inode), .either)
                }
                try device.rename(name, in: .local, to: name + ".bak")
                try device.rename(name + ".bak", in: .local, to: name)
                for entry in [first, second] {
                    #expect(try device.entry(entry.filename, in: .local).id == entry.id)
                }
                #expect(try device.entry(name, in: .local).id == first.id)
                #expect(try device.entry(first.filename, in: .local).naming == first.naming)
            }
        }
    }

    @Test func `a note that was removed by its own name is not taken for the next Untitled`() async throws {
        for removes in [true, false] {
            try await withUntitled { device, document in
                if removes {
                    try device.remove("hello.txt", in: .local)
                } else {
                    try device.rename("hello.txt", in: .local, to: "hello.txt.old")
                }
                try device.create("Untitled.txt", "bye", in: .local, isExclusive: false)
                #expect(try device.entry("bye.txt", in: .local).id != document.id)
                if removes {
                    try device.library.perform(.undo)
                    try device.library.perform(.undo)
                }
                #expect(try await device.text(document.filename, in: .local) == "hello")
            }
        }
    }

    @Test func `renamed to Untitled itself, an older untitled document replaces no other one`() async throws {
        try await withUntitled { device, document in
            try device.create("Untitled.txt", "newer", in: .local)
            try device.rename("hello.txt", in: .local, to: "Untitled.txt")
            #expect(try device.names(in: .local).sorted() == ["hello.txt", "newer.txt"])
            #expect(try device.entry("hello.txt", in: .local).id == document.id)
        }
    }

    @Test func `removed and made anew it is the same document, unless the program asks for a fresh one`() async throws {
        for isExclusive in [false, true] {
            try await withUntitled { device, document in
                try device.remove("Untitled.txt", in: .local)
                try device.create("Untitled.txt", "bye", in: .local, isExclusive: isExclusive)
                if isExclusive {
                    #expect(try device.entry("Untitled.txt", in: .local).id != document.id)
                } else {
                    try await expectSaved(document, on: device)
                }
            }
        }
    }
}
