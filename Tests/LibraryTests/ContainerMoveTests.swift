import Backing
import Catalog
import Documents
import Foundation
@testable import CloudSynchronization
@testable import Library
import ObjectStore
import Replica
import Replication
import Testing

/// `docfs mount --move-to-this-cloud`: a store goes from one container to another (`Semantics`, "The cloud").
@Suite(.timeLimit(.minutes(15)))
struct ContainerMoveTests {
    /// Runs `body` with a laptop that has two documents in a container, and a phone that has one of them and a placeholder.
    private func withContainer(_ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void) async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "plan")
            try laptop.create("Draft.txt", "draft")
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "plan")
            try await body(laptop, phone)
        }
    }

    /// Opens a device's store with another container.
    private func reopened(_ device: TestDevice, at folder: String) throws -> TestDevice {
        try device.close()
        let reopened = try TestDevice(device.name, store: device.store, cloudFolder: folder)
        try reopened.open()
        return reopened
    }

    private func otherFolder(_ device: TestDevice) -> String { device.cloudFolder + "-other" }

    private func expectNewcomer(at folder: String, beside device: TestDevice, reads texts: [String: String])
        async throws
    {
        let newcomer = try TestDevice("newcomer", store: device.store + "-newcomer", cloudFolder: folder)
        try newcomer.open()
        defer { newcomer.dismantle() }
        try await newcomer.pull()
        #expect(Set(try newcomer.names()) == Set(texts.keys))
        for (name, text) in texts { #expect(try await newcomer.text(name) == text) }
    }

    @Test func `documents go to another container with their contents, and the former one stays as it is`() async throws
    {
        try await withContainer { laptop, phone in
            let ids = try [laptop.entry("Plan.txt").id, laptop.entry("Draft.txt").id]
            let before = try FileManager.default.subpathsOfDirectory(atPath: laptop.cloudFolder).sorted()
            let moved = try reopened(laptop, at: otherFolder(laptop))
            defer { moved.dismantle() }
            try await moved.synchronizer.checkup.move()
            #expect(try [moved.entry("Plan.txt").id, moved.entry("Draft.txt").id] == ids)
            #expect(try FileManager.default.subpathsOfDirectory(atPath: laptop.cloudFolder).sorted() == before)
            try await moved.save("Plan.txt", "plan 2")
            try await moved.push()
            try await expectNewcomer(
                at: otherFolder(laptop), beside: laptop, reads: ["Plan.txt": "plan 2", "Draft.txt": "draft"])
            #expect(try await phone.fault() == nil)
            #expect(try await phone.text("Plan.txt") == "plan")
        }
    }

    @Test func `the new container has an id of its own`() async throws {
        try await withContainer { laptop, _ in
            let moved = try reopened(laptop, at: otherFolder(laptop))
            defer { moved.dismantle() }
            try await moved.synchronizer.checkup.move()
            let former = try await ContainerIdentity.read(
                from: DirectoryStore(root: laptop.cloudFolder, creates: false))
            let now = try await ContainerIdentity.read(from: moved.cloud)
            #expect(former != nil && now != nil && former != now)
            #expect(try await moved.fault() == nil)
        }
    }

    @Test func `a second device follows: each document is there once, and what waited is sent`() async throws {
        try await withContainer { laptop, phone in
            try await phone.save("Plan.txt", "plan of the phone")
            try phone.create("New.txt", "new")
            let moved = try reopened(laptop, at: otherFolder(laptop))
            defer { moved.dismantle() }
            try await moved.synchronizer.checkup.move()
            let followed = try reopened(phone, at: otherFolder(laptop))
            defer { followed.dismantle() }
            try await followed.synchronizer.checkup.move()
            try await followed.push()
            try await moved.pull()
            for device in [moved, followed] {
                #expect(Set(try device.names()) == ["Plan.txt", "Draft.txt", "New.txt"])
                #expect(try await device.text("Plan.txt") == "plan of the phone")
                #expect(try await device.text("Draft.txt") == "draft")
            }
        }
    }

    @Test func `a placeholder that only the former container has keeps all documents there`() async throws {
        try await withContainer { laptop, phone in
            let head = try phone.library.store.read { try $0.logHead() }
            let moved = try reopened(phone, at: otherFolder(laptop))
            let refusal = await #expect(throws: ContainerMoveRefusal.self) {
                try await moved.synchronizer.checkup.move()
            }
            #expect(refusal?.names == ["Draft.txt"])
            #expect(try moved.library.store.read { try $0.logHead() } == head)
            let back = try reopened(moved, at: laptop.cloudFolder)
            defer { back.dismantle() }
            #expect(try await back.fault() == nil)
            #expect(try await back.text("Draft.txt") == "draft")
        }
    }

    @Test func `a version in conflict that is not here keeps the documents there`() async throws {
        try await withConflictOnTwoDevices { laptop, _ in
            let moved = try reopened(laptop, at: otherFolder(laptop))
            defer { moved.dismantle() }
            await #expect(throws: ContainerMoveRefusal.self) { try await moved.synchronizer.checkup.move() }
        }
    }

    @Test func `what was edited or removed since it was last sent is no obstacle`() async throws {
        try await withContainer { laptop, phone in
            try await phone.save("Plan.txt", "edited")
            try phone.remove("Draft.txt")
            let moved = try reopened(phone, at: otherFolder(laptop))
            defer { moved.dismantle() }
            try await moved.synchronizer.checkup.move()
            try await moved.push()
            try await expectNewcomer(at: otherFolder(laptop), beside: laptop, reads: ["Plan.txt": "edited"])
        }
    }
}
