import Backing
import Catalog
import Documents
import Foundation
import Glibc
@testable import Library
import SystemPackage
import Testing

/// The store's plain files, changed by others than docfs: whatever they are, the store opens, and nothing is lost.
@Suite(.timeLimit(.minutes(15)))
struct StoreEditTests {
    enum Ending: CaseIterable { case close, crash }

    private static func reopen(_ device: TestDevice, after ending: Ending, _ change: (_ store: String) throws -> Void)
        throws
    {
        if ending == .close { try device.close() } else { try device.crash() }
        try change(device.store)
        try device.open()
    }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private static func move(_ path: String, to newPath: String) throws {
        guard Glibc.rename(path, newPath) == 0 else { throw Errno(rawValue: errno) }
    }

    @Test(arguments: Ending.allCases, [InodeNumber.local, .cloud])
    func `a file may be at the path of a link, a folder or another kind of file`(ending: Ending, folder: InodeNumber)
        async throws
    {
        try await withDevice { device in
            try device.makeLink("link", to: "Plan.txt", in: folder)
            let trip = try device.makeFolder("Trip", in: folder)
            try device.create("Inner.txt", "inner", in: trip)
            try device.create(".rc", "settings", in: folder)
            try await device.push()
            try Self.reopen(device, after: ending) { store in
                let place = store + (folder == .local ? "/local/" : "/cloud/")
                unlink(place + "link")
                try Self.write("a file", to: place + "link")
                try FileManager.default.removeItem(atPath: place + "Trip")
                try Self.write("another file", to: place + "Trip")
                unlink(place + ".rc")
                guard mkdir(place + ".rc", 0o755) == 0 else { throw Errno(rawValue: errno) }
                try Self.write("deep", to: place + ".rc/deep")
            }
            #expect(try await device.text("link", in: folder) == "a file")
            #expect(try await device.text("Trip", in: folder) == "another file")
            #expect(try await device.text("deep", in: device.inode(".rc", in: folder)) == "deep")
            try await device.push()
            #expect(try device.pendingCount == 0)
        }
    }

