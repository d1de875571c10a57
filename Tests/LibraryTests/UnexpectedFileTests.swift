import Backing
import Catalog
import Documents
import Foundation
@testable import Library
import SystemPackage
import Testing

/// Files that another program removed from the store or put there while it was in use: other devices' changes are applied all the same.
@Suite(.timeLimit(.minutes(15)))
struct UnexpectedFileTests {
    private static let files = FileManager.default

    /// Both devices have three documents, one of them in a folder.
    private static func withDocuments(
        _ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void
    ) async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("a.txt", "alpha")
            try laptop.create(".hidden", "beta")
            try laptop.create("inner.txt", "gamma", in: laptop.makeFolder("Trip"))
            try await laptop.push()
            try await phone.pull()
            _ = try await phone.text("a.txt")
            _ = try await phone.text(".hidden")
            try await body(laptop, phone)
        }
    }

    @Test func `a document whose file is missing can be moved, renamed and changed elsewhere, and is downloaded again`()
        async throws
    {
        try await Self.withDocuments { laptop, phone in
            for name in ["a.txt", ".hidden"] { try Self.files.removeItem(atPath: phone.backingPath(name)) }
            try laptop.move("a.txt", from: .cloud, to: laptop.inode("Trip"))
            try laptop.rename(".hidden", to: ".renamed")
            try laptop.create("more.txt", "more")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [".renamed", "Trip", "more.txt"])
            let trip = try phone.inode("Trip")
            #expect(try await phone.text("a.txt", in: trip) == "alpha")
            #expect(try await phone.text(".renamed") == "beta")
            #expect(try await phone.text("more.txt") == "more")
        }
    }

    @Test func `a document whose file is missing can be deleted elsewhere`() async throws {
        try await Self.withDocuments { laptop, phone in
            try Self.files.removeItem(atPath: phone.backingPath("a.txt"))
            try laptop.remove("a.txt")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [".hidden", "Trip"])
        }
    }

    @Test(arguments: [
        (Errno.noSuchFileOrDirectory, 2), (.fileExists, 2), (.ioError, 1), (.noSpace, 1), (.readOnlyFileSystem, 1),
    ])
    func `files that differ make a change be tried again, an error of the disk does not`(error: Errno, attempts: Int)
        async throws
    {
        try await withDevice { device in
            var count = 0
            #expect(throws: error) {
                try device.library.comparison.writeReconciling(in: { _ in [.cloud] }) { _ in
                    count += 1
                    throw error
                }
            }
            #expect(count == attempts)
        }
    }

    @Test(arguments: [true, false])
    func `a file in a folder that is deleted elsewhere becomes a document, and keeps the folder`(atOnce: Bool)
        async throws
    {
        try await Self.withDocuments { laptop, phone in
            try Data("found".utf8).write(to: URL(filePath: phone.store + "/cloud/Trip/found.txt"))
            let trip = try laptop.inode("Trip")
            try laptop.remove("inner.txt", in: trip)
            if !atOnce { try await laptop.push() }
            try laptop.library.removeFolder(Array("Trip".utf8), in: .cloud)
            try laptop.create("more.txt", "more")
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == [".hidden", "Trip", "a.txt", "more.txt"])
                let trip = try device.inode("Trip")
                #expect(try await device.text("found.txt", in: trip) == "found")
            }
        }
    }

    @Test func `a file at the path where another device makes a folder or link gets another name as a document`()
        async throws
    {
        try await Self.withDocuments { laptop, phone in
            for name in ["Album", "link"] {
                try Data("found".utf8).write(to: URL(filePath: phone.store + "/cloud/" + name))
            }
            try laptop.create("photo.txt", "photo", in: laptop.makeFolder("Album"))
            try laptop.makeLink("link", to: "a.txt")
            try await laptop.push()
            try await phone.push()
            #expect(try await phone.text("photo.txt", in: phone.inode("Album")) == "photo")
            #expect(try phone.entry("link").target == Array("a.txt".utf8))
            let documents = try phone.library.transactions.inspect { try $0.children(of: .cloud) }.filter {
                $0.kind == .document
            }
            #expect(documents.compactMap { $0.name?.full }.sorted() == [".hidden", "Album", "a.txt", "link"])
            for name in ["Album", "link"] {
                let entry = try #require(documents.first { $0.name?.full == name })
                #expect(try await phone.text(entry.filename) == "found")
            }
        }
    }

    @Test func `a file at the path to which another device moves a document is not overwritten`() async throws {
        try await Self.withDocuments { laptop, phone in
            try Data("found".utf8).write(to: URL(filePath: phone.store + "/cloud/.renamed"))
            try laptop.rename(".hidden", to: ".renamed")
            try await laptop.push()
            try await phone.push()
            #expect(try await phone.text(".renamed") == "beta")
            var texts: [String] = []
            for name in try phone.names() where name != "Trip" { texts.append(try await phone.text(name)) }
            #expect(texts.sorted() == ["alpha", "beta", "found"])
        }
    }

    @Test func `a folder that is missing comes back with all that another device puts into it`() async throws {
        try await Self.withDocuments { laptop, phone in
            try Self.files.removeItem(atPath: phone.store + "/cloud/Trip")
            let trip = try laptop.inode("Trip")
            try laptop.move("a.txt", from: .cloud, to: trip)
            try laptop.makeFolder("Day", in: trip)
            try await laptop.push()
            try await phone.pull()
            let folder = try phone.inode("Trip")
            #expect(try phone.names(in: folder) == ["Day", "a.txt", "inner.txt"])
            #expect(try await phone.text("a.txt", in: folder) == "alpha")
            #expect(try await phone.text("inner.txt", in: folder) == "gamma")
        }
    }

    @Test func `a file in the folder to which another device moves a document is not overwritten`() async throws {
        try await Self.withDocuments { laptop, phone in
            try Data("found".utf8).write(to: URL(filePath: phone.store + "/cloud/Trip/.hidden"))
            try laptop.move(".hidden", from: .cloud, to: laptop.inode("Trip"))
            try await laptop.push()
            try await phone.push()
            let trip = try phone.inode("Trip")
            #expect(try phone.names() == ["Trip", "a.txt"])
            #expect(try await phone.text(".hidden", in: trip) == "beta")
            var texts: [String] = []
            for name in try phone.names(in: trip) { texts.append(try await phone.text(name, in: trip)) }
            #expect(texts.sorted() == ["beta", "found", "gamma"])
        }
    }

    /// Else the next attempt would find a folder that no row names, and take it for one that somebody made.
    @Test func `what a change made before a file was in its way is gone when it is tried again`() async throws {
        try await Self.withDocuments { laptop, phone in
            let deep = try laptop.makeFolder("Deep")
            try await laptop.push()
            try await phone.pull()
            _ = try await phone.text("inner.txt", in: phone.inode("Trip"))
            try Data("found".utf8).write(to: URL(filePath: phone.store + "/cloud/Deep/.hidden"))
            try laptop.remove("inner.txt", in: laptop.inode("Trip"))
            try laptop.library.removeFolder(Array("Trip".utf8), in: .cloud)
            try laptop.makeLink("link", to: "a.txt", in: laptop.makeFolder("Trip"))
            // The outer folder comes first.
            try laptop.move(".hidden", from: .cloud, to: deep)
            let before = try await laptop.commits.count
            try await laptop.push()
            #expect(try await laptop.commits.count == before + 1)
            try await phone.push()
            let folders = try phone.library.transactions.inspect { try $0.children(of: .cloud) }.filter {
                $0.kind == .folder
            }
            #expect(folders.map(\.filename).sorted() == ["Deep", "Trip"])
            #expect(try phone.names(in: phone.inode("Trip")) == ["link"])
        }
    }

    /// Its directory is closed, as after a restart, when its time is looked at.
    @Test func `a folder that another device moves and changes is no surprise`() async throws {
        try await Self.withDocuments { laptop, phone in
            let trip = try laptop.inode("Trip")
            try laptop.move("Trip", from: .cloud, to: laptop.makeFolder("Box"))
            try laptop.makeFolder("Day", in: trip)
            try await laptop.push()
            phone.library.comparison.backing.forgetFolders()
            // A surprise would have the folders compared, and this file found.
            try Data("found".utf8).write(to: URL(filePath: phone.store + "/cloud/found.txt"))
            try await phone.pull()
            #expect(try phone.names() == [".hidden", "Box", "a.txt"])
            #expect(try phone.names(in: phone.inode("Trip", in: phone.inode("Box"))) == ["Day", "inner.txt"])
        }
    }
}
