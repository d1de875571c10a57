import Backing
import Catalog
import Documents
import Glibc
@testable import Library
import Replication
import SystemPackage
import Testing

/// Files that are open, or in the kernel's cache, when another device's version is received.
@Suite(.timeLimit(.minutes(15)))
struct OvertakenFileTests {
    @Test func `when another device saved, the kernel is told that the listed name leads elsewhere`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, before in
            let spy = ObserverSpy()
            phone.library.observer = spy
            try await laptop.save("Plan.txt", "second version")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.inode("Plan.txt") != before.inode)
            #expect(spy.hasHeard(of: before.filename, in: .cloud))
            #expect(try await phone.text("Plan.txt") == "second version")
        }
    }

    @Test(arguments: [O_WRONLY, O_RDWR, O_WRONLY | O_APPEND, O_WRONLY | O_TRUNC, O_RDONLY | O_TRUNC])
    func `an overtaken file that is open can be read, and not edited`(flags: Int32) async throws {
        try await withPlanOnTwoDevices { laptop, phone, before in
            let reader = try await phone.open(before.inode)
            try await laptop.save("Plan.txt", "second version")
            try await laptop.push()
            try await phone.pull()
            #expect(throws: Refusal.staleInode) { try phone.library.open(before.inode, flags: flags) }
            let other = try phone.opened(try phone.library.open(before.inode, flags: O_RDONLY))
            for number in [reader, other] { #expect(try await phone.text(of: number) == "first version") }
            for number in [reader, other] { phone.library.close(number) }
            #expect(throws: Refusal.staleInode) { try phone.library.open(before.inode, flags: flags) }
            #expect(throws: Refusal.staleInode) { try phone.library.open(before.inode, flags: O_RDONLY) }
        }
    }

    @Test func `a save that loses a conflict gives up its inode number, which the kernel may have cached`() async throws
    {
        try await withPlanOnTwoDevices { laptop, phone, before in
            try await laptop.save("Plan.txt", "the later one")
            try laptop.setModified("Plan.txt", seconds: 2_000_000_000)
            try await phone.save("Plan.txt", "the earlier one")
            try phone.setModified("Plan.txt", seconds: 1_900_000_000)
            #expect(try phone.inode("Plan.txt") == before.inode)
            try await laptop.push()
            let spy = ObserverSpy()
            phone.library.observer = spy
            try await phone.push()
            let after = try phone.entry("Plan.txt")
            #expect(after.conflicts == 1)
            #expect(after.inode != before.inode)
            #expect(spy.hasHeard(of: before.filename, in: .cloud))
            #expect(try await phone.text("Plan.txt") == "the later one")
            try await laptop.pull()
            #expect(try laptop.entry("Plan.txt").conflicts == 1)
            #expect(try await laptop.text("Plan.txt") == "the later one")
        }
    }

    @Test func `a save that wins a conflict keeps its inode number`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, before in
            try await laptop.save("Plan.txt", "the earlier one")
            try laptop.setModified("Plan.txt", seconds: 1_900_000_000)
            try await phone.save("Plan.txt", "the later one")
            try phone.setModified("Plan.txt", seconds: 2_000_000_000)
            try await laptop.push()
            try await phone.push()
            #expect(try phone.entry("Plan.txt").conflicts == 1)
            #expect(try phone.inode("Plan.txt") == before.inode)
            #expect(try await phone.text("Plan.txt") == "the later one")
        }
    }

    @Test(arguments: [0, 5, 100] as [Int64])
    func `ftruncate of a file that was overtaken while open for writing is an edit of what it holds`(
        size: Int64
    ) async throws {
        try await withPlanOnTwoDevices { laptop, phone, before in
            let writer = try await phone.open(before.inode, O_RDWR)
            try await laptop.save("Plan.txt", "second version")
            try laptop.setModified("Plan.txt", seconds: 1_900_000_000)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.inode("Plan.txt") == before.inode)
            phone.cloud.hold()
            let arrival = try #require(try phone.library.arrivals.arrival(of: before.inode))

            #expect(try !phone.library.mustArriveToTruncate(before.inode, to: size))
            #expect(try phone.change(before.inode) { $0.size = size }.size == size)
            let edited = try phone.entry("Plan.txt")
            #expect(edited.pending.contains(.content))
            #expect(edited.contentVersion == before.contentVersion)

            // The download is not installed over it, neither before nor after the save.
            phone.cloud.release()
            await #expect(throws: Refusal.staleInode) { try await arrival.waitUntilInstalled() }
            let expected =
                Array("first version".utf8).prefix(Int(size)) + Array(repeating: 0, count: max(0, Int(size) - 13))
            #expect(try await phone.bytes(of: writer) == Array(expected))
            phone.library.close(writer)
            #expect(try await phone.bytes("Plan.txt") == Array(expected))
            try phone.setModified("Plan.txt", seconds: 2_000_000_000)
            try await phone.push()
            #expect(try phone.entry("Plan.txt").conflicts == 1)
            try await laptop.pull()
            #expect(try laptop.entry("Plan.txt").conflicts == 1)
            #expect(try await laptop.bytes("Plan.txt") == Array(expected))
        }
    }

    @Test func `a download does not come over a file that is open for writing, edited or not`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, before in
            let writer = try await phone.open(before.inode, O_RDWR)
            try await laptop.save("Plan.txt", "second version")
            try await laptop.push()
            try await phone.pull()
            await #expect(throws: Refusal.staleInode) { try await phone.library.waitForContent(of: before.inode) }
            #expect(try await phone.text(of: writer) == "first version")
            phone.library.close(writer)
            #expect(try await phone.text("Plan.txt") == "second version")
            #expect(try phone.pendingCount == 0)
        }
    }

    // MARK: Deleting

    /// Both devices edit the plan and have not received the other's edit. The laptop sends its own.
    private static func withTwoEdits(_ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void)
        async throws
    {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try await laptop.save("Plan.txt", "the later one")
            try laptop.setModified("Plan.txt", seconds: 2_000_000_000)
            try await phone.save("Plan.txt", "the earlier one")
            try phone.setModified("Plan.txt", seconds: 1_900_000_000)
            try await laptop.push()
            try await body(laptop, phone)
        }
    }

    @Test func `a document whose conflict versions all were seen is deleted everywhere`() async throws {
        try await Self.withTwoEdits { laptop, phone in
            try await phone.push()
            try await laptop.pull()
            try laptop.remove("Plan.txt")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [])
            #expect(try laptop.names() == [])
        }
    }

    @Test func `a version that the deleting device had not seen stays, and the deleted one is an earlier version`()
        async throws
    {
        try await Self.withTwoEdits { laptop, phone in
            try await phone.push()
            try laptop.remove("Plan.txt")
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["Plan.txt"])
                #expect(try device.entry("Plan.txt").conflicts == 0)
                #expect(try await device.text("Plan.txt") == "the earlier one")
                #expect(try device.library.list(.history, of: device.inode("Plan.txt")).count == 2)
            }
        }
    }
}
