import Backing
import Catalog
import Documents
import Foundation
@testable import CloudSynchronization
@testable import Encryption
@testable import Library
import ObjectStore
import Replication
import Synchronization
import TestSupport
import Testing

/// Containers that lost objects, were put back to an older state, or were replaced by another one (`Semantics`, "A container that was
/// damaged").
@Suite(.timeLimit(.minutes(15)))
struct ContainerFaultTests {
    /// Damage that no device made.
    enum Damage: String, CaseIterable {
        case hole, rolledBack, emptied, unnamed, replaced, otherHistory, otherEnd, spoiledEntry, spoiledEnd

        /// No entry is missing, and one cannot be read.
        var spoilsEntry: Bool { self == .spoiledEntry || self == .spoiledEnd }
    }

    private static let texts = ["a.txt": "alpha", "b.txt": "beta", "c.txt": "gamma", "d.txt": "delta"]

    /// Runs `body` with two devices that know four documents in four commits and more.
    private func withDocuments(
        isEncrypted: Bool = false, _ body: (_ laptop: TestDevice, _ phone: TestDevice) async throws -> Void
    ) async throws {
        try await withTwoDevices(keys: isEncrypted ? .ofTests(.random()) : nil) { laptop, phone in
            for name in Self.texts.keys.sorted() {
                try laptop.create(name, Self.texts[name] ?? "")
                try await laptop.push()
            }
            // In an encrypted container the phone joins with an entry of its own.
            try await phone.pull()
            try await laptop.pull()
            try await body(laptop, phone)
        }
    }

    /// Where the keeper has an object.
    private func path(_ device: TestDevice, _ name: String) throws -> String {
        guard let key = device.key else { return device.cloudFolder + "/" + name }
        let object = try #require(ObjectName(ObjectKey(valid: name.split(separator: "/").map(String.init))))
        return "\(device.cloudFolder)/\(object.encrypted(with: key.nameKey))"
    }

    /// Removes an object, or all of a folder.
    private func lose(_ name: String, _ device: TestDevice) throws {
        let names = device.key == nil ? [name] : try objects(device).filter { $0 == name || $0.hasPrefix(name + "/") }
        for name in names { try FileManager.default.removeItem(atPath: path(device, name)) }
    }

    private func otherDevice(_ name: String, of device: TestDevice, _ suffix: String = "-other") throws -> TestDevice {
        let other = try TestDevice(
            name, store: device.store + suffix, cloudFolder: device.cloudFolder, keys: device.encryption?.keys.kept)
        try other.open()
        return other
    }

    private func entry(_ number: Int64) -> String { LogPosition(number).key.description }

    private func damage(_ device: TestDevice, _ damage: Damage) async throws {
        let files = FileManager.default
        let end = try device.position.number
        switch damage {
        case .hole: try files.removeItem(atPath: path(device, entry(2)))
        case .rolledBack:
            for number in 3...end { try files.removeItem(atPath: path(device, entry(number))) }
        case .emptied:
            // Not all of them are there each time.
            for name in ["container", "log", "documents", "checkpoint"] { try? lose(name, device) }
        case .unnamed: try files.removeItem(atPath: path(device, "container"))
        case .replaced:
            for name in ["container", "log", "documents"] { try lose(name, device) }
            let other = try otherDevice("desktop", of: device)
            defer { other.dismantle() }
            try other.create("theirs.txt", "theirs")
            try await other.push()
        case .otherHistory, .otherEnd:
            // Rolled back, and then written to by a device that did not notice: to a higher position than before, or to the same.
            for number in 3...end { try files.removeItem(atPath: path(device, entry(number))) }
            let other = try otherDevice("desktop", of: device)
            defer { other.dismantle() }
            for number in 3...(damage == .otherEnd ? end : end + 1) {
                try other.create(number == 3 ? "theirs.txt" : "theirs \(number).txt", "theirs")
                try await other.push()
            }
        case .spoiledEntry, .spoiledEnd:
            try Data("{".utf8).write(to: URL(filePath: path(device, entry(damage == .spoiledEnd ? end : 2))))
        }
    }

