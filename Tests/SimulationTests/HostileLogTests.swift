import Documents
import Foundation
import Replication
import Testing
import TestSupport

/// Invalid log entries, made from valid ones. Each is quickly refused with one line, or it is a valid commit; then `apply` keeps its
/// rules, whatever the commit contains.
@Suite(.timeLimit(.minutes(15)))
struct HostileLogTests {
    /// Longer than any mutation may take.
    private static let patience = Duration.seconds(5)

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a commit with something hostile in it is refused or harmless`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let good = try HostileCommit.sample(&random)
        var known = InMemoryReplica()
        _ = try apply(good, to: &known)
        let json = try JSONSerialization.jsonObject(with: Data(try good.encoded()))
        for _ in 0..<25 {
            let changed = HostileCommit.changed(json, &random)
            guard let data = try? JSONSerialization.data(withJSONObject: changed, options: .fragmentsAllowed) else {
                continue
            }
            try expectHarmless(Array(data), known)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a commit of which bytes are wrong or missing is refused or harmless`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let good = try HostileCommit.sample(&random)
        var known = InMemoryReplica()
        _ = try apply(good, to: &known)
        let bytes = try good.encoded()
        for _ in 0..<50 {
            var spoiled = bytes
            if random.once(in: 3) { spoiled.removeLast(Int.random(in: 1...spoiled.count, using: &random)) }
            for _ in 0..<Int.random(in: 0..<4, using: &random) where !spoiled.isEmpty {
                spoiled[Int.random(in: 0..<spoiled.count, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
            }
            try expectHarmless(spoiled, known)
        }
    }

    @Test func `endless nesting, or a gigabyte that is only a beginning, is refused`() throws {
        for unit in ["[", "{\"changes\":", "{\"changes\":[{\"create\":", "\"", "-", "1e"] {
            let text = String(repeating: unit, count: 200_000)
            #expect(throws: CommitError.self) { try Commit.decode(Array(text.utf8)) }
            #expect(throws: CommitError.self) { try Commit.decode(Array("{\"format\":1,\"changes\":\(text)".utf8)) }
        }
    }

    private func expectHarmless(_ bytes: [UInt8], _ known: InMemoryReplica) throws {
        let start = ContinuousClock.now
        do throws(CommitError) {
            let commit = try Commit.decode(bytes)
            for before in [InMemoryReplica(), known] {
                var replica = before
                do {
                    _ = try apply(commit, to: &replica)
                    _ = try apply(commit, to: &replica)
                } catch { Issue.record("apply gave up: \(error)") }
                expectRules(replica)
            }
        } catch {
            let text = error.description
            #expect(!text.isEmpty && !text.contains("\n") && text.utf8.count < 2000)
        }
        #expect(ContinuousClock.now - start < Self.patience)
    }

    /// No name leads out of the store, and every entry has a parent.
    private func expectRules(_ replica: InMemoryReplica) {
        for entry in replica.entries.values {
            #expect((try? EntryName(entry.description.filename)) != nil)
            for version in entry.versions?.all ?? [] { #expect((try? version.key(of: entry.id)) != nil) }
            var folder = entry.description.parent
            var depth = 0
            while folder != .cloudRoot, let above = replica.entry(folder), depth <= replica.entries.count {
                if !entry.isDeleted { #expect(above.isFolder && !above.isDeleted) }
                folder = above.description.parent
                depth += 1
            }
            #expect(folder == .cloudRoot)
        }
    }
}

/// Valid commits, and hostile mutations of them.
private enum HostileCommit {
    static func sample(_ random: inout SeededGenerator) throws -> Commit {
        let device = DeviceID.random(using: &random)
        func version(_ base: VersionID?) -> DocumentVersion {
            DocumentVersion(
                id: .random(using: &random), base: base, device: device, deviceName: "laptop", filename: "f.txt",
                size: 3,
                sha256: String(repeating: "0123456789abcdef", count: 4), modified: Timestamp(nanoseconds: 5))
        }
        func entry(_ name: String, in parent: EntryID, _ content: ReplicaContent) -> ReplicaEntry {
            var description = EntryDescription(
                parent: parent, filename: name, position: 1, mode: 0o644, modified: Timestamp(nanoseconds: 1),
                attributes: Data(#"{"user.tag":"eA=="}"#.utf8))
            if case .document = content {
                (description.displayName, description.pathExtension, description.naming) = ("Plan", "txt", .given)
            }
            return ReplicaEntry(
                id: .random(using: &random), description: description, content: content,
                created: Timestamp(nanoseconds: 1),
                creator: device)
        }
        let folder = entry("Work", in: .cloudRoot, .folder)
        let link = entry("link", in: folder.id, .symbolicLink(target: Data("x".utf8)))
        let first = version(nil)
        let document = entry("f.txt", in: folder.id, .document(versions: VersionHistory(first: first)))
        let (second, third) = (version(first.id), version(first.id))
        var move = DescriptionChange()
        move.place = .init(parent: .cloudRoot, filename: "g.txt", hasGeneratedFilename: false)
        move.name = .init(displayName: "New", pathExtension: "txt", naming: .given)
        return Commit(
            id: .random(using: &random), device: device, deviceName: "laptop", time: Timestamp(nanoseconds: 9),
            changes: [
                .create(folder), .create(link), .create(document), .save(document.id, second),
                .save(document.id, third),
                .resolve(document.id, Resolution(kept: third.id, discarded: [second.id])), .describe(document.id, move),
                .delete(link.id, seen: []),
            ])
    }

    /// The same tree with one to three of its values replaced.
    static func changed(_ json: Any, _ random: inout SeededGenerator) -> Any {
        (0..<Int.random(in: 1...3, using: &random)).reduce(json) { json, _ in changedOnce(json, &random) }
    }

    private static func changedOnce(_ json: Any, _ random: inout SeededGenerator) -> Any {
        switch json {
        case var object as [String: Any] where !object.isEmpty && !random.once(in: 8):
            let key = object.keys.sorted().randomElement(using: &random)!
            if random.once(in: 10) {
                object[key] = nil
            } else {
                object[key] = changedOnce(object[key]!, &random)
            }
            return object
        case var array as [Any] where !array.isEmpty && !random.once(in: 8):
            let index = array.indices.randomElement(using: &random)!
            array[index] = changedOnce(array[index], &random)
            return array
        default: return hostile(&random)
        }
    }

    private static func hostile(_ random: inout SeededGenerator) -> Any {
        switch Int.random(in: 0..<16, using: &random) {
        case 0: "../../etc/passwd"
        case 1: ".."
        case 2: "a/b"
        case 3: "nul\u{0}"
        case 4: String(repeating: "x", count: 256)
        case 5: String(repeating: "é", count: 50_000)
        case 6: Int64.max
        case 7: Int64.min
        case 8: 1e300
        case 9: -1
        case 10: NSNull()
        case 11: true
        case 12: (0..<300).reduce("deep" as Any) { inner, _ in [inner] }
        case 13: [String](repeating: EntryID.cloudRoot.description, count: 20_000)
        case 14: EntryID.cloudRoot.description
        default: ["create": ["document": ["versions": [String: Any]()]]]
        }
    }
}
