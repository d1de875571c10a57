import Foundation
import MountSupport
import SystemPackage
import TestSupport
import Testing

/// `docfs check` of a store, mounted or not: files, rows, trash and order that disagree, and a catalog that was damaged or lost and is made
/// anew from the plain files.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct StoreCheckTests {
    private static let documents = (1...40).map { "Note \($0).txt" }

    /// A store with documents that no mount uses.
    private func withStore(_ body: (_ device: Device, _ catalog: FilePath) async throws -> Void) async throws {
        try await withDevice { device in
            for name in Self.documents { try (device.local / name).create("text of \(name)") }
            try await device.unmount()
            try await body(device, device.store / "catalog.sqlite")
        }
    }

    private func expectDocuments(on device: Device) async throws {
        try await device.mount()
        for name in Self.documents { #expect(try (device.local / name).text() == "text of \(name)") }
        #expect(try device.local.documentNames().count == Self.documents.count)
    }

    @Test func `a store that is whole is said to be whole, and nothing in it changes`() async throws {
        try await withStore { device, catalog in
            let result = try await device.docfs("check", "--store", device.store.string)
            #expect(result.line == "ok: the store is whole")
            #expect(result.exitStatus == 0)
            try await expectDocuments(on: device)
        }
    }

    enum Damage: String, CaseIterable { case cutShort, flippedBytes, otherFile }

    private func damage(_ catalog: FilePath, _ kind: Damage) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: catalog.string))
        switch kind {
        case .cutShort: bytes = bytes.prefix(20_000)
        case .flippedBytes: for place in stride(from: 100, to: bytes.count, by: 997) { bytes[place] ^= 0xff }
        case .otherFile: bytes = Data(String(repeating: "This is a letter. ", count: 1000).utf8)
        }
        try bytes.write(to: URL(fileURLWithPath: catalog.string))
    }

    @Test(arguments: Damage.allCases)
    func `a damaged catalog is refused in one line, set aside by --repair, and made anew from the files`(kind: Damage)
        async throws
    {
        try await withStore { device, catalog in
            try damage(catalog, kind)
            let refused = try await device.attemptMount(device.mountArguments)
            #expect(refused.exitStatus == 1)
            #expect(
                refused.oneErrorLine?.contains("docfs check --repair --store \(device.store)") == true, "\(refused)")
            let found = try await device.docfs("check", "--store", device.store.string)
            #expect(found.exitStatus == 1)
            #expect(found.line.hasPrefix("catalog: "))
            let repaired = try await device.docfs("check", "--repair", "--store", device.store.string)
            #expect(repaired.exitStatus == 0, "\(repaired)")
            #expect(try device.store.listing().contains { $0.hasPrefix("catalog.sqlite.damaged-") })
            try await expectDocuments(on: device)
        }
    }

    @Test func `a catalog that was deleted is made anew from the files`() async throws {
        try await withStore { device, catalog in
            try catalog.remove()
            try await expectDocuments(on: device)
        }
    }

    @Test func `a store in use is not checked, and a folder without a store is named`() async throws {
        try await withDevice { device in
            let used = try await device.docfs("check", "--store", device.store.string)
            #expect(used.exitStatus == 1)
            #expect(used.oneErrorLine?.contains("in use by another docfs") == true)
            let missing = try await device.docfs("check", "--store", (device.folder / "none").string)
            #expect(missing.exitStatus == 1)
            #expect(missing.oneErrorLine?.contains("there is no store") == true)
            #expect(!(device.folder / "none").exists)
        }
    }

    // MARK: Files, rows, trash and order

    private static let facts = [
        "the file is gone (“Note 1.txt”)", "a file that the catalog does not know",
        "carries the name “Other”, and the catalog says “Note 2”", "cannot be brought back: its file is gone",
        "is no file that docfs has put there",
    ]

    /// A device with three documents in each container, of which one was removed, and the filenames of those in the cloud.
    private func withBothContainers(_ body: (_ device: Device, _ filenames: [String]) async throws -> Void) async throws
    {
        try await withDevice { device in
            let names = Array(Self.documents.prefix(3))
            for name in names {
                for folder in [device.local, device.cloud] { try (folder / name).create("text of \(name)") }
            }
            try (device.local / names[2]).remove()
            for name in names { try await device.waitUntilUploaded(device.cloud / name) }
            try await body(device, try names.map { try (device.cloud / $0).filename() })
        }
    }

    /// Takes away the file of a document of the cloud, adds two, gives one another name, and takes one out of the trash.
    private func damageFiles(of device: Device, _ filenames: [String]) throws {
        try (device.storedCloud / filenames[0]).remove()
        try (device.storedLocal / "Found.txt").write("found")
        try (device.store / "staging" / "Left.txt").write("left")
        try (device.storedCloud / filenames[1]).setAttribute("user.displayName", "Other")
        let removed = try #require(try (device.store / "trash").listing().first)
        try (device.store / "trash" / removed).remove()
    }

    private func expectMended(_ device: Device) async throws {
        #expect(try (device.cloud / "Note 1.txt").text() == "text of Note 1.txt")
        #expect(try (device.cloud / "Other.txt").text() == "text of Note 2.txt")
        #expect(try (device.local / "Note 1.txt").text() == "text of Note 1.txt")
        #expect(try (device.local / "Found.txt").text() == "found")
        #expect(try (device.local / "Left.txt").text() == "left")
    }

    @Test func `damage under a mount is told in one line each, and mended through the mount`() async throws {
        try await withBothContainers { device, filenames in
            #expect(
                try await device.docfs("check", device.mountpoint.string).findings == ["ok: 3 documents in the cloud"])
            try damageFiles(of: device, filenames)
            let found = try await device.docfs("check", device.mountpoint.string)
            #expect(found.exitStatus == 1)
            #expect(found.oneErrorLine?.contains("docfs check --repair") == true)
            for fact in Self.facts { #expect(found.lines.contains { $0.contains(fact) }, "\(fact): \(found)") }
            #expect(found.findings.count == Self.facts.count + 1)
            let repaired = try await device.docfs("check", "--repair", "--json", device.mountpoint.string)
            #expect(repaired.exitStatus == 0, "\(repaired)")
            #expect(repaired.standardOutput.contains("\"isWhole\" : true"))
            #expect(repaired.standardOutput.contains("mended: store: "))
            try await expectMended(device)
            #expect(
                try await device.docfs("check", device.mountpoint.string).findings == ["ok: 3 documents in the cloud"])
        }
    }

    @Test func `damage in a store that no mount uses is told and mended as well`() async throws {
        try await withBothContainers { device, filenames in
            try await device.unmount()
            try damageFiles(of: device, filenames)
            let found = try await device.docfs("check", "--store", device.store.string)
            #expect(found.exitStatus == 1)
            #expect(found.oneErrorLine?.contains("docfs check --repair --store \(device.store)") == true)
            for fact in Self.facts { #expect(found.lines.contains { $0.contains(fact) }, "\(fact): \(found)") }
            let repaired = try await device.docfs("check", "--repair", "--store", device.store.string)
            #expect(repaired.exitStatus == 0, "\(repaired)")
            #expect(repaired.lines.count == Self.facts.count)
            let result = try await device.docfs("check", "--store", device.store.string)
            #expect(result.line == "ok: the store is whole")
            try await device.mount()
            try await expectMended(device)
            #expect(try await device.docfs("check", device.mountpoint.string).exitStatus == 0)
        }
    }

    @Test func `after a catalog was lost, no document of the cloud stands there twice`() async throws {
        try await withBothContainers { device, filenames in
            try await device.unmount()
            try (device.store / "catalog.sqlite").remove()
            let repaired = try await device.docfs("check", "--repair", "--store", device.store.string)
            #expect(repaired.exitStatus == 0, "\(repaired)")
            try await device.mount()
            try await eventually {
                try device.treeState()["cloud.pending"] == "0" && device.treeState()["cloud.connection"] == "online"
            }
            #expect(try device.cloud.documentNames().sorted() == filenames.sorted())
            for name in Self.documents.prefix(3) { #expect(try (device.cloud / name).text() == "text of \(name)") }
            #expect(
                try await device.docfs("check", device.mountpoint.string).findings == ["ok: 3 documents in the cloud"])
        }
    }

    // MARK: Bytes that chance chooses

    private static func amount(_ name: String, default amount: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? amount
    }

    /// Flips bytes in the catalog or its write-ahead log, or cuts one of them short.
    private func attack(_ store: FilePath, _ random: inout some RandomNumberGenerator) throws {
        let present = ["catalog.sqlite", "catalog.sqlite-wal"].map { store / $0 }.filter(\.exists)
        let file = try #require(present.randomElement(using: &random))
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file.string))
        if bytes.isEmpty { return }
        if Int.random(in: 0..<6, using: &random) == 0 {
            bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &random))
        } else {
            for _ in 0..<([1, 3, 50].randomElement(using: &random) ?? 1) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        }
        try bytes.write(to: URL(fileURLWithPath: file.string))
    }

    /// `DOCFS_PROOF_DAMAGE`: the number of attacks; `DOCFS_PROOF_SEED`: the first seed.
    @Test func `whatever bytes of a catalog change, a repair brings back every document`() async throws {
        let (attacks, first) = (
            Self.amount("DOCFS_PROOF_DAMAGE", default: 6), Self.amount("DOCFS_PROOF_SEED", default: 1)
        )
        var lost = 0
        try await withBothContainers { device, _ in
            let texts = Set(Self.documents.prefix(3).map { "text of \($0)" })
            for seed in first..<first + attacks {
                var random = SeededGenerator(seed: UInt64(seed))
                if Bool.random(using: &random) { try await device.crash() } else { try await device.unmount() }
                try attack(device.store, &random)
                let repaired = try await device.docfs("check", "--repair", "--store", device.store.string)
                #expect(repaired.exitStatus == 0, "seed \(seed): \(repaired)")
                try await device.mount()
                let after = try await device.docfs("check", "--repair", device.mountpoint.string)
                #expect(after.exitStatus == 0, "seed \(seed): \(after)")
                // Documents may have become ones of `local` or of the cloud by the names on their files.
                let here = Set(try device.cloud.documentNames().map { try (device.cloud / $0).text() })
                let local = Set(try device.local.documentNames().map { try (device.local / $0).text() })
                let isLost = !texts.isSubset(of: here) || !texts.subtracting(["text of Note 3.txt"]).isSubset(of: local)
                if isLost { lost += 1 }
                #expect(!isLost, "seed \(seed): \(here), \(local)")
            }
        }
        print(
            "proof: DAMAGE: \(attacks) attacks, \(lost) lost (bytes of the catalog changed or cut off, then repaired)")
    }
}

extension ProgramResult {
    /// What `docfs check` found, without the code of an encrypted container.
    fileprivate var findings: [String] { lines.filter { !$0.hasPrefix("code: ") } }
}