    /// The names of all objects, as devices know them.
    private func objects(_ device: TestDevice) throws -> Set<String> {
        let paths = FileManager.default.enumerator(atPath: device.cloudFolder)?.compactMap { $0 as? String } ?? []
        guard let nameKey = device.key?.nameKey else { return Set(paths) }
        return Set(
            paths.compactMap { path in
                let key = ObjectKey(valid: path.split(separator: "/").map(String.init))
                return ObjectName(encrypted: key, with: nameKey)?.key?.description
            })
    }

    @Test(arguments: Damage.allCases.filter { !$0.spoilsEntry }, [false, true])
    func `every device that knew the container reports the fault in one line, sends nothing and removes nothing`(
        _ damage: Damage, isEncrypted: Bool
    ) async throws {
        try await withDocuments(isEncrypted: isEncrypted) { laptop, phone in
            try await self.damage(laptop, damage)
            let before = try objects(laptop)
            for device in [laptop, phone] {
                let fault = try #require(try await device.fault())
                #expect(!fault.description.contains("\n"))
                #expect(fault.description.contains("docfs check --repair"))
                try device.create("new of \(device.name).txt", "new")
                try await device.upload()
                try device.remove("a.txt")
                _ = try? await device.synchronizer.sender.sendPending()
                #expect(device.exists("b.txt"))
            }
            let sent = try objects(laptop).subtracting(before).filter {
                $0.hasPrefix("log/") || $0.hasPrefix("checkpoint")
            }
            #expect(damage == .hole || sent.isEmpty, "\(sent)")
            #expect(before.subtracting(try objects(laptop)).isEmpty)
        }
    }

    /// Entries of the log, and checkpoints.
    private func log(_ device: TestDevice) throws -> Set<String> {
        try objects(device).filter { $0.hasPrefix("log/") || $0.hasPrefix("checkpoint") }
    }

