import Catalog
import Documents
import Foundation
import Glibc
@testable import Library
import SystemPackage
import Testing

/// Names and folders that other devices change.
@Suite(.timeLimit(.minutes(15)))
struct RemoteNamesTests {
    enum Kind: CaseIterable { case folder, document, placeholder }

    /// Three entries that both devices know, each with its name for content.
    private static func withEntries(
        _ kind: Kind, _ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void
    ) async throws {
        try await withTwoDevices { laptop, phone in
            for name in [".a", ".b", ".c"] {
                if kind == .folder {
                    try laptop.create("Name.txt", name, in: laptop.makeFolder(name))
                } else {
                    try laptop.create(name, name)
                }
            }
            try await laptop.push()
            try await phone.pull()
            if kind == .document {
                for name in [".a", ".b", ".c"] { try await phone.library.waitForContent(of: phone.inode(name)) }
            }
            try await body(laptop, phone)
        }
    }

    private static func content(_ name: String, _ kind: Kind, _ device: TestDevice) async throws -> String {
        kind == .folder ? try await device.text("Name.txt", in: device.inode(name)) : try await device.text(name)
    }

    /// The laptop's changes show on the phone, which then has no pending change.
    private static func expect(
        _ contents: [String: String], _ kind: Kind, _ laptop: TestDevice, _ phone: TestDevice
    ) async throws {
        try await laptop.push()
        try await phone.pull()
        #expect(try phone.pendingCount == 0)
        for device in [laptop, phone] {
            #expect(try device.names() == contents.keys.sorted())
            for (name, content) in contents where device.exists(name) {
                #expect(try await Self.content(name, kind, device) == content)
            }
        }
        try await phone.push()
        try await laptop.pull()
        #expect(try laptop.names() == contents.keys.sorted())
    }

    @Test(arguments: Kind.allCases)
    func `a chain of renames in one commit ends with the right names`(kind: Kind) async throws {
        try await Self.withEntries(kind) { laptop, phone in
            let before = try await laptop.commits.count
            try laptop.rename(".c", to: ".d")
            try laptop.rename(".b", to: ".c")
            try laptop.rename(".a", to: ".b")
            try await Self.expect([".b": ".a", ".c": ".b", ".d": ".c"], kind, laptop, phone)
            #expect(try await laptop.commits.count == before + 1)
        }
    }

    @Test(arguments: Kind.allCases)
    func `a round of renames in one commit ends with the right names`(kind: Kind) async throws {
        try await Self.withEntries(kind) { laptop, phone in
            try laptop.rename(".a", to: ".d")
            try laptop.rename(".b", to: ".a")
            try laptop.rename(".c", to: ".b")
            try laptop.rename(".d", to: ".c")
            try await Self.expect([".a": ".b", ".b": ".c", ".c": ".a"], kind, laptop, phone)
        }
    }

    @Test(arguments: Kind.allCases)
    func `an entry gets the name of another one that was deleted in the same commit`(kind: Kind) async throws {
        try await Self.withEntries(kind) { laptop, phone in
            if kind == .folder {
                try laptop.remove("Name.txt", in: laptop.inode(".b"))
                try laptop.library.removeFolder(Array(".b".utf8), in: .cloud)
            } else {
                try laptop.remove(".b")
            }
            try laptop.rename(".a", to: ".b")
            try await Self.expect([".b": ".a", ".c": ".c"], kind, laptop, phone)
        }
    }

    // MARK: Files that an earlier attempt left

    @Test func `a folder or link that an earlier attempt made is used`() async throws {
        try await withTwoDevices { laptop, phone in
            let trip = try laptop.makeFolder("Trip")
            try laptop.create("Plan.txt", "plan", in: trip)
            try laptop.makeLink("link", to: "Trip/Plan.txt")
            try await laptop.push()
            try FileManager.default.createDirectory(
                atPath: phone.store + "/cloud/Trip", withIntermediateDirectories: false)
            try #require(symlink("Trip/Plan.txt", phone.store + "/cloud/link") == 0)
            try await phone.pull()
            #expect(try phone.names() == ["Trip", "link"])
            #expect(try await phone.text("Plan.txt", in: phone.inode("Trip")) == "plan")
            #expect(try phone.library.readSymbolicLink(phone.inode("link")) == Array("Trip/Plan.txt".utf8))
        }
    }

    @Test func `a link with another target is not used`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.makeLink("link", to: "Trip")
            try await laptop.push()
            try #require(symlink("elsewhere", phone.store + "/cloud/link") == 0)
            try await phone.pull()
            #expect(try phone.library.readSymbolicLink(phone.inode("link")) == Array("Trip".utf8))
        }
    }

    @Test func `a move that an earlier attempt made is kept`() async throws {
        try await Self.withEntries(.document) { laptop, phone in
            let folder = try laptop.makeFolder("Folder")
            try await laptop.push()
            try await phone.pull()
            try laptop.rename(".a", to: ".moved")
            try laptop.move(".b", from: .cloud, to: folder)
            try await laptop.push()
            for (path, newPath) in [(".a", ".moved"), (".b", "Folder/.b")] {
                try #require(Glibc.rename(phone.store + "/cloud/" + path, phone.store + "/cloud/" + newPath) == 0)
            }
            try await phone.pull()
            #expect(try phone.names() == [".c", ".moved", "Folder"])
            #expect(try await phone.text(".moved") == ".a")
            #expect(try await phone.text(".b", in: phone.inode("Folder")) == ".b")
            #expect(try phone.entry(".moved").isHere)
        }
    }
}
