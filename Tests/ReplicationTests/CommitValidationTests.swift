import Documents
import Foundation
import ObjectStore
import Replication
import Testing

/// Well-formed commits with values beyond the limits: what comes from the store is not trusted.
struct CommitValidationTests {
    private let laptop = TestDevice.laptop

    private func expectInvalid(_ change: Change, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let bytes = try laptop.commit(.create(laptop.folder(50, "fine")), change).encoded()
        let error = #expect(throws: CommitError.self, sourceLocation: sourceLocation) { try Commit.decode(bytes) }
        guard case .invalid(let reason) = error else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
        #expect(!reason.isEmpty, sourceLocation: sourceLocation)
    }

    private func expectInvalid(
        document change: (inout ReplicaEntry) -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var entry = laptop.document(1)
        change(&entry)
        try expectInvalid(.create(entry), sourceLocation: sourceLocation)
    }

    private func expectInvalid(
        version change: (inout DocumentVersion) -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var version = laptop.version(1, modified: 1)
        change(&version)
        try expectInvalid(.save(EntryID(numbered: 1), version), sourceLocation: sourceLocation)
        try expectInvalid(
            document: { $0.content = .document(versions: VersionHistory(first: version)) },
            sourceLocation: sourceLocation)
        var history = VersionHistory(first: laptop.version(9, modified: 0))
        version.base = VersionID(numbered: 8)
        history.add(version, at: Timestamp(nanoseconds: 0))
        try expectInvalid(document: { $0.content = .document(versions: history) }, sourceLocation: sourceLocation)
    }

    static let badNames = [
        "", ".", "..", "/", "a/b", "../../etc/passwd", "a\0b", "\0", String(repeating: "x", count: 256),
        String(repeating: "é", count: 128),
    ]

    @Test(arguments: badNames)
    func `an invalid filename is refused in each position`(name: String) throws {
        try expectInvalid(document: { $0.description.filename = name })
        try expectInvalid(.create(laptop.folder(1, name)))
        try expectInvalid(.create(laptop.link(1, name, to: "x")))
        try expectInvalid(.describe(EntryID(numbered: 1), .moved(to: .cloudRoot, filename: name)))
        try expectInvalid(version: { $0.filename = name })
    }

    @Test(arguments: ["", "a/b", "a\0b", String(repeating: "x", count: 252)])
    func `an invalid display name is refused`(name: String) throws {
        try expectInvalid(.describe(EntryID(numbered: 1), .named(name)))
        try expectInvalid(document: { $0.description.displayName = name })
    }

    @Test(arguments: ["a/b", "a\0", "/", String(repeating: "x", count: 255)])
    func `an extension with a slash, a NUL or too many bytes is refused`(pathExtension: String) throws {
        try expectInvalid(.describe(EntryID(numbered: 1), .named("Plan", pathExtension)))
        try expectInvalid(document: { $0.description.pathExtension = pathExtension })
    }

    // An extension over 64 bytes leaves no room for ` (DEVICE)`.
    @Test(arguments: ["a b", "12345678901234567", String(repeating: "x", count: 250), "tar.gz"])
    func `an extension that splitting a name would not give is refused`(pathExtension: String) throws {
        try expectInvalid(.describe(EntryID(numbered: 1), .named("Plan", pathExtension)))
        try expectInvalid(document: { $0.description.pathExtension = pathExtension })
    }

    @Test func `a document without a name is refused`() throws {
        try expectInvalid(document: { $0.description.displayName = nil })
        try expectInvalid(document: { $0.description.pathExtension = nil })
        try expectInvalid(document: { $0.description.naming = nil })
    }

    @Test(arguments: [-1, .min, .max, (1 << 50) + 1] as [Int64])
    func `a size that no file has is refused`(size: Int64) throws {
        try expectInvalid(version: { $0.size = size })
    }

    @Test(arguments: [
        "", "abc", String(repeating: "A", count: 64), String(repeating: "g", count: 64),
        String(repeating: "a", count: 63), String(repeating: "a", count: 65), String(repeating: "é", count: 32),
    ])
    func `a digest that is not a SHA-256 is refused`(digest: String) throws {
        try expectInvalid(version: { $0.sha256 = digest })
    }

