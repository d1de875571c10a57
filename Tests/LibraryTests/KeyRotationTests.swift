import Backing
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

/// Containers that get a new key (the page Secrecy, "A new key").
@Suite(.timeLimit(.minutes(15)))
struct KeyRotationTests {
    private static let passphrase = "battery staple"

    /// Two devices with a document of each.
    private func withDocuments(_ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void) async throws {
        try await withTwoDevices(keys: .ofTests(.random())) { laptop, phone in
            for (device, other) in [(laptop, phone), (phone, laptop)] {
                try device.create("of the \(device.name).txt", device.name)
                try await device.push()
                try await other.pull()
            }
            // As the mount that made the container has.
            _ = try await laptop.keys.kept.object.establish(in: laptop.keeper)
            try await body(laptop, phone)
        }
    }

    private func newcomer(_ laptop: TestDevice, _ secret: String = passphrase) async throws -> TestDevice {
        let object = try #require(try await KeyObject.read(from: laptop.keeper))
        let device = try TestDevice(
            "tablet", store: laptop.store + "-tablet", cloudFolder: laptop.cloudFolder,
            keys: KeptKeys(ring: try object.unwrapAll(secret), object: object))
        try device.open()
        return device
    }

    @Test func `a new key counts for what comes, and each device goes on when it has it`() async throws {
        try await withDocuments { laptop, phone in
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            #expect(try laptop.keys.kept.ring.newest.start == laptop.position.number)
            #expect(!laptop.keys.kept.isUnpublished)
            try laptop.create("later.txt", "later")
            try await laptop.push()
            // The phone has a change of its own, and sends nothing.
            try phone.create("waiting.txt", "waiting")
            let before = try phone.position
            for _ in 1...2 {
                guard case .keyChanged(by: "laptop", at: _) = try await phone.fault() else {
                    Issue.record("the phone goes on")
                    return
                }
            }
            #expect(try phone.position == before && phone.pendingCount == 1)
            #expect(throws: KeyObject.Refusal.wrongPassphrase) { try phone.keys.kept.metKey("other") }
            try phone.unlock()
            try await phone.synchronizer.rotation.run()
            try await phone.push()
            #expect(phone.keys.kept.ring == laptop.keys.kept.ring && !phone.keys.kept.isUnpublished)
            try await laptop.pull()
            #expect(try await laptop.text("waiting.txt") == "waiting")
            #expect(try await laptop.fault() == nil)
            // What was sent under the former key is read with it.
            #expect(try await phone.text("of the laptop.txt") == "laptop")
            #expect(try await phone.text("later.txt") == "later")
            let tablet = try await newcomer(laptop)
            defer { tablet.dismantle() }
            try await tablet.pull()
            for (name, text) in [("of the phone.txt", "phone"), ("later.txt", "later"), ("waiting.txt", "waiting")] {
                #expect(try await tablet.text(name) == text)
            }
            #expect(try await tablet.fault() == nil)
            for device in [laptop, phone, tablet] {
                let report = try await device.synchronizer.checkup.checkUp(repairs: true)
                #expect(report.isGood, "\(device.name): \(report.lines)")
            }
        }
    }

