import Documents
import Catalog
import Glibc
@testable import Library
import SystemPackage
import Testing

/// A backup of a listing of filenames that is restored beside its originals.
@Suite(.timeLimit(.minutes(15)))
struct RestoredNameTests {
    private static let filename = "2026-11-21-041233-7f3a.txt"
    private static let restored = "user.document.name"

    private static func withOriginal(_ body: (TestDevice, _ folder: InodeNumber) async throws -> Void) async throws {
        try await withDevice { device in
            try device.create(filename, "original", in: .local)
            try device.set(restored, "Plan", filename, in: .local)
            #expect(try device.entry("Plan.txt", in: .local).filename == filename)
            try await body(device, device.makeFolder("Restored", in: .local))
            #expect(try await device.text("Plan.txt", in: .local) == "original")
        }
    }

    private static func openForWriting(_ device: TestDevice, in folder: InodeNumber) throws -> UInt64 {
        let creator = Creator(owner: geteuid(), group: getegid(), mode: 0o600)
        let (_, opening) = try device.library.create(Array(filename.utf8), in: folder, by: creator, flags: O_WRONLY)
        return try device.opened(opening)
    }

    @Test(arguments: ["tar", "rsync --inplace", "bsdtar"])
    func `created, named, written and given times in any order, it is one document`(order: String) async throws {
        try await Self.withOriginal { device, folder in
            try device.create(Self.filename, order == "rsync --inplace" ? "plan" : "", in: folder)
            let held = order == "bsdtar" ? try Self.openForWriting(device, in: folder) : nil
            try device.set(Self.restored, "Plan", Self.filename, in: folder)
            try device.set("user.colour", "green", Self.filename, in: folder)
            if order != "rsync --inplace" {
                let number = try held ?? Self.openForWriting(device, in: folder)
                try device.write("plan", to: number)
                device.library.close(number)
            }
            try device.setModified(Self.filename, in: folder, seconds: 1_000_000)
            #expect(try device.names(in: folder) == ["Plan.txt"])
            #expect(try await device.text("Plan.txt", in: folder) == "plan")
            #expect(try device.attribute("user.colour", "Plan.txt", in: folder) == "green")
            let listed = try device.library.list(folder).map(\.name)
            #expect(try listed == [device.entry("Plan.txt", in: folder).filename])
            #expect(throws: Refusal.nameExists) { try device.create(Self.filename, in: folder) }
            // Times of files are the machine's, so the test's clock goes far ahead.
            device.advance(days: 1)
            #expect(!device.exists(Self.filename, in: folder))
        }
    }

    @Test func `the first name answers while the document is open, and no longer after a rename`() async throws {
        try await Self.withOriginal { device, folder in
            try device.create(Self.filename, in: folder)
            let number = try Self.openForWriting(device, in: folder)
            try device.set(Self.restored, "Plan", Self.filename, in: folder)
            device.advance(days: 1)
            #expect(device.exists(Self.filename, in: folder))
            try device.rename(Self.filename, in: folder, to: "Other.txt")
            #expect(!device.exists(Self.filename, in: folder))
            device.library.close(number)
        }
    }

    @Test(arguments: [".\(filename).aB3dEf", "\(filename).tmp"])
    func `a temporary file that is named and then renamed, twice, is one document`(temporary: String) async throws {
        try await Self.withOriginal { device, folder in
            for text in ["first", "second"] {
                try device.create(temporary, text, in: folder)
                try device.set(Self.restored, "Plan", temporary, in: folder)
                try device.rename(temporary, in: folder, to: Self.filename)
                try device.setModified(Self.filename, in: folder, seconds: 1_000_000)
                #expect(try device.names(in: folder) == ["Plan.txt"])
                #expect(try await device.text(Self.filename, in: folder) == text)
            }
        }
    }
}
