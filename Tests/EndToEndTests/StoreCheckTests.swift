import Foundation
import MountSupport
import SystemPackage
import Testing

/// `docfs check --store`: a catalog that was damaged or lost, and the plain files from which the next mount makes it anew.
@Suite(.mounting, .timeLimit(.minutes(3)))
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
            #expect(result.line == "ok: the catalog is sound")
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
}
