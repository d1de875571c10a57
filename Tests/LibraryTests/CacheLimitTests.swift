import Catalog
import Documents
import Glibc
@testable import Library
import Testing
import TestSupport

/// `--cache-limit`: the room that contents of the cloud's documents take.
@Suite(.timeLimit(.minutes(15)))
struct CacheLimitTests {
    private static let size: Int64 = 256 << 10
    private static let names = (0..<8).map { "Film \($0).bin" }

    /// The phone has placeholders of 8 documents, and room for 3 contents.
    private static func withFilms(_ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void) async throws
    {
        try await withTwoDevices { laptop, phone in
            for name in names { try laptop.create(name, bytes: pattern(Int(size))) }
            try await laptop.push()
            try phone.close()
            try phone.open(cacheLimit: 3 * size)
            try await phone.pull()
            try await body(laptop, phone)
        }
    }

    private static func read(_ name: String, on phone: TestDevice) async throws {
        #expect(try await phone.bytes(name) == pattern(Int(size)))
        try await phone.library.waitForContent(of: phone.inode(name))
        #expect(try taken(phone) <= 3 * size)
    }

    private static func taken(_ phone: TestDevice) throws -> Int64 {
        try names.reduce(0) { try $0 + phone.blocks($1) * 512 }
    }

    private static func here(_ phone: TestDevice) throws -> [String] { try names.filter { try phone.isHere($0) } }

    @Test func `documents that are read in turn give way to one another, the oldest first`() async throws {
        try await Self.withFilms { _, phone in
            for name in Self.names { try await Self.read(name, on: phone) }
            #expect(try Self.here(phone) == Array(Self.names.suffix(3)))
            // Reading one again makes it the newest.
            try await Self.read(Self.names[5], on: phone)
            try await Self.read(Self.names[0], on: phone)
            #expect(try Self.here(phone) == [Self.names[0], Self.names[5], Self.names[7]])
        }
    }

    @Test func `what is open and what is kept stays`() async throws {
        try await Self.withFilms { _, phone in
            for name in Self.names.prefix(2) { try await Self.read(name, on: phone) }
            let open = try await phone.open(Self.names[0])
            try phone.set("user.document.keep", "always", Self.names[1])
            for name in Self.names.dropFirst(2) { try await Self.read(name, on: phone) }
            #expect(try Self.here(phone) == [Self.names[0], Self.names[1], Self.names[7]])
            phone.library.close(open)
        }
    }

    @Test func `what is not in the cloud stays, and goes when it is`() async throws {
        try await Self.withFilms { _, phone in
            for number in 0..<5 { try phone.create("New \(number).bin", bytes: pattern(Int(Self.size))) }
            phone.library.evictions.keepWithinLimit()
            for number in 0..<5 { #expect(try phone.hasFile("New \(number).bin")) }
            try await phone.push()
            phone.library.evictions.keepWithinLimit()
            let here = try (0..<5).filter { try phone.hasFile("New \($0).bin") }
            #expect(here == [2, 3, 4])
        }
    }

    @Test func `a document that passes the limit by itself goes when it is closed`() async throws {
        try await withTwoDevices { laptop, phone in
            let content = pattern(1 << 20)
            try laptop.create("Large.bin", bytes: content)
            try await laptop.push()
            try phone.close()
            try phone.open(cacheLimit: 512 << 10)
            try await phone.pull()
            let number = try await phone.open("Large.bin")
            #expect(try await phone.bytes(of: number) == content)
            try await phone.library.waitForContent(of: phone.inode("Large.bin"))
            #expect(try phone.isHere("Large.bin"))
            phone.library.close(number)
            #expect(try !phone.isHere("Large.bin"))
            #expect(throws: Refusal.beyondCacheLimit(isForNow: false)) {
                try phone.set("user.document.downloading", "current", "Large.bin")
            }
        }
    }

    @Test func `when documents were opened is known after another start`() async throws {
        try await Self.withFilms { _, phone in
            for name in Self.names.prefix(3) { try await Self.read(name, on: phone) }
            try await Self.read(Self.names[0], on: phone)
            try phone.close()
            try phone.open(cacheLimit: 3 * Self.size)
            try await phone.pull()
            try await Self.read(Self.names[7], on: phone)
            #expect(try Self.here(phone) == [Self.names[0], Self.names[2], Self.names[7]])
        }
    }

    @Test func `room is made before a content begins to arrive`() async throws {
        try await Self.withFilms { _, phone in
            for name in Self.names.prefix(3) { try await Self.read(name, on: phone) }
            phone.cloud.hold()
            try phone.set("user.document.downloading", "current", Self.names[3])
            await phone.cloud.waitUntilHolding()
            #expect(try Self.here(phone) == [Self.names[1], Self.names[2]])
            for name in Self.names[1...2] { try phone.set("user.document.keep", "always", name) }
            #expect(throws: Refusal.beyondCacheLimit(isForNow: true)) {
                try phone.set("user.document.downloading", "current", Self.names[4])
            }
            phone.cloud.release()
            try await phone.library.waitForContent(of: phone.inode(Self.names[3]))
            #expect(try Self.here(phone) == Array(Self.names[1...3]))
        }
    }
}
