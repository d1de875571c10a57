import Glibc
import MountSupport
import SystemPackage
import Testing

/// On a full disk, operations that need space fail and change nothing. Mounting, reading and removing always work.
@Suite(.mounting, .timeLimit(.minutes(15)), .needsDiskImages)
struct FullDiskTests {
    private static let count = 12

    private static func makeDocuments(on device: Device) async throws {
        for number in 0..<count * 3 { try (device.local / "\(number).txt").create("local \(number)") }
        for number in 0..<count { try (device.cloud / "\(number).txt").create("cloud \(number)") }
        try (device.local / "Folder").makeFolder()
        try await eventually { try device.treeState()["cloud.pending"] == "0" }
    }

    /// Names an operation that a full disk must not refuse.
    private static func notRefused(_ operation: String, _ body: () throws -> Void) throws {
        do { try body() } catch { throw Refused(operation: operation, error: error) }
    }

    private struct Refused: Error, CustomStringConvertible {
        let operation: String
        let error: any Error

        var description: String { "on the full disk, \(operation) was refused: \(error)" }
    }

    @Test func `a full disk empties the trash before anything is refused`() async throws {
        try await withDiskImage { device, disk in
            let large = LargeContent(pieces: 20)
            try large.write(to: device.local / "Large.bin")
            try (device.local / "Large.bin").remove()
            #expect(try device.treeState()["trash"] == "\(large.size) in 1 document")
            try await disk.fill()
            try (device.local / "New.txt").create("new")
            #expect(try device.treeState()["trash"] == "0 in 0 documents")
            #expect(try (device.local / "New.txt").text() == "new")
        }
    }

    enum Writing: CaseIterable, Sendable { case toNew, toOpened, toCloud, allocating }

    @Test(arguments: Writing.allCases)
    func `the trash gives way to what is written`(writing: Writing) async throws {
        try await withDiskImage { device, _ in
            let folder = writing == .toCloud ? device.cloud : device.local
            let removed = LargeContent(pieces: 35)
            // More than one, so that the oldest goes first.
            for name in ["First.bin", "Second.bin"] {
                try removed.write(to: device.local / name)
                if writing == .toOpened, name == "Second.bin" { break }
                try (device.local / name).remove()
            }
            let path = folder / "New.bin"
            let file = try path.open(.writeOnly, [.create])
            if writing == .toOpened { try (device.local / "Second.bin").remove() }
            let large = LargeContent(pieces: 70)
            if writing == .allocating { #expect(posix_fallocate(file.descriptor.rawValue, 0, off_t(large.size)) == 0) }
            for index in 0..<large.pieces { _ = try file.descriptor.writeAll(large.piece(index)) }
            try file.close()
            #expect(try large.matches(path))
            #expect(try device.treeState()["trash"] != "\(2 * removed.size) in 2 documents")
        }
    }

    @Test func `the trash stays where all of it would not be enough`() async throws {
        try await withDiskImage { device, _ in
            try LargeContent(pieces: 20).write(to: device.local / "Large.bin")
            try (device.local / "Large.bin").remove()
            let trash = try device.treeState()["trash"]
            let file = try (device.local / "New.bin").open(.writeOnly, [.create])
            #expect(posix_fallocate(file.descriptor.rawValue, 0, 1 << 40) == ENOSPC)
            try file.close()
            #expect(try device.treeState()["trash"] == trash)
        }
    }

    @Test(arguments: ["32M", "128M"]) func `whatever it refuses, everything is where it was`(size: String) async throws
    {
        try await withDiskImage(size: size) { device, disk in
            try await Self.makeDocuments(on: device)
            try await disk.fill()
            var moved: Set<Int> = []
            for number in 0..<Self.count {
                // Another program uses up any space that becomes free.
                try await disk.fill()
                if (try? (device.local / "\(number).txt").rename(to: device.local / "Folder" / "\(number).txt")) != nil
                {
                    moved.insert(number)
                }
                try await disk.fill()
                try Self.notRefused("rm local/\(Self.count + number).txt") {
                    try (device.local / "\(Self.count + number).txt").remove()
                }
                try await disk.fill()
                try Self.notRefused("rm cloud/\(number).txt") { try (device.cloud / "\(number).txt").remove() }
                try await disk.fill()
                let new = device.local / "New \(number)"
                #expect(throws: Errno.noSpace) { try new.makeFolder() }
                #expect(throws: Errno.noSpace) { try (device.local / "New \(number).txt").create("new") }
            }
            func check() throws {
                for number in 0..<Self.count {
                    let folder = moved.contains(number) ? device.local / "Folder" : device.local
                    #expect(try (folder / "\(number).txt").text() == "local \(number)")
                    #expect(!(device.local / "\(Self.count + number).txt").exists)
                    #expect(
                        try (device.local / "\(2 * Self.count + number).txt").text()
                            == "local \(2 * Self.count + number)")
                    #expect(!(device.local / "New \(number)").exists)
                }
                #expect(try device.cloud.documentNames().isEmpty)
            }
            try check()
            try await disk.fill()
            try await device.crash()
            try await device.mount()
            try check()
            try await disk.fill()
            try await device.remount()
            try check()
            try await disk.makeRoom()
            try (device.local / "After.txt").create("room again")
            #expect(try (device.local / "After.txt").text() == "room again")
        }
    }

    @Test func `entries made just before the disk was full are there`() async throws {
        try await withDiskImage(size: "32M") { device, disk in
            for number in 0..<200 { try (device.local / "\(number).txt").create("\(number)") }
            try await disk.fill()
            for number in 0..<200 { #expect(try (device.local / "\(number).txt").text() == "\(number)") }
            try await device.crash()
            try await device.mount()
            for number in 0..<200 { #expect(try (device.local / "\(number).txt").text() == "\(number)") }
        }
    }
}
