import Backing
import Catalog
import Documents
import Foundation
@testable import CloudSynchronization
import Hashing
@testable import Library
import Logging
import ObjectStore
import Replication
import SystemPackage
import Testing
import TestSupport

/// A container of very many documents, in the simulation's store in memory.
///
/// `scripts/simulate --documents 1000000` makes it large, and says what it takes.
@Suite struct ScaleTests {
    private static let count = Int(ProcessInfo.processInfo.environment["DOCFS_SIMULATION_DOCUMENTS"] ?? "") ?? 20_000
    private static let perFolder = 100

    @Test func `a newcomer takes over a large container, in less than a kilobyte for each document`() async throws {
        let before = Self.residentBytes
        let surroundings = WorldSurroundings(seeds: SeedSource(seed: 1))
        let store = SimulatedStore(atHand: surroundings.network)
        try await Self.fill(store)
        try await withTemporaryFolder { folder in
            let place = DevicePlace(device: 0, path: folder, skew: 0, mayEvict: false)
            let (library, cloud) = try Library.open(
                LibraryConfiguration(
                    storePath: folder, filenames: try FilenameGenerator(convention: .uuid, prefix: ""),
                    showsDisplayNames: true, timeout: .seconds(30)),
                deviceName: place.name, surroundings: surroundings.forDevice(place, life: 1),
                logger: Logger(label: place.name) { _ in SwiftLogNoOpLogHandler() }
            ) { _ in CloudConnection(store, surroundings: surroundings.forDevice(place, life: 1)) }
            let start = ContinuousClock.now
            try await Synchronizer(library, cloud).follower.followLog()
            let taken = ContinuousClock.now - start
            let after = Self.residentBytes
            try Self.check(library)
            try library.close()
            print(
                "\(Self.count) documents in \(taken), \((after - before) / Self.count) bytes of memory each, the store's among them"
            )
            // Beside other tests what they need would count as well.
            if Self.count >= 500_000 { #expect((after - before) / Self.count < 1024) }
        }
    }

    private static func check(_ library: Library) throws {
        try library.transactions.inspect { rows in
            #expect(try rows.documentCount(in: .cloud).documents == count)
            let folder = try #require(try rows.entry(in: .cloud, filename: "Folder \(count / perFolder / 2)"))
            #expect(try rows.listing(of: folder.inode).count == perFolder)
            let name = "Document \(count / 2 + 7).txt"
            #expect(try rows.document(in: folder.inode, fullName: name)?.name?.full == name)
        }
    }

    // MARK: A checkpoint

    private static func fill(_ store: SimulatedStore) async throws {
        let position = 4096
        let checkpoint = "checkpoint/" + String(format: "%016d", position)
        let identity = ContainerIdentity(.random())
        _ = try await store.putIfAbsent(ContainerIdentity.key, identity.encoded)
        var state = StateHash.empty
        var parts: [String] = []
        var lines: [UInt8] = []
        func flush() async throws {
            for line in lines.split(separator: 10) { state.add(Data(line)) }
            parts.append(hexadecimal(HashAlgorithm.sha256.digest(of: lines)))
            _ = try await store.putIfAbsent(#require(ObjectKey("\(checkpoint)/\(parts.last!)")), lines)
            lines = []
        }
        let document = try Template(document: true)
        let folder = try Template(document: false)
        for number in 0..<count {
            let folderNumber = number / perFolder
            if number % perFolder == 0 {
                lines += folder.line(folderNumber, kind: 1, parent: nil, name: "Folder \(folderNumber)")
            }
            lines += document.line(number, kind: 2, parent: folderNumber, name: "Document \(number)")
            if lines.count > 2 << 20 { try await flush() }
        }
        try await flush()
        let manifest = CheckpointManifest(
            head: LogHead(
                container: identity.id, root: LogPosition(1), readFrom: LogPosition(1),
                position: LogPosition(Int64(position)),
                hash: ObjectHash(of: [1]), commit: .random(), state: state),
            count: count + (count + perFolder - 1) / perFolder, parts: parts)
        _ = try await store.putIfAbsent(
            #require(ObjectKey("\(checkpoint)/manifest")), Array(try JSONEncoder().encode(manifest)))
    }

    /// One entry as a checkpoint has it, in which ids and names are put in the place of others.
    private struct Template {
        private static let marks = (id: EntryID(numbered: (9, 1)), parent: EntryID(numbered: (9, 2)), name: "NAME")
        private let text: String

        init(document: Bool) throws {
            let version = DocumentVersion(
                id: .random(), base: nil, device: .random(), deviceName: "laptop", filename: Self.marks.name,
                size: 1234,
                sha256: String(repeating: "0", count: 64), modified: Timestamp(nanoseconds: 1))
            let description = EntryDescription(
                parent: Self.marks.parent, filename: Self.marks.name + (document ? ".txt" : ""),
                displayName: document ? Self.marks.name : nil, pathExtension: document ? "txt" : nil,
                naming: document ? .given : nil, hasGeneratedFilename: document, position: 1,
                mode: document ? 0o644 : 0o755, modified: Timestamp(nanoseconds: 1))
            let entry = ReplicaEntry(
                id: Self.marks.id, description: description,
                content: document ? .document(versions: VersionHistory(first: version)) : .folder,
                created: Timestamp(nanoseconds: 1),
                creator: .random())
            text = String(decoding: try JSONEncoder().encode(entry), as: UTF8.self)
        }

        func line(_ number: Int, kind: Int, parent: Int?, name: String) -> [UInt8] {
            let parent = parent.map { EntryID(numbered: (1, $0)) } ?? .cloudRoot
            return Array(
                text.replacing(Self.marks.id.uuid.uuidString, with: EntryID(numbered: (kind, number)).uuid.uuidString)
                    .replacing(Self.marks.parent.uuid.uuidString, with: parent.uuid.uuidString)
                    .replacing(Self.marks.name, with: name).utf8) + [UInt8(ascii: "\n")]
        }
    }

    private static var residentBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0)
            << 10
    }
}

extension EntryID {
    /// An id for each kind and number.
    fileprivate init(numbered: (kind: Int, number: Int)) {
        self.init(String(format: "%08X-0000-4000-8000-%012X", numbered.kind, numbered.number))!
    }
}
