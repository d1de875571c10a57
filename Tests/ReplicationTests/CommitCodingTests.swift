import Documents
import Foundation
import Replication
import Testing
import TestSupport

/// Commits, encoded and decoded.
struct CommitCodingTests {
    /// A commit with changes of each kind, and every field set.
    static var sample: Commit {
        let laptop = TestDevice.laptop
        var document = laptop.document(1, "cafe\u{301}.txt", in: EntryID(numbered: 2))
        document.description.attributes = try? JSONEncoder().encode(["user.color": Data([0, 255])])
        var change = DescriptionChange.moved(to: .cloudRoot, filename: "new name", isGenerated: true)
        change.name = .init(displayName: "Plan \"A\"", pathExtension: "", naming: .untitled)
        change.position = -0.1
        change.mode = 0o7777
        change.modified = Timestamp(nanoseconds: .min)
        change.attributes = .init(json: nil)
        return laptop.commit(
            .create(laptop.folder(2, "Photos")), .create(document), .create(laptop.link(3, "link", to: "../ü")),
            .save(EntryID(numbered: 1), laptop.version(11, base: 1, modified: -5)),
            .describe(EntryID(numbered: 1), change), .describe(EntryID(numbered: 3), DescriptionChange()),
            .delete(EntryID(numbered: 1), seen: [VersionID(numbered: 11)]), .delete(EntryID(numbered: 2), seen: []),
            id: CommitID(numbered: 42))
    }

    @Test func `a commit comes back as it was written`() throws {
        let commit = Self.sample
        let decoded = try Commit.decode(try commit.encoded())
        #expect(decoded == commit)
        guard case .create(let document) = decoded.changes[1] else {
            Issue.record("the second change creates a document")
            return
        }
        #expect(Array((document.description.displayName ?? "").utf8) == Array("cafe\u{301}".utf8))
    }

    @Test func `a position is a key, or a number as releases before order keys wrote it`() throws {
        let entry = TestDevice.laptop.document(1)
        let text = String(decoding: try TestDevice.laptop.commit(.create(entry)).encoded(), as: UTF8.self)
        for (json, expected) in [("2.5", .number(2.5)), ("\"a2x0T\"", .key(OrderKey("a2x0T")!))]
            as [(String, CommittedPosition)]
        {
            let bytes = Array(text.replacingOccurrences(of: "\"position\":1", with: "\"position\":" + json).utf8)
            let commit = try Commit.decode(bytes)
            guard case .create(let decoded) = commit.changes[0] else { throw CommitError.malformed("not created") }
            #expect(decoded.description.position == expected)
            #expect(try commit.encoded() == bytes)
        }
        #expect(CommittedPosition.number(2.5).key == 2.5)
    }

    @Test func `a commit without changes is one`() throws {
        let commit = TestDevice.laptop.commit()
        #expect(try Commit.decode(try commit.encoded()) == commit)
    }

    @Test func `a commit is always encoded to the same bytes`() throws {
        #expect(try Self.sample.encoded() == Self.sample.encoded())
    }

    @Test(arguments: [-1, 0, 3, 1_000_000])
    func `a commit of another format is refused, and the error names the format`(format: Int) throws {
        let text = String(decoding: try TestDevice.laptop.commit().encoded(), as: UTF8.self)
        let bytes = Array(text.replacing("\"format\":1", with: "\"format\":\(format)").utf8)
        #expect(throws: CommitError.unknownFormat(format)) { try Commit.decode(bytes) }
    }

    @Test func `a later format may have any shape`() {
        #expect(throws: CommitError.unknownFormat(3)) {
            try Commit.decode(Array(#"{"format":3,"changes":"compressed"}"#.utf8))
        }
    }

    @Test(arguments: [
        "", " ", "null", "[]", "{}", "1", "\"\"", "{\"format\":1}", "{\"format\":\"1\"}", "{\"format\":1.5}",
        "{\"format\":1e99}", "\u{FEFF}{}", "{\"format\":1,\"id\":\"x\"}", "\0\0\0\0", "{\"format\":1}{",
    ])
    func `text that is no commit is malformed`(text: String) {
        expectMalformed(Array(text.utf8))
    }

    @Test func `bytes that are not UTF-8 are malformed`() {
        expectMalformed([0xff, 0xfe, 0x00])
        expectMalformed([UInt8](repeating: 0, count: 10_000))
        expectMalformed(Array("{\"format\":1,\"deviceName\":\"".utf8) + [0xff] + Array("\"}".utf8))
    }

    @Test func `a commit that breaks off is malformed, wherever it does`() throws {
        let bytes = try Self.sample.encoded()
        for count in stride(from: 0, to: bytes.count, by: 7) { expectMalformed(Array(bytes.prefix(count))) }
        expectMalformed(bytes.dropLast())
    }

    @Test(arguments: ["[", "{\"format\":", "{\"format\":1,\"changes\":["])
    func `deep nesting is malformed`(opening: String) {
        expectMalformed(Array(String(repeating: opening, count: 100_000).utf8))
    }

    @Test(arguments: [
        ("\"position\":1", "\"position\":1e999"), ("\"position\":1", "\"position\":\"NaN\""),
        ("\"position\":1", "\"position\":NaN"), ("\"mode\":420", "\"mode\":-1"), ("\"mode\":420", "\"mode\":65536"),
        ("\"size\":3", "\"size\":9223372036854775808"), ("\"size\":3", "\"size\":3.5"),
        ("\"size\":3", "\"size\":null"), ("\"create\"", "\"destroy\""), ("\"given\"", "\"stolen\""),
        ("\"filename\":\"generated-1.txt\"", "\"filename\":7"),
        ("\"filename\":\"generated-1.txt\"", "\"filename\":\"\\ud800\""),
    ])
    func `a value of the wrong kind is malformed`(good: String, bad: String) throws {
        let commit = TestDevice.laptop.commit(.create(TestDevice.laptop.document(1)))
        let text = String(decoding: try commit.encoded(), as: UTF8.self)
        let spoiled = text.replacingOccurrences(of: good, with: bad)
        #expect(spoiled != text)
        expectMalformed(Array(spoiled.utf8))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a position that is not finite is not written`(position: Double) throws {
        var change = DescriptionChange()
        change.position = .number(position)
        let commit = TestDevice.laptop.commit(.describe(EntryID(numbered: 1), change))
        #expect(throws: CommitError.self) { try commit.encoded() }
    }

    private func expectMalformed(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: CommitError.self, sourceLocation: sourceLocation) { try Commit.decode(bytes) }
        guard case .malformed = error else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
    }
}
