import Catalog
import Documents
import Foundation
@testable import CloudSynchronization
@testable import Library
import ObjectStore
import Replication
import Testing

/// A commit is bounded by bytes as well as by number.
@Suite(.timeLimit(.minutes(15)))
struct CommitSizeTests {
    private static func attributes(_ device: TestDevice, _ name: String, in folder: InodeNumber, bytes: Int) throws {
        let inode = try device.inode(name, in: folder)
        for number in 0..<bytes / 60_000 {
            try device.library.setExtendedAttribute(
                "user.large\(number)", to: [UInt8](repeating: UInt8(number), count: 60_000), of: .entry(inode), .either)
        }
    }

    /// A folder with this many documents that the container has.
    private static func makeMany(_ count: Int, on device: TestDevice) async throws -> [String] {
        let folder = try device.makeFolder("Many")
        let names = (0..<count).map { "document \($0).txt" }
        for name in names { try device.create(name, "", in: folder) }
        try await device.push()
        return names
    }

    private static func removeMany(_ names: [String], on device: TestDevice) throws {
        let folder = try device.inode("Many")
        for name in names { try device.remove(name, in: folder) }
        try device.library.removeFolder(Array("Many".utf8), in: .cloud, by: .unknown)
    }

    /// While a commit is made or applied, no request is answered.
    @Test func `very many deletions go out in commits of some hundred`() async throws {
        try await withTwoDevices { laptop, phone in
            let names = try await Self.makeMany(700, on: laptop)
            try await phone.pull()
            #expect(try phone.names(in: phone.inode("Many")).count == 700)
            try Self.removeMany(names, on: laptop)
            try await laptop.push()
            let deletions = try await laptop.commits.map { commit in
                commit.changes.count { if case .delete = $0 { true } else { false } }
            }
            #expect(deletions.filter { $0 > 0 } == [256, 256, 189])
            try await phone.pull()
            #expect(!phone.exists("Many"))
            #expect(try laptop.pendingCount == 0)
        }
    }

    @Test func `a folder made anew after very many deletions has its name, which the former one had`() async throws {
        try await withTwoDevices { laptop, phone in
            let names = try await Self.makeMany(300, on: laptop)
            try Self.removeMany(names, on: laptop)
            try laptop.makeFolder("Many")
            try laptop.create("New.txt", "new", in: laptop.inode("Many"))
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["Many"])
                #expect(try device.names(in: device.inode("Many")).count == 1)
            }
        }
    }

    @Test func `very many folders whose documents were moved out and deleted are deleted, too`() async throws {
        try await withTwoDevices { laptop, phone in
            let flat = try laptop.makeFolder("Flat")
            // They lie deeper than what was in them, so that all of them come first.
            let outer = try laptop.makeFolder("Inner", in: laptop.makeFolder("Outer"))
            for number in 0..<300 {
                try laptop.create("\(number).txt", "", in: laptop.makeFolder("\(number)", in: outer))
            }
            try await laptop.push()
            try await phone.pull()
            for number in 0..<300 {
                try laptop.move("\(number).txt", from: laptop.inode("\(number)", in: outer), to: flat)
                try laptop.library.removeFolder(Array("\(number)".utf8), in: outer, by: .unknown)
            }
            for number in 0..<300 { try laptop.remove("\(number).txt", in: flat) }
            try await laptop.push()
            try await phone.pull()
            #expect(try laptop.pendingCount == 0)
            #expect(try phone.names(in: phone.inode("Inner", in: phone.inode("Outer"))) == [])
            #expect(try phone.names(in: phone.inode("Flat")) == [])
        }
    }

    @Test(arguments: [false, true])
    func `documents with large attributes that go into the cloud at once arrive, attributes and all`(asFolder: Bool)
        async throws
    {
        try await withTwoDevices { laptop, phone in
            let source: InodeNumber = asFolder ? try laptop.makeFolder("Large", in: .local) : .local
            let names = (0..<110).map { "document \($0).txt" }
            for name in names {
                try laptop.create(name, name, in: source)
                try Self.attributes(laptop, name, in: source, bytes: 360_000)
            }
            if asFolder {
                try laptop.move("Large", from: .local, to: .cloud)
            } else {
                for name in names { try laptop.move(name, from: .local, to: .cloud) }
            }
            try await laptop.push()
            let sizes = try await laptop.cloud.list(ReplicatedLog.folder, after: nil, limit: 1000).map {
                try FileManager.default.attributesOfItem(atPath: laptop.cloudFolder + "/" + $0.description)[.size]
                    as? Int ?? 0
            }
            #expect(sizes.allSatisfy { $0 < 2 * CommitDraft.mostBytes })
            try await phone.pull()
            let folder: InodeNumber = asFolder ? try phone.inode("Large") : .cloud
            for name in names {
                let entry = try phone.entry(name, in: folder)
                #expect(entry.attributes?.count ?? 0 > 360_000)
            }
            #expect(try laptop.pendingCount == 0)
        }
    }
}