    @Test(arguments: [0o10000, 0o100644, .max] as [UInt16])
    func `a mode of more than permission bits is refused`(mode: UInt16) throws {
        var change = DescriptionChange()
        change.mode = mode
        try expectInvalid(.describe(EntryID(numbered: 1), change))
        try expectInvalid(document: { $0.description.mode = mode })
    }

    @Test(arguments: ["", "x", String(repeating: "x", count: 4095)])
    func `the target of a link has 1 to 4095 bytes`(target: String) throws {
        let change = Change.create(laptop.link(1, "link", to: target))
        if target.isEmpty {
            try expectInvalid(change)
        } else {
            #expect(throws: Never.self) { try Commit.decode(try laptop.commit(change).encoded()) }
        }
        try expectInvalid(.create(laptop.link(1, "link", to: String(repeating: "x", count: 4096))))
        try expectInvalid(.create(laptop.link(1, "link", to: "a\0b")))
    }

    @Test(arguments: [
        "", "x", "[]", "null", #"{"user.a":1}"#, #"{"user.a":"not base64"}"#, #"{"security.capability":"AA=="}"#,
        #"{"user.a":"AA==","trusted.b":"AA=="}"#, #"{"USER.a":"AA=="}"#,
        "{\"user.\(String(repeating: "x", count: 251))\":\"\"}",
    ])
    func `attributes that no device would send are refused`(json: String) throws {
        var change = DescriptionChange()
        change.attributes = .init(json: Data(json.utf8))
        try expectInvalid(.describe(EntryID(numbered: 1), change))
        try expectInvalid(document: { $0.description.attributes = Data(json.utf8) })
    }

    @Test func `more than 4,096 versions of a document are refused`() throws {
        var random = SystemRandomNumberGenerator()
        let versions = (0...4096).map { _ in VersionID.random(using: &random) }
        let most = laptop.commit(.delete(EntryID(numbered: 1), seen: Array(versions.dropLast())))
        #expect(try Commit.decode(try most.encoded()) == most)
        try expectInvalid(.delete(EntryID(numbered: 1), seen: versions))
    }

    @Test func `attributes of more than a mebibyte are refused`() throws {
        let json = try JSONEncoder().encode(["user.a": Data(count: 1 << 20)])
        try expectInvalid(document: { $0.description.attributes = json })
    }

    @Test func `the top folder cannot be changed`() throws {
        var entry = laptop.folder(1, "x")
        entry.id = .cloudRoot
        try expectInvalid(.create(entry))
        try expectInvalid(.save(.cloudRoot, laptop.version(1, modified: 1)))
        try expectInvalid(.describe(.cloudRoot, .moved(to: EntryID(numbered: 1), filename: "x")))
        try expectInvalid(.delete(.cloudRoot, seen: []))
    }

    @Test func `values at the limits are accepted`() throws {
        var entry = laptop.document(
            1, String(repeating: "x", count: 251) + ".txt", filename: String(repeating: "y", count: 255))
        var version = laptop.version(1, modified: .max)
        version.size = 1 << 40
        entry.content = .document(versions: VersionHistory(first: version))
        entry.description.mode = 0o7777
        entry.description.position = .number(-.greatestFiniteMagnitude)
        entry.description.attributes = Data("{}".utf8) + Data(repeating: 0x20, count: (1 << 20) - 2)
        let commit = laptop.commit(.create(entry))
        #expect(try Commit.decode(try commit.encoded()) == commit)
    }

    @Test func `the key of a version never leads out of its folder`() throws {
        var version = laptop.version(7, modified: 1)
        let document = EntryID(numbered: 1)
        #expect(
            try version.key(of: document).description
                == "documents/00000000-0000-0000-0000-000000000001/00000000-0000-0000-0000-000000000007/f.txt")
        for name in Self.badNames {
            version.filename = name
            #expect(throws: CommitError.self) { try version.key(of: document) }
        }
    }
}
