import Catalog
import Documents
import Foundation
@testable import CloudSynchronization
@testable import Library
import ObjectStore
import Replication
import Testing

/// A commit is bounded by bytes as well as by number, and what needs another change does not go before it.
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
            let share = CommitLimit.usual.entries
            let deletions = try await laptop.commits.map { commit in
                commit.changes.count { if case .delete = $0 { true } else { false } }
            }
            #expect(deletions.filter { $0 > 0 } == [share, share, share, 701 - 3 * share])
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
        let limit = CommitLimit(bytes: 1 << 20)
        try await withTwoDevices(commitLimit: limit) { laptop, phone in
            let source: InodeNumber = asFolder ? try laptop.makeFolder("Large", in: .local) : .local
            let names = (0..<60).map { "document \($0).txt" }
            for name in names {
                try laptop.create(name, name, in: source)
                try Self.attributes(laptop, name, in: source, bytes: 60_000)
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
            #expect(sizes.allSatisfy { $0 < 2 * limit.bytes })
            try await phone.pull()
            let folder: InodeNumber = asFolder ? try phone.inode("Large") : .cloud
            for name in names {
                let entry = try phone.entry(name, in: folder)
                #expect(entry.attributes?.count ?? 0 > 60_000)
            }
            #expect(try laptop.pendingCount == 0)
        }
    }

    private static let share = 16
    private static let limit = CommitLimit(entries: share)
    private static let many = 3 * share + 5

    @Test func `many new names go in commits of a limited size`() async throws {
        try await withTwoDevices(commitLimit: Self.limit) { laptop, phone in
            for number in 1...Self.many { try laptop.makeFolder("\(number)") }
            try await laptop.push()
            let before = try await laptop.commits.count
            for number in 1...Self.many { try laptop.rename("\(number)", to: "trip \(number)") }
            try await laptop.push()
            let sizes = try await laptop.commits.dropFirst(before).map(\.changes.count)
            #expect(sizes == [Self.share, Self.share, Self.share, Self.many - 3 * Self.share])
            try await phone.pull()
            #expect(try phone.names() == (1...Self.many).map { "trip \($0)" }.sorted())
        }
    }

    @Test func `a folder made anew has the name of one whose documents were moved out of it`() async throws {
        try await withTwoDevices(commitLimit: Self.limit) { laptop, phone in
            let names = try await Self.makeMany(Self.many, on: laptop)
            let former = try laptop.inode("Many")
            let other = try laptop.makeFolder("Other")
            for name in names { try laptop.move(name, from: former, to: other) }
            try laptop.library.removeFolder(Array("Many".utf8), in: .cloud)
            try laptop.makeFolder("Many")
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["Many", "Other"])
                #expect(try device.names(in: device.inode("Other")) == names.sorted())
            }
        }
    }

    @Test(arguments: [false, true])
    func `what moves into the cloud has the filename of what was removed there`(isFolder: Bool) async throws {
        try await withTwoDevices(commitLimit: Self.limit) { laptop, phone in
            // The deepest deletions go first.
            let names = try await Self.makeMany(Self.many, on: laptop)
            try laptop.makeFolder("Trip")
            try await laptop.push()
            try Self.removeMany(names, on: laptop)
            try laptop.library.removeFolder(Array("Trip".utf8), in: .cloud)
            if isFolder {
                try laptop.create("Plan.txt", "plan", in: laptop.makeFolder("Trip", in: .local))
            } else {
                try laptop.makeLink("Trip", to: "elsewhere", in: .local)
            }
            try laptop.move("Trip", from: .local, to: .cloud)
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] { #expect(try device.names() == ["Trip"]) }
        }
    }

    @Test func `documents that were renamed over others arrive as these, however many there are`() async throws {
        try await withTwoDevices(commitLimit: Self.limit) { laptop, phone in
            let names = try await Self.makeMany(Self.many, on: laptop)
            let folder = try laptop.inode("Many")
            for name in names { try laptop.create("new " + name, "new", in: folder) }
            try await laptop.push()
            let ids = try names.map { try laptop.entry($0, in: folder).id }
            for name in names { try laptop.rename("new " + name, in: folder, to: name) }
            try await laptop.push()
            let deletions = try await laptop.commits.map { commit in
                commit.changes.count { if case .delete = $0 { true } else { false } }
            }
            #expect(deletions.reduce(0, +) == Self.many)
            #expect(try #require(deletions.max()) < Self.many)
            try await phone.pull()
            let many = try phone.inode("Many")
            #expect(try phone.names(in: many) == names.sorted())
            #expect(try names.map { try phone.entry($0, in: many).id } == ids)
            #expect(try await phone.text(names[0], in: many) == "new")
        }
    }

    /// A commit that describes a change in a folder also describes the folder's time.
    @Test func `a folder whose time is sent does not bring a name that is not free yet`() async throws {
        try await withTwoDevices(commitLimit: Self.limit) { laptop, phone in
            try laptop.makeFolder("G")
            try laptop.create("Plan.txt", "plan", in: laptop.makeFolder("F"))
            try await laptop.push()
            for number in 1...Self.many { try laptop.makeFolder("new \(number)") }
            try laptop.rename("G", to: "G2")
            try laptop.rename("F", to: "G")
            try laptop.create("New.txt", "new", in: laptop.inode("G"))
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names().filter { $0.hasPrefix("G") } == ["G", "G2"])
                #expect(try device.names(in: device.inode("G")) == ["New.txt", "Plan.txt"])
            }
        }
    }

    @Test func `a document that comes back with its folder has the name of one that was removed there`() async throws {
        try await withTwoDevices(commitLimit: Self.limit) { laptop, phone in
            let deep = try laptop.makeFolder("Deep", in: laptop.makeFolder("Outer"))
            for number in 1...Self.many { try laptop.makeLink("\(number)", to: "x", in: deep) }
            let trip = try laptop.makeFolder("Trip")
            for name in ["a", "b"] { try laptop.makeLink(name, to: name, in: trip) }
            try await laptop.push()
            try laptop.remove("a", in: trip)
            for number in 1...Self.many { try laptop.remove("\(number)", in: deep) }
            try laptop.move("Trip", from: .cloud, to: .local)
            try laptop.rename("b", in: trip, to: "a")
            try laptop.move("Trip", from: .local, to: .cloud)
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["Outer", "Trip"])
                #expect(try device.names(in: device.inode("Trip")) == ["a"])
            }
        }
    }

    /// Each name is free only when the one before it has been given up.
    @Test func `names that pass from one to the next stay the same on each device`() async throws {
        try await withTwoDevices(commitLimit: Self.limit) { laptop, phone in
            for number in 1...Self.many { try laptop.makeFolder("\(number)") }
            try await laptop.push()
            for number in (1...Self.many).reversed() { try laptop.rename("\(number)", to: "\(number + 1)") }
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == (2...Self.many + 1).map { "\($0)" }.sorted())
            }
        }
    }

    @Test func `a folder that goes into one that lay in it is sent after that one left`() async throws {
        try await withTwoDevices(commitLimit: Self.limit) { laptop, phone in
            let outer = try laptop.makeFolder("outer")
            for number in 1...Self.many { try laptop.makeFolder("\(number)") }
            let inner = try laptop.makeFolder("inner", in: outer)
            let innermost = try laptop.makeFolder("innermost", in: inner)
            try await laptop.push()
            try laptop.move("inner", from: outer, to: .cloud)
            try laptop.move("outer", from: .cloud, to: innermost)
            let others = try laptop.makeFolder("others")
            for number in 1...Self.many { try laptop.move("\(number)", from: .cloud, to: others) }
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["inner", "others"])
                let innermost = try device.inode("innermost", in: device.inode("inner"))
                #expect(try device.names(in: innermost) == ["outer"])
            }
        }
    }
}
