import Ciphers
import Documents
import Foundation
@testable import Replication
import Testing
import TestSupport

/// The page ContainerFormat says what the types do: each of its examples is decoded and encoded again, and its hashes are recomputed.
struct ContainerFormatTests {
    private let page = FormatPage.shared

    private static let typed = FormatPage.shared.examples.filter { $0.title.hasPrefix("(") }

    @Test(arguments: typed)
    func `an example is what the type encodes`(_ example: FormatPage.Example) throws {
        let encoded: Data
        switch example.name {
        case "LogEntry.Header": encoded = try Self.encodedAgain(example, as: LogEntry.Header.self)
        case "Change": encoded = try Self.encodedAgain(example, as: Change.self)
        case "ReplicaEntry": encoded = try Self.encodedAgain(example, as: ReplicaEntry.self)
        case "CheckpointManifest": encoded = try Self.encodedAgain(example, as: CheckpointManifest.self)
        default: throw UnknownType(name: example.name)
        }
        let (expected, found) = (try Self.value(Data(example.bytes)), try Self.value(encoded))
        #expect(found == expected)
    }

    private struct UnknownType: Error { let name: String }

    private static func encodedAgain<Value: Codable>(_ example: FormatPage.Example, as type: Value.Type) throws -> Data
    {
        try JSONEncoder().encode(JSONDecoder().decode(Value.self, from: Data(example.bytes)))
    }

    /// JSON as a value that can be compared.
    private static func value(_ json: Data) throws -> NSObject {
        try #require(try JSONSerialization.jsonObject(with: json) as? NSObject)
    }

