import Backing
import Catalog
import Documents
import Glibc
@testable import CloudSynchronization
@testable import Library
import Synchronization
import SystemPackage
import Testing
import TestSupport

extension TestDevice {
    func evict(_ name: String, in folder: InodeNumber = .cloud) throws {
        try set("user.document.downloading", "notDownloaded", name, in: folder)
    }

    func set(_ attribute: String, _ value: String, _ name: String, in folder: InodeNumber = .cloud) throws {
        try library.setExtendedAttribute(attribute, to: Array(value.utf8), of: .entry(inode(name, in: folder)), .either)
    }

    func attribute(_ attribute: String, _ name: String, in folder: InodeNumber = .cloud) throws -> String {
        String(
            decoding: try library.extendedAttribute(attribute, of: .entry(inode(name, in: folder))), as: UTF8.self)
    }

    func isHere(_ name: String, in folder: InodeNumber = .cloud) throws -> Bool { try entry(name, in: folder).isHere }

    /// Whether the store has a file of a document.
    func hasFile(_ name: String, in folder: InodeNumber = .cloud) throws -> Bool {
        access(try backingPath(name, in: folder), F_OK) == 0
    }

    func blocks(_ name: String) throws -> Int64 { Int64(try library.attributes(of: .entry(inode(name))).blocks) }
}

/// Contents that give way: `docfs evict`.
@Suite(.timeLimit(.minutes(15)))
struct EvictionTests {
    private static func expect(_ reason: StayReason, _ body: () throws -> Void) {
        #expect(throws: Refusal.staysHere(reason)) { try body() }
    }

    @Test func `a document that is in the cloud becomes a placeholder, and opening it brings it back`() async throws {
        try await withPlanOnTwoDevices { _, phone, row in
            let before = try phone.library.attributes(of: .entry(row.inode))
            try phone.evict("Plan.txt")
            let entry = try phone.entry("Plan.txt")
            #expect(!entry.isHere && entry.inode == row.inode && entry.pending.isEmpty)
            #expect(try !phone.hasFile("Plan.txt"))
            let after = try phone.library.attributes(of: .entry(row.inode))
            #expect(after.size == before.size && after.modified == before.modified && after.mode == before.mode)
            #expect(after.blocks == 0)
            #expect(try phone.library.store.files.staging.names().isEmpty)
            #expect(try await phone.text("Plan.txt") == "first version")
            try await phone.library.waitForContent(of: phone.inode("Plan.txt"))
            #expect(try phone.hasFile("Plan.txt"))
        }
    }

    /// Linux hands on EAGAIN as EOPNOTSUPP to callers of setxattr(2).
    @Test func `no request by an attribute is refused with EAGAIN`() {
        let refusals = StayReason.allCases.map { Refusal.staysHere($0) }
        for refusal in refusals + [.beyondCacheLimit(isForNow: true), .beyondCacheLimit(isForNow: false)] {
            #expect(refusal.errno != .resourceTemporarilyUnavailable)
        }
    }

    @Test func `a placeholder stays one`() async throws {
        try await withPlanElsewhere { _, phone in
            try phone.evict("Plan.txt")
            #expect(try !phone.isHere("Plan.txt"))
        }
    }

    @Test func `a document made here goes when the cloud has it, not before`() async throws {
        try await withDevice { device in
            try device.create("New.txt", "new")
            Self.expect(.unsent) { try device.evict("New.txt") }
            #expect(try device.hasFile("New.txt"))
            try await device.push()
            try device.evict("New.txt")
            #expect(try !device.hasFile("New.txt"))
            #expect(try await device.text("New.txt") == "new")
        }
    }

    @Test func `an edit that is not sent stays, and so does a name that is not sent`() async throws {
        try await withPlanOnTwoDevices { _, phone, _ in
            try await phone.save("Plan.txt", "edited here")
            Self.expect(.unsent) { try phone.evict("Plan.txt") }
            try await phone.push()
            try phone.rename("Plan.txt", to: "Other.txt")
            Self.expect(.unsent) { try phone.evict("Other.txt") }
            try await phone.push()
            try phone.evict("Other.txt")
            #expect(try await phone.text("Other.txt") == "edited here")
        }
    }

    @Test func `an open document stays`() async throws {
        try await withPlanOnTwoDevices { _, phone, _ in
            let number = try await phone.open("Plan.txt")
            Self.expect(.open) { try phone.evict("Plan.txt") }
            phone.library.close(number)
            try phone.evict("Plan.txt")
        }
    }

    @Test func `a write that docfs did not see stays`() async throws {
        try await withPlanOnTwoDevices { _, phone, _ in
            phone.library.unseenWrites.areNoticed.store(true, ordering: .relaxed)
            let number = try await phone.openUnseen("Plan.txt")
            try phone.writeUnseen("unseen", to: number)
            phone.library.close(number)
            Self.expect(.unsent) { try phone.evict("Plan.txt") }
            try await phone.push()
            try phone.evict("Plan.txt")
            #expect(try await phone.text("Plan.txt").hasPrefix("unseen"))
        }
    }