    @Test func `a document that was sent under a former key is removed from the container as any other`() async throws {
        try await withDocuments { laptop, phone in
            let contents = try await laptop.encryption?.list(ContentKey.folder, after: nil, limit: 10) ?? []
            let content = try #require(contents.first)
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            // It was sent again, too.
            _ = try await laptop.encryption?.putIfAbsent(content, [1])
            #expect(try await laptop.encryption?.list(ContentKey.folder, after: nil, limit: 10) == contents)
            try await laptop.encryption?.delete(content)
            #expect(
                try await laptop.encryption?.list(ContentKey.folder, after: nil, limit: 10).contains(content) == false)
            await #expect(throws: ObjectStoreError.notFound(content)) {
                try await laptop.encryption?.get(content, range: 0..<1)
            }
        }
    }

    /// The lost device, and the keeper with it.
    @Test func `attack: who has a former key alone reads nothing that comes, and what he writes is seen by nobody`()
        async throws
    {
        try await withDocuments { laptop, phone in
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            let former = EncryptedStore(phone.keeper, keys: phone.keys)
            let next = try laptop.position.next
            try laptop.create("later.txt", "later")
            try await laptop.push()
            #expect(try laptop.position == next)
            await #expect(throws: ObjectStoreError.notFound(next.key)) {
                try await former.get(next.key, limit: 1 << 20)
            }
            // It goes on as if nothing had happened: in the log after the announcement, which it can read, with a checkpoint of its own as after a
            // repair, and in the name of the container.
            var head = try #require(try phone.synchronizer.container.head())
            let announcement = try #require(try await phone.synchronizer.container.log.read(next.previous))
            head = head.advanced(by: announcement, state: head.state)
            for position in [next, next.next] {
                let entry = try LogEntry(
                    Commit([], from: phone.library.store), after: head, signedWith: phone.library.store.device.key)
                #expect(try await former.putIfAbsent(position.key, entry.bytes) == .created)
                head = head.advanced(by: entry, state: head.state)
            }
            let checkpoints = Checkpoints(store: former)
            var forged = head
            forged.position = LogPosition(next.number + 100)
            forged.root = forged.position.next
            #expect(
                try await checkpoints.finish(
                    CheckpointManifest(head: forged, count: 0, parts: []).signed(
                        by: phone.library.store.device.id, with: phone.library.store.device.key)))
            try await former.delete(ContainerIdentity.key)
            _ = try await ContainerIdentity(.random()).establish(in: former)
            try laptop.create("last.txt", "last")
            try await laptop.push()
            #expect(try await laptop.fault() == nil)
            // A device that was not told the new passphrase yet is not led astray.
            try phone.create("waiting.txt", "waiting")
            let before = try phone.position
            await phone.synchronizeOnce()
            guard case .failed(let reason) = phone.connection.connection else {
                Issue.record("\(phone.connection.connection)")
                return
            }
            #expect(reason.contains("was changed on 'laptop'"))
            #expect(try phone.position == before && phone.names().contains("of the laptop.txt"))
            let tablet = try await newcomer(laptop)
            defer { tablet.dismantle() }
            try await tablet.pull()
            #expect(try await tablet.text("last.txt") == "last")
            #expect(try await tablet.fault() == nil)
        }
    }

    @Test func `attack: a newcomer does not begin with what a former key has written`() async throws {
        try await withDocuments { laptop, phone in
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            // The keeper removes the checkpoint that the key began with.
            let checkpoints = try await laptop.encryption?.list(ObjectKey("checkpoint")!, after: nil, limit: 10) ?? []
            #expect(!checkpoints.isEmpty)
            for key in checkpoints { try await laptop.encryption?.delete(key) }
            let tablet = try await newcomer(laptop)
            defer { tablet.dismantle() }
            #expect(try await tablet.fault() == .unfounded)
            #expect(try tablet.names() == [])
            // A device that has long joined mends it.
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await tablet.fault() == nil)
            #expect(try tablet.names().count == 2)
        }
    }

    @Test func `attack: a device that has met the new key believes nothing under a former one, and mends nothing`()
        async throws
    {
        try await withDocuments { laptop, phone in
            let head = try #require(try phone.synchronizer.container.head())
            let former = EncryptedStore(phone.keeper, keys: .inMemory(phone.keys.kept))
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            try phone.create("waiting.txt", "waiting")
            #expect(try await phone.fault() != nil)
            let start = head.position.next
            // An entry in the place of the announcement that follows what the phone has read, and one that does not.
            for state in [head.state, .empty] {
                var other = head
                other.state = state
                try await former.delete(start.key)
                let forged = try LogEntry(
                    Commit([], from: phone.library.store), after: other, signedWith: phone.library.store.device.key)
                #expect(try await former.putIfAbsent(start.key, forged.bytes) == .created)
                var root = head
                (root.position, root.root) = (LogPosition(start.number + 99), LogPosition(start.number + 100))
                _ = try await Checkpoints(store: former).finish(
                    CheckpointManifest(head: root, count: 0, parts: []).signed(
                        by: phone.library.store.device.id, with: phone.library.store.device.key))
                let before = try await phone.keeper.list(ObjectKey("objects")!, after: nil, limit: .max)
                await phone.synchronizeOnce()
                await #expect(throws: LogError.self) { try await phone.synchronizer.checkup.checkUp(repairs: true) }
                await #expect(throws: LogError.self) { try await phone.synchronizer.repair.takeOver(head.container) }
                await #expect(throws: LogError.self) { try await phone.synchronizer.sender.sendPending() }
                #expect(try phone.position == head.position && phone.names().count == 3)
                #expect(try await phone.keeper.list(ObjectKey("objects")!, after: nil, limit: .max) == before)
            }
        }
    }

    @Test func `attack: a device that has met the new key, and whose catalog is lost, begins with nothing`()
        async throws
    {
        try await withDocuments { laptop, phone in
            // Whoever was shut out writes a checkpoint that nobody has come to.
            let former = EncryptedStore(phone.keeper, keys: .inMemory(phone.keys.kept))
            var forged = try #require(try phone.synchronizer.container.head())
            (forged.position, forged.state) = (LogPosition(forged.position.number + 99), .empty)
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            #expect(try await phone.fault() != nil && phone.keys.kept.isLocked)
            let device = phone.library.store.device
            _ = try await Checkpoints(store: former).finish(
                CheckpointManifest(head: forged, count: 0, parts: []).signed(by: device.id, with: device.key))
            let again = try TestDevice(
                "phone", store: laptop.store + "-again", cloudFolder: laptop.cloudFolder, keys: phone.keys.kept)
            try again.open()
            defer { again.dismantle() }
            #expect(try await again.fault() == .keyChanged(by: nil, at: nil))
            #expect(try again.synchronizer.container.head() == nil && again.names() == [])
        }
    }

    @Test func `a container that was in the place of this one for a while locks nothing`() async throws {
        try await withDocuments { laptop, phone in
            let own = laptop.keys.kept
            try await own.object.withdraw(from: laptop.keeper)
            let stranger = KeptKeys.ofTests(.random()).object
            _ = try await stranger.establish(in: laptop.keeper)
            #expect(try await laptop.fault() == .keyChanged(by: nil, at: nil))
            try await stranger.withdraw(from: laptop.keeper)
            _ = try await own.object.establish(in: laptop.keeper)
            // There is an entry that the laptop has not read.
            try phone.create("meanwhile.txt", "meanwhile")
            try await phone.push()
            #expect(try await laptop.fault() == nil)
            #expect(laptop.keys.kept == own && laptop.exists("meanwhile.txt"))
        }
    }

    @Test func `a newcomer begins again when a repair has made a damaged checkpoint anew`() async throws {
        try await withDocuments { laptop, phone in
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            let checkpoints = try await laptop.encryption?.list(ObjectKey("checkpoint")!, after: nil, limit: 10) ?? []
            let part = try #require(checkpoints.first { $0.last != "manifest" })
            try await laptop.encryption?.delete(part)
            _ = try await laptop.encryption?.putIfAbsent(part, [1])
            let tablet = try await newcomer(laptop)
            defer { tablet.dismantle() }
            #expect(try await tablet.fault() == .unfounded)
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await tablet.fault() == nil)
        }
    }

    @Test func `attack: neither a move nor a repair begins with what a former key has written`() async throws {
        try await withDocuments { laptop, phone in
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            for key in try await laptop.encryption?.list(ObjectKey("checkpoint")!, after: nil, limit: 10) ?? [] {
                try await laptop.encryption?.delete(key)
            }
            let id = try #require(try laptop.synchronizer.container.head()).container
            await #expect(throws: LogError.self) { try await laptop.synchronizer.repair.takeOver(id) }
            // A new chain has what the device knows.
            try await laptop.synchronizer.repair.restartLog(of: id)
            #expect(try laptop.names().count == 2)
            #expect(try await laptop.fault() == nil)
            let tablet = try await newcomer(laptop)
            defer { tablet.dismantle() }
            try await tablet.pull()
            #expect(try tablet.names().count == 2)
        }
    }

    @Test func `a device learns of the new key although the entry that announced it is lost`() async throws {
        try await withDocuments { laptop, phone in
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            let start = try laptop.position
            try await laptop.encryption?.delete(start.key)
            try phone.create("waiting.txt", "waiting")
            #expect(try await phone.fault() == .keyChanged(by: nil, at: nil))
            #expect(phone.keys.kept.isLocked)
            await #expect(throws: LogError.self) { try await phone.push() }
            #expect(try phone.position == start.previous)
            // The key object tells it all keys; the laptop mends the log.
            let object = try #require(try await KeyObject.read(from: laptop.keeper))
            let ring = try object.unwrapAll(Self.passphrase)
            #expect(try phone.keys.change { $0.adopt(ring, object) })
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            await phone.synchronizeOnce()
            try await phone.push()
            try await laptop.pull()
            #expect(try await laptop.text("waiting.txt") == "waiting")
        }
    }

    @Test func `attack: an entry in the place of the one that announced the key is noticed`() async throws {
        try await withDocuments { laptop, phone in
            let start = try laptop.position.next
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            let former = EncryptedStore(phone.keeper, keys: .inMemory(phone.keys.kept))
            let head = try #require(try phone.synchronizer.container.head())
            // The phone knows the key, and has not read so far.
            try phone.keys.change { $0 = laptop.keys.kept }
            try await former.delete(start.key)
            let forged = try LogEntry(
                Commit([], from: phone.library.store), after: head, signedWith: phone.library.store.device.key)
            #expect(try await former.putIfAbsent(start.key, forged.bytes) == .created)
            #expect(try await phone.fault() == .otherHistory(at: start))
            #expect(try phone.position == start.previous)
        }
    }

    @Test func `a device that is left behind mends nothing`() async throws {
        try await withDocuments { laptop, phone in
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            let before = try await laptop.keeper.list(ObjectKey("objects")!, after: nil, limit: .max)
            await #expect(throws: (any Error).self) { try await phone.synchronizer.checkup.checkUp(repairs: true) }
            #expect(try await laptop.keeper.list(ObjectKey("objects")!, after: nil, limit: .max) == before)
            #expect(try await laptop.fault() == nil)
        }
    }

    /// What is done already when the device is killed.
    enum Done: String, CaseIterable {
        case offered, identity, entry, applied, checkpoint, oneKeyObject
    }

    @Test(arguments: Done.allCases)
    func `a change of the key that was interrupted is finished, by this device or another one`(_ done: Done)
        async throws
    {
        for finisher in ["laptop", "phone"] where finisher == "laptop" || done > .identity {
            try await withDocuments { laptop, phone in
                try laptop.offerKey()
                try await interrupt(laptop, after: done)
                try laptop.crash()
                try laptop.open()
                let device = finisher == "laptop" ? laptop : phone
                if finisher == "phone" {
                    #expect(try await phone.fault() != nil)
                    try phone.unlock()
                }
                try await device.pull()
                // As in a round of synchronization, and when a person says it again.
                if done > .identity { try await device.synchronizer.rotation.publishIfNeeded() }
                if finisher == "laptop" { try await device.synchronizer.rotation.run() }
                #expect(device.keys.kept.ring.periods.count == 2 && !device.keys.kept.isUnpublished)
                #expect(try await KeyObject.read(from: laptop.keeper) == device.keys.kept.object)
                for other in [laptop, phone] {
                    _ = try await other.fault()
                    if other.keys.kept.isLocked { try other.unlock() }
                    try await other.pull()
                    #expect(try await other.fault() == nil)
                    #expect(other.keys.kept.ring == device.keys.kept.ring)
                }
                let tablet = try await newcomer(laptop)
                defer { tablet.dismantle() }
                try await tablet.pull()
                #expect(try tablet.names().count == 2)
            }
        }
    }

    private func interrupt(_ laptop: TestDevice, after done: Done) async throws {
        let container = laptop.synchronizer.container
        let head = try #require(try container.head())
        let position = head.position.next
        let announced = try #require(try laptop.encryption?.announcement(at: position.number))
        if done >= .identity { _ = try await ContainerIdentity(head.container).establish(in: announced.store) }
        let entry = try LogEntry(
            Commit(newKey: announced.keyObject, removing: [], from: laptop.library.store), after: head,
            signedWith: laptop.library.store.device.key)
        if done >= .entry { _ = try await container.log.append(entry, at: position) }
        if done >= .applied { try laptop.synchronizer.follower.apply(entry, after: head) }
        if done >= .checkpoint, let head = try container.head() {
            try await laptop.synchronizer.checkpointWriter.write(
                try CheckpointSnapshot(of: laptop.library.store.catalog, in: laptop.library.store.files), at: head)
        }
        if done >= .oneKeyObject {
            try await laptop.keeper.delete(KeyObject.keys[1])
            _ = try await laptop.keeper.putIfAbsent(KeyObject.keys[1], try laptop.keys.kept.object.encoded())
        }
    }

    @Test func `another device may write first`() async throws {
        try await withDocuments { laptop, phone in
            try phone.create("first.txt", "first")
            try await phone.push()
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            #expect(laptop.exists("first.txt"))
            #expect(try laptop.keys.kept.ring.newest.start == laptop.position.number)
        }
    }

    @Test func `a device that comes late publishes nothing in the place of a newer passphrase`() async throws {
        try await withDocuments { laptop, phone in
            try laptop.offerKey()
            try await laptop.synchronizer.rotation.run()
            let newer = try laptop.keys.kept.object.wrapping(
                laptop.keys.kept.ring.newest.key, passphrase: "newer still", cost: ScryptCost(n: 1 << 15, r: 8, p: 1))
            try await newer.replace(in: laptop.keeper)
            _ = try await phone.fault()
            try phone.unlock()
            try await phone.synchronizer.rotation.run()
            #expect(!phone.keys.kept.isUnpublished)
            #expect(try await KeyObject.read(from: laptop.keeper) == newer)
            // The keeper puts the former key object back.
            for key in KeyObject.keys { try await laptop.keeper.delete(key) }
            _ = try await KeptKeys.ofTests(try #require(laptop.keys.kept.ring.periods.first).key).object.establish(
                in: laptop.keeper)
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await KeyObject.read(from: laptop.keeper) == laptop.keys.kept.object)
        }
    }

    @Test func `a plain container has no key, and follows none`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("a.txt", "a")
            try await laptop.push()
            await #expect(throws: KeyRotation.Refusal.plain) { try await laptop.synchronizer.rotation.run() }
            let head = try #require(try laptop.synchronizer.container.head())
            let entry = try LogEntry(
                Commit(newKey: [1], removing: [], from: laptop.library.store), after: head,
                signedWith: laptop.library.store.device.key)
            _ = try await laptop.synchronizer.container.log.append(entry, at: head.position.next)
            await #expect(throws: LogError.self) { try await phone.pull() }
        }
    }
}

extension KeyRotationTests.Done: Comparable {
    static func < (left: Self, right: Self) -> Bool {
        allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }
}
