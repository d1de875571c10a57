import Backing
import Catalog
import Ciphers
@testable import CloudSynchronization
import Documents
@testable import Encryption
import Foundation
@testable import Library
import ObjectStore
import Replication
import TestSupport
import Testing

/// Encrypted containers whose devices sign what they write (the page Secrecy, "Devices").
@Suite(.timeLimit(.minutes(15)))
struct SignedContainerTests {
    /// Two devices, of which only the laptop has documents.
    private func withJoinedDevices(
        _ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void
    ) async throws {
        try await withTwoDevices(keys: .ofTests(.random())) { laptop, phone in
            _ = try await laptop.keys.kept.object.establish(in: laptop.keeper)
            try laptop.create("Plan.txt", "plan")
            try await laptop.push()
            try await phone.pull()
            try await phone.push()
            try await laptop.pull()
            try await body(laptop, phone)
        }
    }

    @Test func `a device that has nothing to send joins, once`() async throws {
        try await withJoinedDevices { laptop, phone in
            let members = try #require(try laptop.members)
            #expect(members.all.map(\.name) == ["laptop", "phone"])
            #expect(members.all.map(\.key) == [laptop.signingKey.publicKey, phone.signingKey.publicKey])
            #expect(try phone.members == members)
            let end = try laptop.position
            for device in [laptop, phone] {
                try await device.push()
                try await device.pull()
                try device.crash()
                try device.open()
                try await device.push()
            }
            #expect(try laptop.position == end && phone.position == end)
            #expect(
                try laptop.listedDevices.map { [$0.name, "\($0.isThisDevice)"] } == [
                    ["laptop", "true"], ["phone", "false"],
                ])
        }
    }

    @Test func `a plain container has no list of devices, and no signatures`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "plan")
            try await laptop.push()
            try await phone.pull()
            #expect(try laptop.members == nil && laptop.listedDevices.isEmpty)
            #expect(try phone.position == LogPosition(1))
            let head = try #require(try laptop.synchronizer.container.head())
            let signed = try LogEntry(
                Commit([], from: laptop.library.store), after: head, signedWith: laptop.signingKey)
            _ = try await laptop.synchronizer.container.log.append(signed, at: head.position.next)
            await #expect(throws: LogError.self) { try await phone.synchronizer.follower.followLog() }
        }
    }

    @Test func `attack: what one device writes in the name of another stops the others, and no repair takes it over`()
        async throws
    {
        try await withJoinedDevices { laptop, phone in
            let head = try #require(try laptop.synchronizer.container.head())
            let plan = try laptop.entry("Plan.txt")
            let deletion = Commit(
                [.delete(try #require(plan.id), seen: [try #require(plan.contentVersion)])], from: laptop.library.store)
            let forged = try LogEntry(deletion, after: head, signedWith: phone.signingKey)
            _ = try await phone.synchronizer.container.log.append(forged, at: head.position.next)
            let tablet = try await newcomer(laptop)
            defer { tablet.dismantle() }
            for device in [laptop, phone, tablet] {
                #expect(try await device.fault() == .otherWriter(at: head.position.next), "\(device.name)")
            }
            let report = try await laptop.synchronizer.checkup.checkUp(repairs: true)
            #expect(report.isGood, "\(report.lines)")
            try await laptop.pull()
            #expect(try await laptop.text("Plan.txt") == "plan")
            for device in [phone, tablet] {
                _ = try await device.synchronizer.repair.takeOverIfRepaired()
                try await device.pull()
                #expect(try await device.text("Plan.txt") == "plan", "\(device.name)")
                #expect(try await device.fault() == nil)
                #expect(try device.members?[laptop.id]?.key == laptop.signingKey.publicKey)
            }
        }
    }

    @Test func `attack: a checkpoint that gives a device another key is passed over`() async throws {
        try await withJoinedDevices { laptop, phone in
            let container = phone.synchronizer.container
            var head = try #require(try container.head())
            let right = head
            // As after a repair, with a key of the phone's choice for the laptop.
            head.members = nil
            let other = SigningKey(seed: .random(32))
            let commit = Commit([], from: laptop.library.store)
            head = head.advanced(by: try LogEntry(commit, after: head, signedWith: other), state: head.state)
            head.position = LogPosition(right.position.number + 1000)
            head.root = head.position.next
            let snapshot = try CheckpointSnapshot(of: phone.library.store.catalog, in: phone.library.store.files)
            try await phone.synchronizer.checkpointWriter.write(snapshot, at: head)
            // Who does not know the laptop is shown what the phone says.
            let tablet = try await newcomer(laptop)
            defer { tablet.dismantle() }
            try await tablet.synchronizer.follower.followLog()
            #expect(try tablet.members?[laptop.id]?.key == other.publicKey)
            #expect(try await !laptop.synchronizer.repair.takeOverIfRepaired())
            #expect(try laptop.synchronizer.container.head() == right)
        }
    }

    /// What the phone writes as if it had repaired the container, with a list of devices of its choice.
    private func writeCheckpoint(
        _ phone: TestDevice, _ change: (inout LogHead) throws -> Void
    ) async throws -> LogHead {
        var head = try #require(try phone.synchronizer.container.head())
        head.position = LogPosition(head.position.number + 1000)
        head.root = head.position.next
        head.commit = nil
        try change(&head)
        let snapshot = try CheckpointSnapshot(of: phone.library.store.catalog, in: phone.library.store.files)
        try await phone.synchronizer.checkpointWriter.write(snapshot, at: head)
        return head
    }

    @Test func `attack: a checkpoint that leaves a device out does not make it unknown`() async throws {
        try await withJoinedDevices { laptop, phone in
            let head = try await writeCheckpoint(phone) { head in
                head.members = nil
                try head.join(phone.id, name: "phone", key: phone.signingKey.publicKey, at: Timestamp(nanoseconds: 1))
            }
            let forged = try LogEntry(
                Commit([], from: laptop.library.store), after: head, signedWith: SigningKey(seed: .random(32)))
            _ = try await phone.synchronizer.container.log.append(forged, at: head.root)
            await #expect(throws: LogError.self) { try await laptop.synchronizer.repair.takeOverIfRepaired() }
            let report = try await laptop.synchronizer.checkup.checkUp(repairs: true)
            #expect(report.isGood, "\(report.lines)")
            _ = try await phone.synchronizer.repair.takeOverIfRepaired()
            for device in [laptop, phone] {
                #expect(try await device.fault() == nil)
                #expect(try device.members?[laptop.id]?.key == laptop.signingKey.publicKey)
            }
        }
    }

    @Test func `attack: a checkpoint whose devices join later than it was written is passed over`() async throws {
        try await withJoinedDevices { laptop, phone in
            _ = try await writeCheckpoint(phone) { head in
                let members = try #require(head.members)
                var late = head
                (late.members, late.position) = (nil, LogPosition(1 << 50))
                for member in members.all {
                    try late.join(member.device, name: member.name, key: member.key, at: member.joined)
                }
                head.members = late.members
            }
            #expect(try await !laptop.synchronizer.repair.takeOverIfRepaired())
            #expect(try await laptop.fault() == nil)
        }
    }

    @Test func `a checkpoint that is not believed stands in no repair's way`() async throws {
        try await withJoinedDevices { laptop, phone in
            let head = try await writeCheckpoint(phone) { head in
                head.members = nil
                try head.join(
                    laptop.id, name: "laptop", key: SigningKey(seed: .random(32)).publicKey,
                    at: Timestamp(nanoseconds: 1))
            }
            let entry = try LogEntry(Commit([], from: phone.library.store), after: head, signedWith: phone.signingKey)
            _ = try await phone.synchronizer.container.log.append(entry, at: head.root)
            #expect(try await laptop.fault() != nil)
            let report = try await laptop.synchronizer.checkup.checkUp(repairs: true)
            #expect(report.isGood, "\(report.lines)")
            #expect(try await laptop.fault() == nil)
            _ = try await phone.synchronizer.repair.takeOverIfRepaired()
            #expect(try await phone.fault() == nil)
            #expect(try phone.members?[laptop.id]?.key == laptop.signingKey.publicKey)
            #expect(try await phone.text("Plan.txt") == "plan")
        }
    }

    @Test func `a checkpoint that nobody can read stands in no repair's way either`() async throws {
        try await withJoinedDevices { laptop, phone in
            // Where the repair would put its own.
            var head = try #require(try phone.synchronizer.container.head())
            head.position = LogPosition(head.position.number + ContainerRepair.gap)
            let checkpoints = phone.synchronizer.container.checkpoints
            try await checkpoints.finish(CheckpointManifest(head: head, count: 7, parts: []))
            let position = try laptop.position.next
            let log = phone.synchronizer.container.log
            let later = try #require(try phone.synchronizer.container.head())
            var next = later
            next.position = position
            _ = try await log.append(
                try LogEntry(Commit([], from: phone.library.store), after: next, signedWith: phone.signingKey),
                at: position.next)
            #expect(try await laptop.fault() == .hole(position))
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            for device in [laptop, phone] {
                #expect(try await device.fault() == nil)
                #expect(try await device.text("Plan.txt") == "plan")
            }
        }
    }

    @Test func `attack: a removal that does not count makes nobody unknown in a repair`() async throws {
        try await withJoinedDevices { laptop, phone in
            var head = try #require(try phone.synchronizer.container.head())
            let position = head.position.next
            head.position = position
            let removal = Commit(newKey: [1], removing: [laptop.id], from: phone.library.store)
            _ = try await phone.synchronizer.container.log.append(
                try LogEntry(removal, after: head, signedWith: phone.signingKey), at: position.next)
            head.position = position.next
            let forged = try LogEntry(
                Commit([], from: laptop.library.store), after: head, signedWith: SigningKey(seed: .random(32)))
            _ = try await phone.synchronizer.container.log.append(forged, at: position.next.next)
            #expect(try await laptop.fault() == .hole(position))
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try laptop.members?[laptop.id]?.key == laptop.signingKey.publicKey)
        }
    }

    @Test func `a device that is known by another key repairs nothing, and hinders no other one`() async throws {
        try await withJoinedDevices { laptop, phone in
            try phone.library.store.write { try $0.set(.deviceKey, String(repeating: "7", count: 64)) }
            try phone.crash()
            try phone.open()
            var head = try #require(try laptop.synchronizer.container.head())
            head.position = head.position.next
            _ = try await laptop.synchronizer.container.log.append(
                try LogEntry(Commit([], from: laptop.library.store), after: head, signedWith: laptop.signingKey),
                at: head.position.next)
            let before = try await laptop.encryption?.list(ObjectKey("checkpoint")!, after: nil, limit: .max)
            do {
                _ = try await phone.synchronizer.checkup.checkUp(repairs: true)
                Issue.record("it was repaired")
            } catch LogError.container(let fault) { #expect(fault == .otherKey) }
            #expect(try await laptop.encryption?.list(ObjectKey("checkpoint")!, after: nil, limit: .max) == before)
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await laptop.fault() == nil)
        }
    }

    @Test func `a device that is known by another key writes nothing, until it was removed and joins again`()
        async throws
    {
        try await withJoinedDevices { laptop, phone in
            try phone.library.store.write { try $0.set(.deviceKey, String(repeating: "7", count: 64)) }
            try phone.crash()
            try phone.open()
            #expect(try phone.members?[phone.id]?.key != phone.signingKey.publicKey)
            try phone.create("Note.txt", "note")
            await #expect(throws: LogError.self) { try await phone.push() }
            do { _ = try await phone.synchronizer.sender.sendPending() } catch LogError.container(let fault) {
                #expect(fault == .otherKey && fault.description.contains("docfs devices remove"))
            }
            #expect(try await laptop.fault() == nil)
            try laptop.offerKey(removing: [phone.id])
            try await laptop.synchronizer.rotation.run()
            #expect(try await phone.fault() != nil)
            try phone.unlock()
            try await phone.synchronizer.rotation.run()
            try await phone.push()
            try await laptop.pull()
            #expect(try await laptop.text("Note.txt") == "note")
            #expect(try laptop.members?[phone.id]?.key == phone.signingKey.publicKey)
        }
    }

    @Test func `who is locked by the key object alone is told of its removal by the next entry`() async throws {
        try await withJoinedDevices { laptop, phone in
            try laptop.offerKey(removing: [phone.id])
            try await laptop.synchronizer.rotation.run()
            #expect(try await phone.encryption?.isLeftBehind() == true)
            #expect(phone.keys.kept.isLockedByKeyObject)
            guard case .removed(by: "laptop", at: _) = try await phone.fault() else {
                Issue.record("the phone does not know")
                return
            }
        }
    }

    @Test func `a removed device is told so, and joins again with the new passphrase`() async throws {
        try await withJoinedDevices { laptop, phone in
            try laptop.offerKey(removing: [phone.id])
            try await laptop.synchronizer.rotation.run()
            #expect(try laptop.members?.all.map(\.name) == ["laptop"])
            guard case .removed(by: "laptop", at: _) = try await phone.fault() else {
                Issue.record("the phone does not know")
                return
            }
            let fault = try await phone.fault()
            #expect(fault?.description.contains("this device was removed from the cloud container on 'laptop'") == true)
            try phone.create("waiting.txt", "waiting")
            let tablet = try await newcomer(laptop, "battery staple")
            defer { tablet.dismantle() }
            try await tablet.pull()
            try await tablet.push()
            #expect(try tablet.members?.all.map(\.name) == ["laptop", "tablet"])
            try phone.unlock()
            try await phone.synchronizer.rotation.run()
            try await phone.push()
            for device in [laptop, tablet] {
                try await device.pull()
                #expect(try device.members?.all.map(\.name) == ["laptop", "tablet", "phone"], "\(device.name)")
                #expect(try await device.text("waiting.txt") == "waiting")
            }
        }
    }

    @Test func `a copy of a store is another device with another key`() async throws {
        try await withJoinedDevices { laptop, phone in
            try phone.close()
            let copy = try TestDevice(
                "phone", store: phone.store + "-copy", cloudFolder: phone.cloudFolder, keys: phone.keys.kept)
            defer { copy.dismantle() }
            try FileManager.default.removeItem(atPath: copy.store)
            try FileManager.default.copyItem(atPath: phone.store, toPath: copy.store)
            try copy.open()
            try phone.open()
            #expect(copy.id != phone.id && copy.signingKey != phone.signingKey)
            try await copy.pull()
            try await copy.push()
            try await laptop.pull()
            #expect(try laptop.members?.all.map(\.name) == ["laptop", "phone", "phone"])
        }
    }

    private func newcomer(_ laptop: TestDevice, _ secret: String? = nil) async throws -> TestDevice {
        var kept = laptop.keys.kept
        if let secret {
            let object = try #require(try await KeyObject.read(from: laptop.keeper))
            kept = KeptKeys(ring: try object.unwrapAll(secret), object: object)
        }
        let device = try TestDevice(
            "tablet", store: laptop.store + "-tablet", cloudFolder: laptop.cloudFolder, keys: kept)
        try device.open()
        return device
    }
}

extension TestDevice {
    fileprivate var id: DeviceID { library.store.device.id }

    fileprivate var signingKey: SigningKey { library.store.device.key }

    fileprivate var members: Members? { get throws { try synchronizer.container.head()?.members } }

    fileprivate var listedDevices: [ListedDevice] {
        get throws {
            try library.reportText(.devices).split(separator: "\n").map {
                try JSONDecoder().decode(ListedDevice.self, from: Data($0.utf8))
            }
        }
    }
}