    @Test func `an edit that another program made in the store stays, and is sent`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            let path = try phone.backingPath("Plan.txt")
            try #require(truncate(path, 5) == 0)
            Self.expect(.unsent) { try phone.evict("Plan.txt") }
            try await phone.push()
            try await laptop.pull()
            #expect(try await laptop.text("Plan.txt") == "first")
        }
    }

    @Test func `a local document stays`() async throws {
        try await withDevice { device in
            try device.create("Mine.txt", "mine", in: .local)
            Self.expect(.local) { try device.evict("Mine.txt", in: .local) }
            #expect(
                try device.attribute("user.document.stays-because", "Mine.txt", in: .local) == StayReason.local.text)
        }
    }

    @Test func `a document stays while the cloud cannot be reached`() async throws {
        try await withPlanOnTwoDevices { _, phone, _ in
            _ = phone.connection.set(.offline("the line is cut"))
            Self.expect(.cloudUnreachable) { try phone.evict("Plan.txt") }
            _ = phone.connection.set(.failed("the container is another one"))
            Self.expect(.cloudUnreachable) { try phone.evict("Plan.txt") }
        }
    }

    @Test func `an older version that is still here may go`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try await laptop.save("Plan.txt", "second version")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.entry("Plan.txt").isOutdated)
            try phone.evict("Plan.txt")
            #expect(try !phone.hasFile("Plan.txt"))
            #expect(try await phone.text("Plan.txt") == "second version")
        }
    }

    @Test func `the folder of an evicted document keeps its time`() async throws {
        try await withPlanOnTwoDevices { _, phone, _ in
            let before = try phone.library.attributes(of: .entry(.cloud)).modified
            try phone.evict("Plan.txt")
            #expect(try phone.library.attributes(of: .entry(.cloud)).modified == before)
        }
    }

    @Test func `a request for anything else is EINVAL`() async throws {
        try await withPlanOnTwoDevices { _, phone, _ in
            #expect(throws: Refusal.unknownRequest) { try phone.set("user.document.downloading", "maybe", "Plan.txt") }
            #expect(throws: Refusal.computedAttribute) { try phone.set("user.document.stays-because", "x", "Plan.txt") }
            let isHere = try phone.isHere("Plan.txt")
            #expect(isHere)
        }
    }

    // MARK: Crashes

    @Test func `a kill after the eviction leaves a placeholder`() async throws {
        try await withPlanOnTwoDevices { _, phone, _ in
            try phone.evict("Plan.txt")
            try phone.crash()
            try phone.open()
            #expect(try !phone.isHere("Plan.txt"))
            #expect(try await phone.text("Plan.txt") == "first version")
            #expect(try phone.pendingCount == 0)
        }
    }

    /// The file is in staging, and the row was not committed, or was.
    @Test(arguments: [false, true]) func `a kill in the midst of an eviction leaves the document whole`(
        isCommitted: Bool
    ) async throws {
        try await withPlanOnTwoDevices { _, phone, row in
            let path = try phone.backingPath("Plan.txt")
            try #require(rename(path, phone.store + "/staging/removed-\(row.inode.number)") == 0)
            if isCommitted {
                try phone.library.store.write { transaction in
                    var entry = try #require(try transaction.entry(row.inode))
                    (entry.isHere, entry.contentVersion, entry.evidence) = (false, nil, nil)
                    try transaction.update(entry)
                }
            }
            try phone.crash()
            try phone.open()
            #expect(try await phone.text("Plan.txt") == "first version")
            try await phone.library.waitForContent(of: phone.inode("Plan.txt"))
            #expect(try phone.pendingCount == 0)
            #expect(try phone.library.store.files.staging.names().isEmpty)
        }
    }

    @Test func `a power loss that keeps the removal and loses the row leaves a placeholder`() async throws {
        try await withPlanOnTwoDevices { _, phone, _ in
            try #require(unlink(phone.backingPath("Plan.txt")) == 0)
            try phone.crash()
            try phone.open()
            #expect(try !phone.isHere("Plan.txt"))
            #expect(try await phone.text("Plan.txt") == "first version")
        }
    }

    // MARK: Download

    @Test func `a content that is asked for arrives without an open`() async throws {
        try await withPlanElsewhere { _, phone in
            #expect(try phone.attribute("user.document.downloading", "Plan.txt") == "notDownloaded")
            try phone.set("user.document.downloading", "current", "Plan.txt")
            try await phone.library.waitForContent(of: phone.inode("Plan.txt"))
            #expect(try phone.attribute("user.document.downloading", "Plan.txt") == "current")
            #expect(try phone.hasFile("Plan.txt"))
            let listed = try phone.library.extendedAttributeNames(of: .entry(phone.inode("Plan.txt")))
            #expect(!listed.contains("user.document.downloading"))
        }
    }

    @Test func `a content that is evicted while it arrives does not arrive`() async throws {
        try await withPlanElsewhere { _, phone in
            phone.cloud.hold()
            try phone.set("user.document.downloading", "current", "Plan.txt")
            await phone.cloud.waitUntilHolding()
            #expect(try phone.attribute("user.document.downloading", "Plan.txt") == "downloading")
            try phone.evict("Plan.txt")
            #expect(try phone.attribute("user.document.downloading", "Plan.txt") == "notDownloaded")
            phone.cloud.release()
            #expect(try await phone.text("Plan.txt") == "first version")
        }
    }

    @Test func `a content cannot be asked for without a connection`() async throws {
        try await withPlanElsewhere { _, phone in
            _ = phone.connection.set(.offline("the line is cut"))
            #expect(throws: Refusal.cloudUnreachable) {
                try phone.set("user.document.downloading", "current", "Plan.txt")
            }
        }
    }
}