    /// After a crash it may be a move of docfs that had not ended, which is undone.
    @Test(arguments: Ending.allCases)
    func `a file that was moved between the containers is the same document there, or back after a crash`(
        ending: Ending
    ) async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "plan", in: .local)
            try await laptop.push()
            let before = try laptop.entry("Plan.txt", in: .local)
            try Self.reopen(laptop, after: ending) { store in
                try Self.move(store + "/local/" + before.filename, to: store + "/cloud/" + before.filename)
            }
            if ending == .crash {
                #expect(try laptop.entry("Plan.txt", in: .local).id == before.id && !laptop.exists("Plan.txt"))
                return
            }
            let entry = try laptop.entry("Plan.txt")
            #expect(entry.id == before.id && entry.location == .cloud)
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "plan")
        }
    }

    @Test(arguments: Ending.allCases) func `two folders may be swapped`(ending: Ending) async throws {
        try await withDevice { device in
            for name in ["a", "b"] {
                try device.create("In \(name).txt", name, in: device.makeFolder(name, in: .local))
            }
            try Self.reopen(device, after: ending) { store in
                for (old, new) in [("a", "c"), ("b", "a"), ("c", "b")] {
                    try Self.move(store + "/local/" + old, to: store + "/local/" + new)
                }
            }
            #expect(try device.names(in: .local) == ["a", "b"])
            for name in ["a", "b"] {
                // A person's change stays; a change that a crash interrupted is undone.
                let folder = ending == .close ? (name == "a" ? "b" : "a") : name
                #expect(try await device.text("In \(name).txt", in: device.inode(folder, in: .local)) == name)
            }
        }
    }

    @Test func `changes below a folder that was renamed are seen as well`() async throws {
        try await withDevice { device in
            let outer = try device.makeFolder("Outer", in: .local)
            let inner = try device.makeFolder("Inner", in: outer)
            try device.create("Kept.txt", "kept", in: inner)
            try device.create("Gone.txt", "gone", in: inner)
            let gone = try device.entry("Gone.txt", in: inner).filename
            try Self.reopen(device, after: .close) { store in
                unlink(store + "/local/Outer/Inner/" + gone)
                try Self.write("added", to: store + "/local/Outer/Inner/Added.txt")
                try Self.move(store + "/local/Outer", to: store + "/local/Renamed")
            }
            #expect(try device.names(in: .local) == ["Renamed"])
            let folder = try device.inode("Inner", in: device.inode("Renamed", in: .local))
            #expect(folder == inner)
            #expect(try device.names(in: folder) == ["Added.txt", "Kept.txt"])
        }
    }

    @Test func `the cloud's documents of a folder that is gone after a crash come back`() async throws {
        try await withDevice { device in
            let trip = try device.makeFolder("Trip")
            try device.create("Plan.txt", "plan", in: trip)
            try device.create("Deep.txt", "deep", in: device.makeFolder("Days", in: trip))
            try await device.push()
            try Self.reopen(device, after: .crash) { try FileManager.default.removeItem(atPath: $0 + "/cloud/Trip") }
            try await device.push()
            #expect(try await device.text("Plan.txt", in: trip) == "plan")
            #expect(try await device.text("Deep.txt", in: device.inode("Days", in: trip)) == "deep")
        }
    }

    /// As from a backup: nothing that is local is sent.
    @Test(arguments: Ending.allCases) func `an older file of a document that has left the cloud stays here`(
        ending: Ending
    ) async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan")
            try await device.push()
            let filename = try device.entry("Plan.txt").filename
            try device.move("Plan.txt", from: .cloud, to: .local)
            try await device.push()
            let commits = try await device.commits.count
            try Self.reopen(device, after: ending) { try Self.write("plan", to: $0 + "/cloud/" + filename) }
            try await device.push()
            #expect(try device.names() == [])
            #expect(try await device.commits.count == commits)
            #expect(try device.library.transactions.inspect { try $0.children(of: .local).count } == 2)
        }
    }

    @Test func `a rename elsewhere of a document whose newest version is not here outlives a crash`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Old.txt", "first")
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Old.txt") == "first")
            try laptop.rename("Old.txt", to: "New.txt")
            try await laptop.save("New.txt", "second")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.entry("New.txt").isOutdated)
            try phone.crash()
            try phone.open()
            #expect(try phone.entry("New.txt").pending.isEmpty)
            #expect(try await phone.text("New.txt") == "second")
        }
    }

    @Test func `an older version that is here does not leave the cloud in place of the newest`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "first")
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "first")
            try await laptop.save("Plan.txt", "second")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.entry("Plan.txt").isOutdated)
            try phone.move("Plan.txt", from: .cloud, to: .local)
            #expect(try !phone.entry("Plan.txt", in: .local).isHere)
            try await phone.library.waitForContent(of: phone.inode("Plan.txt", in: .local))
            #expect(try await phone.text("Plan.txt", in: .local) == "second")
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.names() == [])
        }
    }

    /// The phone saves a document as well, and has not seen the laptop's save.
    private static func withConflict(_ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void)
        async throws
    {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "first", in: laptop.makeFolder("Trip"))
            try await laptop.push()
            try await phone.pull()
            let trip = try phone.inode("Trip")
            #expect(try await phone.text("Plan.txt", in: trip) == "first")
            try await laptop.save("Plan.txt", "laptop", in: laptop.inode("Trip"))
            try await laptop.push()
            try await phone.save("Plan.txt", "phone", in: trip)
            try await phone.push()
            try await laptop.pull()
            #expect(try phone.entry("Plan.txt", in: trip).conflicts == 1)
            try await body(laptop, phone)
        }
    }

    @Test func `a document in conflict does not leave the cloud, nor does its folder`() async throws {
        try await Self.withConflict { _, phone in
            let trip = try phone.inode("Trip")
            #expect(throws: Refusal.rename(.migration(.inConflict))) {
                try phone.move("Plan.txt", from: trip, to: .local)
            }
            #expect(throws: Refusal.rename(.migration(.inConflict))) {
                try phone.move("Trip", from: .cloud, to: .local)
            }
            #expect(try phone.entry("Plan.txt", in: trip).conflicts == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: phone.store + "/local").isEmpty)
        }
    }

    @Test(arguments: Ending.allCases)
    func `a document in conflict does not leave the cloud by a move in the store either`(ending: Ending) async throws {
        try await Self.withConflict { laptop, phone in
            let filename = try phone.entry("Plan.txt", in: phone.inode("Trip")).filename
            let text = try await phone.text("Plan.txt", in: phone.inode("Trip"))
            try Self.reopen(phone, after: ending) {
                try Self.move($0 + "/cloud/Trip/" + filename, to: $0 + "/local/" + filename)
            }
            #expect(try phone.entry("Plan.txt", in: phone.inode("Trip")).conflicts == 1)
            #expect(try await phone.text("Plan.txt", in: .local) == text)
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.entry("Plan.txt", in: laptop.inode("Trip")).conflicts == 1)
        }
    }

    @Test func `a replaced scratch file leaves nothing in staging`() async throws {
        try await withDevice { device in
            for number in 1...3 {
                try device.create("a.tmp", "\(number)", in: .local)
                try device.rename("a.tmp", in: .local, to: "b.tmp")
            }
            #expect(try await device.text("b.tmp", in: .local) == "3")
            #expect(try FileManager.default.contentsOfDirectory(atPath: device.store + "/staging").isEmpty)
        }
    }
}
