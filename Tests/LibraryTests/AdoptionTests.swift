import Backing
import Catalog
import Documents
import Foundation
import Glibc
@testable import Library
import SystemPackage
import Testing

/// Files without a row that are in the store after an unclean end.
@Suite(.timeLimit(.minutes(15)))
struct AdoptionTests {
    private static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    private static func makeFile(_ path: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private static func makeLink(_ path: String, to target: String) throws {
        guard symlink(target, path) == 0 else { throw Errno(rawValue: errno) }
    }

    @Test func `empty folders and links without a row are made again by the log, and not twice`() async throws {
        try await withTwoDevices { laptop, phone in
            let trip = try laptop.makeFolder("Trip")
            try laptop.makeFolder("Days", in: trip)
            try laptop.makeLink("link", to: "Trip")
            try await laptop.push()
            // The phone died after it had made them, before it committed the rows.
            try phone.crash()
            try Self.makeFolder(phone.store + "/cloud/Trip/Days")
            try Self.makeLink(phone.store + "/cloud/link", to: "Trip")
            try Self.makeLink(phone.store + "/cloud/Trip/inner", to: "Days")
            try phone.open()
            #expect(try phone.names() == [])
            try await phone.push()
            #expect(try phone.names() == ["Trip", "link"])
            #expect(try phone.names(in: phone.inode("Trip")) == ["Days"])
            #expect(try phone.entry("Trip").id == laptop.entry("Trip").id)
            try await laptop.pull()
            #expect(try laptop.names() == ["Trip", "link"])
        }
    }

    @Test func `a file without a row is adopted with the folders that it lies in`() async throws {
        try await withDevice { device in
            try device.crash()
            for container in ["local", "cloud"] {
                try Self.makeFolder(device.store + "/\(container)/Trip/Empty")
                try Self.makeFolder(device.store + "/\(container)/Trip/Days")
                try Self.makeFile(device.store + "/\(container)/Trip/Days/Plan.txt", "plan")
                try Self.makeFile(device.store + "/\(container)/Empty.txt", "")
            }
            try device.open()
            for container in [InodeNumber.local, .cloud] {
                #expect(try device.names(in: container) == ["Empty.txt", "Trip"])
                let trip = try device.inode("Trip", in: container)
                #expect(try device.names(in: trip).contains("Days"))
                #expect(try await device.text("Plan.txt", in: device.inode("Days", in: trip)) == "plan")
                #expect(try await device.text("Empty.txt", in: container) == "")
            }
            try await device.push()
            #expect(try device.entry("Empty.txt").pending.isEmpty)
        }
    }

    @Test func `empty folders and links of local documents are adopted`() async throws {
        try await withDevice { device in
            try device.crash()
            try Self.makeFolder(device.store + "/local/Empty")
            try Self.makeLink(device.store + "/local/link", to: "Empty")
            try device.open()
            #expect(try device.names(in: .local) == ["Empty", "link"])
            #expect(try device.library.readSymbolicLink(device.inode("link", in: .local)) == Array("Empty".utf8))
        }
    }

    @Test func `after the loss of the catalog, folders and links of the cloud are adopted as well`() async throws {
        try await withDevice { device in
            let trip = try device.makeFolder("Trip")
            try device.makeFolder("Empty", in: trip)
            try device.makeLink("link", to: "Trip")
            try device.create(".plan", "plan", in: trip)
            try device.close()
            for suffix in ["", "-wal"] {
                try? FileManager.default.removeItem(atPath: device.store + "/catalog.sqlite" + suffix)
            }
            try device.open()
            #expect(try device.names() == ["Trip", "link"])
            let adopted = try device.inode("Trip")
            #expect(try device.names(in: adopted) == [".plan", "Empty"])
            #expect(try await device.text(".plan", in: adopted) == "plan")
        }
    }

    @Test func `a special file, or a name that is not UTF-8, is left alone`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            try device.crash()
            let pipes = ["/local/pipe", "/cloud/pipe"].map { device.store + $0 }
            for path in pipes { try #require(mkfifo(path, 0o600) == 0) }
            let name = (device.store + "/local/").utf8.map { CChar(bitPattern: $0) } + [-1, 0]
            let file = Glibc.open(name, O_WRONLY | O_CREAT, 0o600)
            try #require(file >= 0)
            Glibc.close(file)
            try device.open()
            #expect(try device.names(in: .local) == ["Plan.txt"])
            #expect(try device.names() == [])
            for path in pipes { #expect(access(path, F_OK) == 0) }
            #expect(access(name, F_OK) == 0)
            try await device.push()
        }
    }

    @Test func `another time of modification is no edit of a cloud document, also for the next mount`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan")
            try await device.push()
            let inode = try device.inode("Plan.txt")
            let touched = try device.change(inode) { ($0.accessed, $0.modified) = (.now, .now) }
            let before = try device.entry("Plan.txt")
            #expect(before.modified.nanoseconds == touched.modified.nanoseconds)
            try device.crash()
            try device.open()
            let after = try device.entry("Plan.txt")
            #expect(after.pending.rawValue == PendingChanges.modified.rawValue)
            try await device.push()
            #expect(try await device.savesInLog == 0)
        }
    }
}
