import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct DisplayNameTests {
    @Test func `setfattr -n user.displayName names a document`() async throws {
        try await withDevice(.displayNames) { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let identity = try document.identity()
            try await device.shell("setfattr -n user.displayName -v Shopping local/Groceries.txt")
            #expect(try device.local.documentNames() == ["Shopping.txt"])
            let renamed = device.local / "Shopping.txt"
            #expect(try renamed.text() == "milk")
            #expect(try renamed.displayName() == "Shopping")
            #expect(try renamed.filename() == identity.filename)
            #expect(try renamed.identifier() == identity.id)
            #expect(!document.exists)
            let printed = try await device.shell(
                "getfattr --only-values -n user.displayName local/\(identity.filename)")
            #expect(printed.standardOutput == "Shopping")
        }
    }

    @Test func `a display name may hold what a file name may`() async throws {
        try await withDevice(.displayNames) { device in
            let filename: String
            do {
                let document = device.local / "Start.txt"
                try document.create("text")
                filename = try document.filename()
            }
            for name in ["Ünïcödé 文書 🗒", ".hidden", "a.b.c", "ends with dot.", "two\nlines", "~"] {
                let document = device.local / filename
                try document.setAttribute("user.displayName", name)
                #expect(try document.displayName() == name)
                #expect(try (device.local / "\(name).txt").text() == "text")
            }
        }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let what: String
        let value: [UInt8]
        let error: Errno
        var testDescription: String { what }
    }

    static let refusals = [
        Refusal(what: "empty", value: [], error: .invalidArgument),
        Refusal(what: "with NUL", value: Array("a\0b".utf8), error: .invalidArgument),
        Refusal(what: "with /", value: Array("a/b".utf8), error: .invalidArgument),
        Refusal(what: "not UTF-8", value: [0x61, 0xC3, 0x28], error: .illegalByteSequence),
        Refusal(what: "a surrogate", value: [0xED, 0xA0, 0x80], error: .illegalByteSequence),
        Refusal(
            what: "252 bytes and .txt", value: Array(repeating: 0x61, count: 252),
            error: .fileNameTooLong),
        Refusal(
            what: "84 characters of 3 bytes and .txt",
            value: Array(String(repeating: "文", count: 84).utf8),
            error: .fileNameTooLong),
    ]

    @Test(arguments: refusals)
    func `a display name that cannot be a name is refused, with nothing changed`(refusal: Refusal)
        async throws
    {
        try await withDevice(.displayNames) { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let identity = try document.identity()
            #expect(throws: refusal.error) {
                try document.setAttribute("user.displayName", refusal.value)
            }
            #expect(try document.identity() == identity)
            #expect(try device.local.documentNames() == ["Groceries.txt"])
        }
    }

    @Test func `a display name may take 255 bytes with the extension`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let filename = try document.filename()
            let longest = String(repeating: "a", count: 251)
            try document.setAttribute("user.displayName", longest)
            #expect(try (device.local / "\(longest).txt").filename() == filename)
        }
    }

    @Test func `a name of more than 255 bytes is ENAMETOOLONG`() async throws {
        try await withDevice { device in
            let longest = device.local / (String(repeating: "a", count: 251) + ".txt")
            let tooLong = device.local / (String(repeating: "a", count: 252) + ".txt")
            try longest.create("content")
            #expect(try longest.text() == "content")
            #expect(throws: Errno.fileNameTooLong) { try tooLong.create() }
            #expect(throws: Errno.fileNameTooLong) { try tooLong.makeFolder() }
            #expect(throws: Errno.fileNameTooLong) { try longest.rename(to: tooLong) }
            #expect(try longest.text() == "content")
        }
    }

    @Test func `the plain file in the store carries the display name`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let filename = try document.filename()
            #expect(try (device.storedLocal / filename).displayName() == "Groceries")
            try document.rename(to: device.local / "Shopping.txt")
            #expect(try (device.storedLocal / filename).displayName() == "Shopping")
        }
    }

    @Test func `a display name is unique to no folder`() async throws {
        try await withDevice { device in
            try (device.local / "A.txt").create("a")
            try (device.local / "B.txt").create("b")
            try (device.local / "B.txt").setAttribute("user.displayName", "A")
            #expect(try device.local.documentNames().count == 2)
            // The second one is reached by its filename alone, and the first no longer hides it once gone.
            try (device.local / "A.txt").remove()
            #expect(try (device.local / "A.txt").text() == "b")
        }
    }
}
