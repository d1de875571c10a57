import Documents
import Testing
import TestSupport

struct FilenameGeneratorTests {
    private let time = LocalTime(year: 2026, month: 11, day: 21, hour: 4, minute: 12, second: 33)

    private func filename(
        _ convention: FilenameConvention, prefix: String = "", pathExtension: String = "txt", number: Int = 1,
        seed: UInt64 = 1
    ) throws -> String {
        var random = SeededGenerator(seed: seed)
        return try FilenameGenerator(convention: convention, prefix: prefix)
            .makeFilename(pathExtension: pathExtension, time: time, number: number, random: &random)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a timestamp filename is local time plus four random hex digits`(seed: UInt64) throws {
        let name = try filename(.timestamp, seed: seed)
        #expect(name.wholeMatch(of: /2026-11-21-041233-[0-9a-f]{4}\.txt/) != nil, "\(name)")
    }

    @Test func `every number of a timestamp filename has its full width`() throws {
        var random = ConstantGenerator(number: 0)
        let name = try FilenameGenerator(convention: .timestamp, prefix: "").makeFilename(
            pathExtension: "md", time: LocalTime(year: 987, month: 1, day: 2, hour: 3, minute: 4, second: 5),
            number: 1, random: &random)
        #expect(name == "0987-01-02-030405-0000.md")
    }

    @Test func `two documents of one second differ in their random digits`() throws {
        #expect(try filename(.timestamp, seed: 1) != filename(.timestamp, seed: 2))
    }

    @Test func `a uuid filename is a random UUID in lower case`() throws {
        let name = try filename(.uuid)
        let pattern = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.txt/
        #expect(name.wholeMatch(of: pattern) != nil, "\(name)")
        #expect(try filename(.uuid, seed: 1) != filename(.uuid, seed: 2))
    }

    @Test func `a sequential filename counts`() throws {
        #expect(try filename(.sequential, number: 1) == "Notes 1.txt")
        #expect(try filename(.sequential, number: 2) == "Notes 2.txt")
        #expect(try filename(.sequential, number: 1234) == "Notes 1234.txt")
    }

    @Test(arguments: FilenameConvention.allCases)
    func `randomness is passed in`(convention: FilenameConvention) throws {
        #expect(try filename(convention, seed: 7) == filename(convention, seed: 7))
    }

    @Test(arguments: FilenameConvention.allCases)
    func `each convention takes a prefix`(convention: FilenameConvention) throws {
        let name = try filename(convention, prefix: "scan-")
        #expect(name.hasPrefix("scan-"))
        #expect(!name.contains("Notes"))
    }

    @Test(arguments: [
        ("Report", "Report 7.txt"), ("IMG_", "IMG_7.txt"), ("Scan ", "Scan 7.txt"), ("Été", "Été 7.txt"),
        ("2026", "2026 7.txt"),
    ])
    func `a sequential number is separated from a prefix that is a word`(prefix: String, expected: String) throws {
        #expect(try filename(.sequential, prefix: prefix, number: 7) == expected)
    }

    @Test(arguments: FilenameConvention.allCases, ["md", "JPG", "cafe\u{301}"])
    func `the extension is that of the name the document was created under`(
        convention: FilenameConvention, pathExtension: String
    ) throws {
        let name = try filename(convention, pathExtension: pathExtension)
        #expect(bytes(name).suffix(pathExtension.utf8.count + 1) == bytes("." + pathExtension)[...])
    }

    @Test(arguments: FilenameConvention.allCases)
    func `without an extension there is no dot`(convention: FilenameConvention) throws {
        #expect(try !filename(convention, pathExtension: "").contains("."))
    }

    @Test(arguments: [
        ("a/b", NameError.invalid), ("..", .invalid), (".", .invalid), ("a\0", .invalid),
        (String(repeating: "p", count: 129), .tooLong),
    ])
    func `a prefix that cannot be part of a name is refused`(prefix: String, error: NameError) {
        #expect(throws: error) { try FilenameGenerator(convention: .timestamp, prefix: prefix) }
    }

    @Test(arguments: FilenameConvention.allCases)
    func `the longest prefix and the longest extension make a name`(convention: FilenameConvention) throws {
        let name = try filename(
            convention, prefix: String(repeating: "p", count: 128), pathExtension: String(repeating: "😀", count: 16),
            number: .max)
        #expect(throws: Never.self) { try EntryName(name) }
    }
}

/// Recognises names that may come from a backup of a listing (`user.document.name`).
struct GeneratedNameTests {
    private func couldHaveMade(_ name: String, _ convention: FilenameConvention = .timestamp, prefix: String = "")
        throws -> Bool
    {
        try FilenameGenerator(convention: convention, prefix: prefix).couldHaveMade(
            DocumentName(splitting: EntryName(name)))
    }

    @Test(arguments: FilenameConvention.allCases)
    func `timestamps and UUIDs are recognised, with any prefix and extension, under each convention`(
        convention: FilenameConvention
    ) throws {
        for name in [
            "2026-11-21-041233-7f3a.txt", "2026-11-21-041233-7f3a", "work-2026-11-21-041233-7f3a.tar",
            "1b4e28ba-2fa1-11d2-883f-b9a761bde3fb.md", "x1b4e28ba-2fa1-11d2-883f-b9a761bde3fb",
        ] {
            #expect(try couldHaveMade(name, convention), "\(name)")
        }
    }

    @Test(
        arguments: [
            "Groceries.txt", "2026-11-21.txt", "2026-11-21-041233-7F3A.txt", "2026-11-21-041233-7f3a (copy).txt",
            "2026-11-21-041233-7f3g",
            "026-11-21-041233-7f3a", "2026-11-21 041233-7f3a", "1b4e28ba-2fa1-11d2-883f-b9a761bde3f.md", "Notes 1.txt",
        ])
    func `other names are not recognised as generated`(name: String) throws { #expect(try !couldHaveMade(name)) }

    @Test func `numbers are recognised where they are counted`() throws {
        #expect(try couldHaveMade("Notes 1.txt", .sequential))
        #expect(try couldHaveMade("Work 17.txt", .sequential, prefix: "Work"))
        for name in ["Notes.txt", "Notes 1a.txt", "Notes 01.txt", "Notes 0.txt", "Chapter 1.txt", "Notes .txt"] {
            #expect(try !couldHaveMade(name, .sequential), "\(name)")
        }
    }
}