    @Test func `there is an example of each kind of change, and of each field of an entry`() throws {
        let changes = Self.typed.filter { $0.name == "Change" }.map(\.text).joined()
        for kind in ["save", "describe", "delete", "resolve", "bequeath"] { #expect(changes.contains("\"\(kind)\"")) }
        let entry = try #require(Self.typed.first { $0.name == "ReplicaEntry" })
        let decoded = try JSONDecoder().decode(ReplicaEntry.self, from: Data(entry.bytes))
        expectAllSet(decoded)
        expectAllSet(decoded.description)
        let versions = try #require(decoded.versions)
        let version = try #require(versions.conflicts.first)
        expectAllSet(version)
    }

    /// Expects that no field of a value is nil.
    private func expectAllSet(_ value: some Any) {
        for field in Mirror(reflecting: value).children {
            #expect("\(field.value)" != "nil", "\(field.label ?? "") has no value")
        }
    }

    @Test func `each field of an example is in a table`() throws {
        var fields: Set<String> = []
        func collect(_ value: Any) {
            if let object = value as? [String: Any] {
                fields.formUnion(object.keys)
                object.values.forEach(collect)
            }
            (value as? [Any])?.forEach(collect)
        }
        for example in page.examples {
            for line in example.title.hasPrefix("(") ? [example.text] : example.text.components(separatedBy: "\n") {
                collect(try JSONSerialization.jsonObject(with: Data(line.utf8)))
            }
        }
        #expect(fields.count > 40)
        let table = page.text.split(separator: "\n").filter { $0.hasPrefix("|") }.joined(separator: "\n")
        for field in fields { #expect(table.contains("`\(field)`") || table.contains(".\(field)`"), "\(field)") }
    }

    @Test func `every example of an entry or change keeps the limits`() throws {
        for example in Self.typed where example.name == "ReplicaEntry" {
            try Commit.validate(JSONDecoder().decode(ReplicaEntry.self, from: Data(example.bytes)))
        }
        let changes = try Self.typed.filter { $0.name == "Change" }.map {
            try JSONDecoder().decode(Change.self, from: Data($0.bytes))
        }
        try TestDevice.laptop.commit(changes).validate()
    }

    // MARK: Exact bytes

    @Test(arguments: ["numbers", "strings"])
    func `the canonical form of numbers and strings is the page's`(title: String) throws {
        let example = try #require(page.example(title))
        let encoder = JSONEncoder()
        let encoded =
            title == "numbers"
            ? try encoder.encode(JSONDecoder().decode([Double].self, from: Data(example.bytes)))
            : try encoder.encode(JSONDecoder().decode([String].self, from: Data(example.bytes)))
        #expect(String(decoding: encoded, as: UTF8.self) == example.text)
    }

    @Test func `the object container has these bytes`() throws {
        let bytes = try #require(page.object("container")) + [UInt8(ascii: "\n")]
        #expect(try identity().encoded == bytes)
    }

    @Test func `the entry has these bytes, and follows the object container`() throws {
        let entry = try firstEntry()
        #expect(try LogEntry(entry.commit, after: entry.link).bytes == entry.bytes)
        try identity().emptyLog.check(entry)
    }

    @Test func `the signed header has this signature`() throws {
        let example = try #require(Self.typed.last { $0.name == "LogEntry.Header" })
        let header = try JSONDecoder().decode(LogEntry.Header.self, from: Data(example.bytes))
        #expect(try header.isAsSigned() && header.text() == example.bytes && header.format == LogEntry.signedFormat)
        #expect(try header.signed(with: SigningKey(seed: SecretBytes(0..<32))).text() == example.bytes)
    }

    @Test func `the hashes are those of the page`() throws {
        let lines = try #require(page.example("records")).text.components(separatedBy: "\n")
        var replica = InMemoryReplica()
        let touched = try apply(firstEntry().commit, to: &replica)
        var state = StateHash.empty
        for (id, line) in zip(touched, lines) {
            let record = try #require(replica.entry(id)).record()
            #expect(String(decoding: record, as: UTF8.self) == line)
            state.add(record)
        }
        #expect(touched.count == 2 && lines.count == 2)
        #expect(page.value("SHA-256 of the object `container`") == ObjectHash(of: try identity().encoded).description)
        #expect(page.value("SHA-256 of the first record") == ObjectHash(of: lines[0].utf8).description)
        #expect(page.value("SHA-256 of the second record") == ObjectHash(of: lines[1].utf8).description)
        #expect(page.value("state hash after position 1") == state.description)
        #expect(page.value("SHA-256 of the object `log/0000000000000001`") == (try firstEntry()).hash.description)

        let head = try identity().emptyLog.advanced(by: firstEntry(), state: state)
        let second = try #require(Self.typed.first { $0.name == "LogEntry.Header" })
        #expect(try JSONDecoder().decode(LogEntry.Header.self, from: Data(second.bytes)).link == head.link)
        let manifest = try #require(Self.typed.first { $0.name == "CheckpointManifest" })
        let decoded = try JSONDecoder().decode(CheckpointManifest.self, from: Data(manifest.bytes))
        #expect(decoded.head.logHead == head)
        #expect(try JSONDecoder().decode(CheckpointManifest.self, from: Data(withReadFrom(manifest.bytes))) == decoded)
        #expect(decoded.parts == [ObjectHash(of: lines.map { $0 + "\n" }.joined().utf8).description])
    }

    /// The manifest as earlier builds wrote it, with a field that no reader uses.
    private func withReadFrom(_ manifest: [UInt8]) throws -> [UInt8] {
        let root = #""root":1"#
        let text = String(decoding: manifest, as: UTF8.self).filter { !$0.isWhitespace }
        let earlier = text.replacing(root, with: #""readFrom":1,"# + root)
        try #require(earlier != text)
        return Array(earlier.utf8)
    }

    private func identity() throws -> ContainerIdentity {
        try JSONDecoder().decode(ContainerIdentity.self, from: Data(try #require(page.object("container"))))
    }

    private func firstEntry() throws -> LogEntry {
        try LogEntry(decoding: try #require(page.object("log/0000000000000001")))
    }
}
