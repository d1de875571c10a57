import Backing
import Catalog
import Documents
import Glibc
@testable import Library
import Testing

/// Contents that are always here: `user.document.keep`.
@Suite(.timeLimit(.minutes(15)))
struct KeepingTests {
    private static let keep = "user.document.keep"

    /// Fetches what should be here.
    private static func settle(_ device: TestDevice) async throws {
        while true {
            try await device.push()
            let waiting = try device.library.store.catalog.read { try $0.keptDocumentsToFetch(limit: 100) }
            if waiting.isEmpty { return }
            for inode in waiting { try await device.library.waitForContent(of: inode) }
        }
    }

    @Test func `a kept document is fetched, and so is its next version`() async throws {
        try await withPlanElsewhere { laptop, phone in
            try phone.set(Self.keep, "always", "Plan.txt")
            #expect(try phone.attribute(Self.keep, "Plan.txt") == "always")
            try await Self.settle(phone)
            #expect(try phone.hasFile("Plan.txt"))
            #expect(throws: Refusal.staysHere(.kept)) { try phone.evict("Plan.txt") }
            try await laptop.save("Plan.txt", "second version")
            try await laptop.push()
            try await Self.settle(phone)
            #expect(try phone.entry("Plan.txt").isBackingCurrent)
            #expect(try phone.attribute(Self.keep, "Plan.txt") == "always")
        }
    }

    @Test func `a kept folder fetches what other devices add to it, at any depth`() async throws {
        try await withTwoDevices { laptop, phone in
            let work = try laptop.makeFolder("Work")
            try await laptop.push()
            try await phone.pull()
            try phone.set(Self.keep, "always", "Work")
            let inner = try laptop.makeFolder("Inner", in: work)
            try laptop.create("Deep.txt", "deep", in: inner)
            try laptop.create("Beside.txt", "beside")
            try await laptop.push()
            try await Self.settle(phone)
            let innerHere = try phone.inode("Inner", in: phone.inode("Work"))
            #expect(try phone.isHere("Deep.txt", in: innerHere))
            #expect(try phone.attribute(Self.keep, "Deep.txt", in: innerHere) == "always")
            #expect(try !phone.isHere("Beside.txt"))
            #expect(throws: Refusal.noSuchAttribute) { try phone.attribute(Self.keep, "Beside.txt") }
        }
    }

    @Test func `keeping ends where it began`() async throws {
        try await withTwoDevices { laptop, phone in
            let work = try laptop.makeFolder("Work")
            try laptop.create("Plan.txt", "plan", in: work)
            try await laptop.push()
            try await phone.pull()
            let folder = try phone.inode("Work")
            try phone.set(Self.keep, "always", "Work")
            try await Self.settle(phone)
            let document = Node.entry(try phone.inode("Plan.txt", in: folder))
            #expect(throws: Refusal.noSuchAttribute) {
                try phone.library.removeExtendedAttribute(Self.keep, of: document)
            }
            try phone.library.removeExtendedAttribute(Self.keep, of: .entry(folder))
            #expect(throws: Refusal.noSuchAttribute) { try phone.attribute(Self.keep, "Plan.txt", in: folder) }
            try phone.evict("Plan.txt", in: folder)
        }
    }

    @Test func `the mark survives a save by renaming, a move, and another start; it does not travel`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try phone.set(Self.keep, "always", "Plan.txt")
            try phone.create(".goutputstream-1", "saved")
            try phone.rename(".goutputstream-1", to: "Plan.txt")
            try phone.makeFolder("Work")
            try phone.move("Plan.txt", from: .cloud, to: phone.inode("Work"))
            try await phone.push()
            try phone.close()
            try phone.open()
            #expect(try phone.attribute(Self.keep, "Plan.txt", in: phone.inode("Work")) == "always")
            try await laptop.pull()
            #expect(throws: Refusal.noSuchAttribute) {
                try laptop.attribute(Self.keep, "Plan.txt", in: laptop.inode("Work"))
            }
        }
    }

    @Test func `other values are EINVAL, and the attribute is not listed`() async throws {
        try await withPlanElsewhere { _, phone in
            for value in ["", "never", "always\n"] {
                #expect(throws: Refusal.unknownKeeping) { try phone.set(Self.keep, value, "Plan.txt") }
            }
            let node = Node.entry(try phone.inode("Plan.txt"))
            let value = Array("always".utf8)
            #expect(throws: Refusal.noSuchAttribute) {
                try phone.library.setExtendedAttribute(Self.keep, to: value, of: node, .mustReplace)
            }
            try phone.library.setExtendedAttribute(Self.keep, to: value, of: node, .mustCreate)
            #expect(throws: Refusal.attributeExists) {
                try phone.library.setExtendedAttribute(Self.keep, to: value, of: node, .mustCreate)
            }
            #expect(try !phone.library.extendedAttributeNames(of: node).contains(Self.keep))
        }
    }

    @Test func `what is always here cannot be kept`() async throws {
        try await withDevice { device in
            let value = Array("always".utf8)
            try device.create("a.tmp", "scratch")
            for inode in [InodeNumber.documents, .local, try device.inode("a.tmp")] {
                #expect(throws: Refusal.alwaysHere) {
                    try device.library.setExtendedAttribute(Self.keep, to: value, of: .entry(inode), .either)
                }
            }
        }
    }
}
