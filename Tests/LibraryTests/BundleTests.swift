import Catalog
import Documents
import Glibc
@testable import CloudSynchronization
@testable import Library
import Replication
import Testing

/// Bundles: changes that are sent in one commit.
@Suite(.timeLimit(.minutes(15)))
struct BundleTests {
    @Test func `a folder of more documents than are looked at in one round goes into the cloud as one commit`()
        async throws
    {
        try await withDevice { device in
            let trip = try device.makeFolder("Trip", in: .local)
            let count = Uploader.lookahead + 76
            for number in 1...count { try device.create("\(number).txt", in: trip) }
            try device.move("Trip", from: .local, to: .cloud)
            try await device.push()
            let commits = try await device.commits
            #expect(commits.map(\.changes.count) == [count + 1])
            #expect(try device.entry("Trip").bundle == nil)
        }
    }

    @Test func `an entry that is put into a folder of a waiting bundle arrives in that folder`() async throws {
        try await withTwoDevices { laptop, phone in
            let trip = try laptop.makeFolder("Trip", in: .local)
            try laptop.create("Slow.txt", "slow", in: trip)
            let slow = try await laptop.open("Slow.txt", in: trip, O_WRONLY)
            try laptop.move("Trip", from: .local, to: .cloud)
            // These could be sent at once but for their folder, whose bundle has a document that is open for writing.
            try laptop.makeFolder("Days", in: trip)
            try laptop.makeLink("link", to: "Slow.txt", in: trip)
            try laptop.create("Quick.txt", "quick", in: trip)
            for _ in 1...3 { try await laptop.work() }
            try await phone.pull()
            #expect(try phone.names() == [])
            laptop.library.close(slow)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == ["Trip"])
            #expect(try phone.names(in: phone.inode("Trip")) == ["Days", "Quick.txt", "Slow.txt", "link"])
        }
    }
}