    @Test(arguments: [Damage.rolledBack, .emptied, .otherEnd], [false, true])
    func `damage after the last inspection is noticed before the log is written`(
        _ damage: Damage, isEncrypted: Bool
    ) async throws {
        try await withDocuments(isEncrypted: isEncrypted) { laptop, _ in
            laptop.stopTime()
            try laptop.create("e.txt", "epsilon")
            try await laptop.push()
            let end = try laptop.position.number
            try FileManager.default.removeItem(atPath: path(laptop, entry(end)))
            for number in 3..<end where damage != .rolledBack {
                try FileManager.default.removeItem(atPath: path(laptop, entry(number)))
            }
            if damage == .emptied { try lose("log", laptop) }
            if damage == .otherEnd {
                let other = try otherDevice("desktop", of: laptop)
                defer { other.dismantle() }
                for number in 3...end {
                    try other.create("theirs \(number).txt", "theirs")
                    try await other.push()
                }
            }
            let before = try log(laptop)
            try laptop.remove("a.txt")
            #expect(try await laptop.synchronizer.inspector.inspect())
            let error = await #expect(throws: LogError.self) { try await laptop.synchronizer.sender.sendPending() }
            guard case .container = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try log(laptop) == before)
        }
    }

    @Test(arguments: [false, true])
    func `an entry that another device wrote and that was lost at once is not overwritten`(isEncrypted: Bool)
        async throws
    {
        try await withDocuments(isEncrypted: isEncrypted) { laptop, phone in
            laptop.stopTime()
            #expect(try await laptop.fault() == nil)
            let lost = try laptop.position.next
            for name in ["e.txt", "f.txt"] {
                try phone.create(name, name)
                try await phone.push()
            }
            try FileManager.default.removeItem(atPath: path(laptop, lost.key.description))
            try laptop.remove("a.txt")
            #expect(try await laptop.synchronizer.inspector.inspect())
            let error = await #expect(throws: LogError.self) { try await laptop.synchronizer.sender.sendPending() }
            guard case .container(.hole(lost)) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try !log(laptop).contains(lost.key.description))
        }
    }

    @Test(arguments: [[1], [2], [4], [3, 4], [1, 2, 3, 4]])
    func `an object that only a listing lacks is no fault`(hidden: [Int64]) async throws {
        try await withDocuments { laptop, _ in
            laptop.cloud.hideFromListings(Set(hidden.map { LogPosition($0).key }))
            laptop.synchronizer.inspector.restart()
            for _ in 1...3 {
                let hasPassed = try await laptop.synchronizer.inspector.inspect()
                #expect(!hasPassed)
            }
            laptop.cloud.hideFromListings([])
            #expect(try await laptop.fault() == nil)
        }
    }

    @Test func `a new device gives no other name to a container that has lost its name`() async throws {
        try await withDocuments { laptop, _ in
            try await damage(laptop, .unnamed)
            let newcomer = try otherDevice("newcomer", of: laptop, "-newcomer")
            defer { newcomer.dismantle() }
            #expect(try await newcomer.fault() == .unnamed)
            #expect(try !objects(laptop).contains("container"))
            try newcomer.create("new.txt", "new")
            await #expect(throws: LogError.self) { try await newcomer.push() }
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            try await newcomer.push()
            try await laptop.pull()
            for device in [laptop, newcomer] { #expect(try await device.text("new.txt") == "new") }
            #expect(try await newcomer.text("a.txt") == "alpha")
        }
    }

    @Test func `a repair sends contents before anything names them`() async throws {
        try await withDocuments { laptop, _ in
            try await damage(laptop, .emptied)
            let before = laptop.cloud.created.count
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            let folders = laptop.cloud.created.dropFirst(before).map { $0.components[0] }
            #expect(folders.filter { $0 == "documents" }.count == 4)
            let firstName = try #require(folders.firstIndex { $0 == "log" || $0 == "checkpoint" })
            #expect(!folders[firstName...].contains("documents"))
        }
    }

    @Test(arguments: [false, true])
    func `a repair follows the repair that another device has made`(isEncrypted: Bool) async throws {
        try await withDocuments(isEncrypted: isEncrypted) { laptop, phone in
            try await damage(laptop, .hole)
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.checkup.checkUp(repairs: true).isGood)
            let roots = try [laptop, phone].map { try $0.synchronizer.container.head()?.root }
            #expect(roots[0] == roots[1])
            #expect(try await laptop.fault() == nil)
        }
    }

    @Test(arguments: [false, true])
    func `an interrupted repair is noticed by a device that began with it, and done again`(isWrittenTo: Bool)
        async throws
    {
        try await withDocuments { laptop, phone in
            phone.stopTime()
            #expect(try await phone.fault() == nil)
            try await damage(laptop, .hole)
            laptop.cloud.setLog(.refuses)
            await #expect(throws: LogError.self) { try await laptop.synchronizer.checkup.checkUp(repairs: true) }
            laptop.cloud.setLog(.works)
            if isWrittenTo {
                // By a device that has inspected the log before, and not since.
                try phone.create("e.txt", "epsilon")
                try await phone.push()
            }
            // The new chain has no entry yet, and a new device finds nothing else.
            let newcomer = try otherDevice("newcomer", of: laptop, "-newcomer")
            defer { newcomer.dismantle() }
            #expect(try await newcomer.fault() == nil)
            #expect(try newcomer.names() == Self.texts.keys.sorted())
            try lose("checkpoint", laptop)
            #expect(try await newcomer.fault() != nil)
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await laptop.fault() == nil)
            #expect(try await phone.fault() != nil)
            #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == (Self.texts.keys + (isWrittenTo ? ["e.txt"] : [])).sorted())
            }
        }
    }

    @Test func `a repair goes by the state that the repairing device knows`() async throws {
        try await withDocuments { laptop, phone in
            let outer = try laptop.makeFolder("Outer")
            try laptop.create("inner.txt", "inner", in: laptop.makeFolder("Inner", in: outer))
            try await laptop.push()
            try await phone.pull()
            try laptop.rename("a.txt", to: "renamed.txt")
            let inner = try laptop.inode("Inner", in: outer)
            try laptop.remove("inner.txt", in: inner)
            try laptop.library.removeFolder(Array("Inner".utf8), in: outer)
            try laptop.library.removeFolder(Array("Outer".utf8), in: .cloud)
            let last = try laptop.position.number
            try await laptop.push()
            for number in last + 1...(try laptop.position.number) {
                try FileManager.default.removeItem(atPath: path(laptop, entry(number)))
            }
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            for device in [laptop, phone] { #expect(try device.names() == ["b.txt", "c.txt", "d.txt", "renamed.txt"]) }
        }
    }

    @Test func `entries after a missing one are not lost, though no device here has read them`() async throws {
        try await withDocuments { laptop, phone in
            for name in ["e.txt", "f.txt"] {
                try phone.create(name, name)
                try await phone.push()
            }
            try FileManager.default.removeItem(atPath: path(laptop, entry(5)))
            // An entry of another container is not part of this one.
            let other = try TestDevice(
                "desktop", store: laptop.store + "-other", cloudFolder: laptop.store + "-elsewhere")
            try other.open()
            defer { other.dismantle() }
            try other.create("stray.txt", "stray")
            try await other.push()
            try FileManager.default.copyItem(atPath: path(other, entry(1)), toPath: path(laptop, entry(7)))
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try laptop.names() == ["a.txt", "b.txt", "c.txt", "d.txt", "f.txt"])
            #expect(try await laptop.text("f.txt") == "f.txt")
        }
    }

    @Test func `a repair knows every device that an entry after the missing one brought`() async throws {
        try await withDocuments(isEncrypted: true) { laptop, phone in
            let missing = try laptop.position.next
            for name in ["e.txt", "f.txt"] {
                try phone.create(name, name)
                try await phone.push()
            }
            // The phone's first entry, which the laptop has not read.
            try lose(missing.key.description, laptop)
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            let members = try #require(try laptop.synchronizer.container.head()?.members)
            for device in [laptop, phone] { #expect(members[device.library.store.device.id] != nil) }
        }
    }

    /// A device that has not noticed may have written far more than the gap before a new chain.
    @Test func `the new log begins after all that is in the old one, also what cannot be read`() async throws {
        try await withDocuments { laptop, phone in
            try await damage(laptop, .hole)
            try Data("{".utf8).write(to: URL(filePath: path(laptop, entry(5000))))
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try laptop.position > LogPosition(5000))
            #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            for device in [laptop, phone] { #expect(try device.names() == Self.texts.keys.sorted()) }
        }
    }

    @Test func `a repair with a damaged checkpoint is not followed in part`() async throws {
        try await withDocuments { laptop, phone in
            try await damage(laptop, .hole)
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            for name in try objects(laptop)
            where name.hasPrefix("checkpoint/") && name.split(separator: "/").count == 3 && !name.hasSuffix("manifest")
            {
                try FileManager.default.removeItem(atPath: path(laptop, name))
            }
            let before = try log(laptop)
            await #expect(throws: LogError.self) { try await phone.synchronizer.repair.takeOverIfRepaired() }
            #expect(try log(laptop) == before)
            #expect(try phone.names() == Self.texts.keys.sorted())
        }
    }

    @Test func `a repair of another container is not followed`() async throws {
        try await withDocuments { laptop, phone in
            try await damage(laptop, .replaced)
            let other = try otherDevice("desktop", of: laptop, "-third")
            defer { other.dismantle() }
            try other.create("more.txt", "more")
            try await other.push()
            try FileManager.default.removeItem(atPath: path(laptop, entry(1)))
            #expect(try await other.synchronizer.checkup.checkUp(repairs: true).isGood)
            for device in [laptop, phone] {
                #expect(try await device.fault() == .replaced)
                #expect(try await !device.synchronizer.repair.takeOverIfRepaired())
                #expect(try device.names() == Self.texts.keys.sorted())
            }
        }
    }

    @Test(arguments: [false, true])
    func `a device that has inspected the log notices its repair before it writes to the broken one`(isEncrypted: Bool)
        async throws
    {
        try await withDocuments(isEncrypted: isEncrypted) { laptop, phone in
            phone.stopTime()
            #expect(try await phone.fault() == nil)
            try await damage(laptop, .hole)
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            try phone.create("e.txt", "epsilon")
            try await phone.upload()
            let before = try log(laptop)
            #expect(try await phone.synchronizer.inspector.inspect())
            await #expect(throws: LogError.self) { try await phone.synchronizer.sender.sendPending() }
            #expect(try log(laptop) == before)
            #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.names() == (Self.texts.keys + ["e.txt"]).sorted())
        }
    }

    @Test(arguments: [2, 9, 17, 40], [false, true])
    func `a run of lost entries is told, and a repair ends`(count: Int64, isEncrypted: Bool) async throws {
        try await withDocuments(isEncrypted: isEncrypted) { laptop, phone in
            for number in 0..<count {
                try laptop.rename(number == 0 ? "d.txt" : "d\(number - 1).txt", to: "d\(number).txt")
                try await laptop.push()
            }
            let end = try laptop.position.number
            for number in (end - count)..<end { try lose(entry(number), laptop) }
            #expect(try await phone.fault() == .hole(LogPosition(end - count)))
            #expect(try await !phone.synchronizer.checkup.checkUp(repairs: false).isGood)
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            for device in [laptop, phone] {
                #expect(try await device.fault() == nil)
                #expect(try device.names() == ["a.txt", "b.txt", "c.txt", "d\(count - 1).txt"])
            }
        }
    }

    @Test(arguments: Damage.allCases, [false, true])
    func `a repair makes the container whole, other devices follow, and nothing is lost`(
        _ damage: Damage, isEncrypted: Bool
    ) async throws {
        try await withDocuments(isEncrypted: isEncrypted) { laptop, phone in
            try await phone.save("d.txt", "delta of the phone")
            try laptop.create("pending.txt", "pending")
            try await self.damage(laptop, damage)
            let report = try await laptop.synchronizer.checkup.checkUp(repairs: true)
            #expect(report.isGood, "\(report)")
            #expect(damage.spoilsEntry || report.fault != nil)
            #expect(try await laptop.fault() == nil)
            try await laptop.push()
            // Another container is not followed: the person at the phone must say that it is meant.
            if damage == .replaced {
                #expect(try await phone.fault() == .replaced)
                #expect(try await phone.synchronizer.checkup.checkUp(repairs: true).isGood)
            } else if damage == .spoiledEnd {
                // Where the phone's last entry should be is none that can be read.
                await #expect(throws: LogError.self) { try await phone.fault() }
                #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            } else if try await phone.fault() != nil {
                #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            }
            #expect(try await phone.fault() == nil)
            try await phone.push()
            try await laptop.pull()
            var expected = Self.texts
            expected["d.txt"] = "delta of the phone"
            expected["pending.txt"] = "pending"
            for device in [laptop, phone] {
                for (name, text) in expected {
                    #expect(try await device.text(name) == text, "\(name) on \(device.name)")
                }
                if [.replaced, .otherHistory, .otherEnd].contains(damage) {
                    #expect(try await device.text("theirs.txt") == "theirs")
                }
                #expect(try device.pendingCount == 0)
                #expect(try await !device.synchronizer.repair.takeOverIfRepaired())
            }
            let heads = try [laptop, phone].map { try $0.synchronizer.container.head() }
            #expect(heads[0]?.state == heads[1]?.state)
            // A new device sees the same documents.
            let newcomer = try otherDevice("newcomer", of: laptop, "-newcomer")
            defer { newcomer.dismantle() }
            #expect(try await newcomer.fault() == nil)
            #expect(try newcomer.names() == laptop.names())
            for (name, text) in expected { #expect(try await newcomer.text(name) == text) }
        }
    }

    @Test func `changes that only the other device knew come back when the log has lost them`() async throws {
        try await withDocuments { laptop, phone in
            // The laptop has not read the phone's last entry, and that is lost.
            try phone.create("e.txt", "epsilon")
            try await phone.push()
            try await phone.save("d.txt", "delta of the phone")
            try await phone.push()
            try phone.remove("a.txt")
            try await phone.push()
            for number in 3...7 { try FileManager.default.removeItem(atPath: path(laptop, entry(Int64(number)))) }
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try await device.fault() == nil)
                #expect(try await device.text("d.txt") == "delta of the phone")
                #expect(try await device.text("e.txt") == "epsilon")
                #expect(!device.exists("a.txt"))
            }
            #expect(try laptop.synchronizer.container.head()?.state == phone.synchronizer.container.head()?.state)
        }
    }

    @Test func `changes of the other device are not undone by an older state of this one`() async throws {
        try await withDocuments { laptop, phone in
            try laptop.rename("a.txt", to: "renamed.txt")
            try laptop.remove("b.txt")
            try await laptop.save("c.txt", "gamma, newer")
            try await laptop.push()
            try FileManager.default.removeItem(atPath: path(laptop, entry(2)))
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            #expect(try phone.names() == ["c.txt", "d.txt", "renamed.txt"])
            #expect(try await phone.text("c.txt") == "gamma, newer")
            #expect(try laptop.synchronizer.container.head()?.state == phone.synchronizer.container.head()?.state)
        }
    }

    @Test func `contents that were deleted by hand are named, and sent again by a device that has them`() async throws {
        try await withDocuments { laptop, phone in
            try lose("documents", laptop)
            let found = try await phone.synchronizer.checkup.checkUp(repairs: true)
            #expect(found.fault == nil)
            #expect(found.missing.sorted() == Self.texts.keys.sorted())
            await #expect(throws: (any Error).self) { try await phone.text("a.txt") }
            #expect(try phone.entry("a.txt").error?.contains("docfs check --repair") == true)
            let repaired = try await laptop.synchronizer.checkup.checkUp(repairs: true)
            #expect(repaired.sent == 4 && repaired.isGood)
            try await phone.pull()
            for (name, text) in Self.texts { #expect(try await phone.text(name) == text) }
        }
    }

    @Test func `a file that has another content by now is not sent as the missing one`() async throws {
        try await withDocuments { laptop, _ in
            try lose("documents", laptop)
            try Data("omega".utf8).write(to: URL(filePath: try laptop.backingPath("a.txt")))
            let report = try await laptop.synchronizer.checkup.checkUp(repairs: true)
            #expect(report.missing == ["a.txt"])
            #expect(report.sent == 3)
        }
    }

    @Test func `a container that is emptied again and again is repaired each time, and others follow`() async throws {
        try await withDocuments { laptop, phone in
            for device in [laptop, phone, laptop] {
                try await damage(laptop, .emptied)
                #expect(try await device.fault() == .emptied)
                #expect(try await device.synchronizer.checkup.checkUp(repairs: true).fault != nil)
                let other = device === laptop ? phone : laptop
                #expect(try await other.fault() != nil)
                #expect(try await other.synchronizer.repair.takeOverIfRepaired())
                #expect(try await other.fault() == nil)
                #expect(try laptop.synchronizer.container.head() == phone.synchronizer.container.head())
            }
        }
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func `a content that was uploaded and not committed is sent again to a container that was emptied meanwhile`(
        isOnItsWay: Bool, restarts: Bool
    ) async throws {
        try await withDocuments { laptop, phone in
            try laptop.create("e.txt", "epsilon")
            try await laptop.upload()
            if isOnItsWay {
                laptop.cloud.setLog(.refuses)
                await #expect(throws: LogError.self) { try await laptop.synchronizer.sender.sendPending() }
                laptop.cloud.setLog(.works)
            }
            try await damage(laptop, .emptied)
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            if restarts {
                try laptop.crash()
                try laptop.open()
            }
            try await laptop.push()
            _ = try await phone.fault()
            #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            #expect(try await phone.text("e.txt") == "epsilon")
        }
    }

    @Test func `a version that was named by an entry that got lost is not cleaned away`() async throws {
        try await withDocuments { laptop, phone in
            try await laptop.save("a.txt", "alpha, newer")
            try await laptop.push()
            try await phone.pull()
            try FileManager.default.removeItem(atPath: path(laptop, entry(5)))
            #expect(try await phone.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await laptop.fault() != nil)
            #expect(try await laptop.synchronizer.repair.takeOverIfRepaired())
            try laptop.close()
            try laptop.open()
            try await laptop.push()
            try await laptop.synchronizer.cleaner.clean()
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: false).isGood)
            #expect(try await phone.text("a.txt") == "alpha, newer")
        }
    }

    @Test func `a discarded version stays discarded when the log is put back to an older state`() async throws {
        try await withDocuments { laptop, phone in
            #expect(try await phone.text("a.txt") == "alpha")
            try await laptop.save("a.txt", "of the laptop")
            try await phone.save("a.txt", "of the phone, later")
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            let versions = try laptop.library.list(.conflicts, of: laptop.inode("a.txt"))
            try laptop.library.chooseVersion(
                Array(try #require(versions.first).name.utf8), in: .conflicts, of: laptop.inode("a.txt"),
                as: Array("a.txt".utf8),
                in: .cloud, options: [])
            let chosen = try await laptop.text("a.txt")
            try await laptop.push()
            try await phone.pull()
            for number in 5...7 { try FileManager.default.removeItem(atPath: path(laptop, entry(Int64(number)))) }
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            for device in [laptop, phone] {
                #expect(try await device.text("a.txt") == chosen)
                #expect(try device.entry("a.txt").conflicts == 0)
            }
        }
    }

    @Test(arguments: ["", "{}", "{\"format\":1}"])
    func `a container whose name is damaged gets its name again`(text: String) async throws {
        try await withDocuments { laptop, phone in
            try Data(text.utf8).write(to: URL(filePath: path(laptop, "container")))
            #expect(try await laptop.fault() == .unnamed)
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            for device in [laptop, phone] { #expect(try await device.fault() == nil) }
        }
    }

    @Test func `a device that has not read a spoiled entry follows the repair of it`() async throws {
        try await withDocuments { laptop, phone in
            try await laptop.save("a.txt", "alpha, newer")
            try await laptop.push()
            try Data("{".utf8).write(to: URL(filePath: path(laptop, entry(5))))
            await #expect(throws: LogError.self) { try await phone.pull() }
            #expect(try await laptop.synchronizer.checkup.checkUp(repairs: true).isGood)
            #expect(try await phone.synchronizer.repair.takeOverIfRepaired())
            #expect(try await phone.text("a.txt") == "alpha, newer")
        }
    }

    @Test func `a log entry of a later release is left alone`() async throws {
        try await withDocuments { laptop, phone in
            try Data("{\"format\":4}\n".utf8).write(to: URL(filePath: path(laptop, entry(5))))
            await #expect(throws: LogError.self) { try await laptop.synchronizer.checkup.checkUp(repairs: true) }
            #expect(try objects(laptop).filter { $0.hasPrefix("checkpoint") }.isEmpty)
            await #expect(throws: LogError.self) { try await phone.pull() }
        }
    }

    @Test func `files that are no log entries do not count as missing entries`() async throws {
        try await withDocuments { laptop, _ in
            for name in ["0000000000000002 (conflict copy)", "notes.txt", "3"] {
                try Data("x".utf8).write(to: URL(filePath: path(laptop, "log/" + name)))
            }
            #expect(try await laptop.fault() == nil)
            let positions = try await laptop.synchronizer.container.log.positions(after: .start, atMost: 2)
            #expect(positions == [LogPosition(1), LogPosition(2)])
        }
    }

    @Test func `entries of the former container, written to the new one, do not prevent a repair`()
        async throws
    {
        try await withDocuments { laptop, phone in
            let strays = try (3...4).map { ($0, try Data(contentsOf: URL(filePath: path(laptop, entry(Int64($0)))))) }
            try await damage(laptop, .replaced)
            for (number, bytes) in strays { try bytes.write(to: URL(filePath: path(laptop, entry(Int64(number))))) }
            for device in [laptop, phone] {
                #expect(try await device.synchronizer.checkup.checkUp(repairs: true).isGood)
                #expect(try await device.fault() == nil)
            }
            try await laptop.push()
            for device in [laptop, phone] {
                #expect(try device.names() == ["a.txt", "b.txt", "c.txt", "d.txt", "theirs.txt"])
            }
        }
    }

    @Test func `two devices that repair at once agree`() async throws {
        try await withDocuments { laptop, phone in
            try FileManager.default.removeItem(atPath: path(laptop, entry(2)))
            async let first = laptop.synchronizer.checkup.checkUp(repairs: true)
            async let second = phone.synchronizer.checkup.checkUp(repairs: true)
            _ = try await (first, second)
            for device in [laptop, phone, laptop] where try await device.fault() != nil {
                #expect(try await device.synchronizer.repair.takeOverIfRepaired())
            }
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.synchronizer.container.head() == phone.synchronizer.container.head())
        }
    }
}
