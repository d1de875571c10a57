import Backing
import Catalog
import Documents
import Foundation
import Glibc
@testable import Library
@testable import Replica
import Replication
import Testing

/// Undo and redo of choices among the versions of a document in conflict (Semantics, "Undo and redo").
@Suite(.timeLimit(.minutes(15)))
struct UndoOfChoiceTests {
    private let command = Caller(thread: 7)

    private func conflictName(_ device: TestDevice) throws -> [UInt8] {
        Array(try #require(try device.library.list(.conflicts, of: device.inode("F.txt")).first).name.utf8)
    }

    private func discard(on device: TestDevice) throws {
        try device.library.discardVersion(
            conflictName(device), in: .conflicts, of: device.inode("F.txt"), by: command)
    }

    private func chooseOther(on device: TestDevice) throws {
        try device.library.chooseVersion(
            conflictName(device), in: .conflicts, of: device.inode("F.txt"), as: Array("F.txt".utf8), in: .cloud,
            options: [], by: command)
    }

    private func leaves(_ device: TestDevice) throws -> [VersionID] {
        let entry = try device.entry("F.txt")
        return try device.library.store.catalog.read { try device.library.versionFiles.leaves(of: entry, $0) }
    }

    @Test(arguments: [true, false], [true, false])
    func `a choice and its undo reach all devices`(isSentFirst: Bool, discards: Bool) async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            let before = try leaves(phone)
            let text = try await phone.text("F.txt")
            if discards { try discard(on: phone) } else { try chooseOther(on: phone) }
            let chosen = try leaves(phone)
            #expect(chosen.count == 1 && (chosen[0] == before[0]) == discards)
            if isSentFirst {
                try await phone.push()
                try await laptop.pull()
                #expect(try leaves(laptop) == chosen)
            }
            #expect(try phone.library.undoing.listText(.undo).split(separator: "\n").first == "Choose a version of “F”")
            try phone.library.perform(.undo)
            #expect(try leaves(phone) == before)
            #expect(try phone.entry("F.txt").conflicts == 1)
            #expect(try await phone.text("F.txt") == text)
            try await phone.push()
            try await laptop.pull()
            #expect(try leaves(laptop) == before)
            #expect(try laptop.entry("F.txt").conflicts == 1)
            #expect(try await laptop.text("F.txt") == text)
            try phone.library.perform(.redo)
            #expect(try leaves(phone) == chosen)
            try await phone.push()
            try await laptop.pull()
            #expect(try leaves(laptop) == chosen)
            #expect(try laptop.entry("F.txt").conflicts == 0)
        }
    }

    /// `docfs resolve --keep all` makes documents of the other versions, and chooses.
    @Test func `a copy that was edited stays in the trash when a new action clears redo`() async throws {
        try await withConflictOnTwoDevices { _, phone in
            try phone.create("F (laptop).txt", "other", by: command.thread)
            try discard(on: phone)
            try await phone.save("F (laptop).txt", "edited")
            try phone.library.perform(.undo)
            #expect(!phone.exists("F (laptop).txt") && phone.exists("F.txt"))
            phone.advance(seconds: 3600)
            try phone.create("new.txt", in: .local)
            #expect(
                try phone.library.actionListText(.undo).split(separator: "\n").prefix(2)
                    == ["Create “new”", "Delete “F (laptop)”"])
            try phone.library.perform(.undo)
            try phone.library.perform(.undo)
            #expect(try await phone.text("F (laptop).txt") == "edited")
            #expect(try phone.entry("F.txt").conflicts == 1)
        }
    }

    @Test func `what one command chooses for one document is one step`() async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            let before = try leaves(phone)
            try chooseOther(on: phone)
            try phone.library.perform(.undo)
            try discard(on: phone)
            try phone.library.removeFolder(Array("F.txt.conflicts".utf8), in: .cloud, by: command)
            #expect(try phone.library.undoing.listText(.undo).split(separator: "\n").first == "Choose a version of “F”")
            try phone.library.perform(.undo)
            #expect(try leaves(phone) == before)
        }
    }

    @Test func `a discarded version comes back also after an edit, and is in conflict with it`() async throws {
        for isSent in [true, false] {
            try await withConflictOnTwoDevices { laptop, phone in
                let before = try leaves(phone)
                try discard(on: phone)
                try await phone.save("F.txt", "edited")
                if isSent { try await phone.push() }
                try phone.library.perform(.undo)
                try await phone.push()
                try await laptop.pull()
                #expect(try leaves(phone) == leaves(laptop))
                #expect(try leaves(laptop).dropFirst() == before.dropFirst())
                #expect(try await laptop.text("F.txt") == "edited")
            }
        }
    }

    @Test func `an edit of the chosen version is not replaced by undo`() async throws {
        for isSent in [true, false] {
            try await withConflictOnTwoDevices { laptop, phone in
                try chooseOther(on: phone)
                try await phone.save("F.txt", "edited")
                if isSent { try await phone.push() }
                #expect(throws: Refusal.undo(.isChanged("F"))) { try phone.library.perform(.undo) }
                #expect(try await phone.text("F.txt") == "edited")
                #expect(try phone.entry("F.txt").conflicts == 0)
            }
        }
    }

    @Test func `a document that another device removed is said to be gone`() async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            try await laptop.pull()
            try discard(on: phone)
            try await phone.push()
            try await laptop.pull()
            try await laptop.save("F.txt", "of the laptop")
            try laptop.remove("F.txt")
            try await laptop.push()
            try await phone.pull()
            #expect(throws: Refusal.undo(.isGone("F"))) { try phone.library.perform(.undo) }
            #expect(try phone.names() == ["G.txt"])
        }
    }

    @Test func `the leaves before and after a choice are stored`() async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            let before = try leaves(phone)
            try chooseOther(on: phone)
            let stored = try phone.library.store.catalog.read { try $0.actions(.undo, limit: 1).first }
            let steps = try phone.library.store.catalog.read { try $0.steps(of: try #require(stored).id) }
            guard case .chosen(let choice) = steps.first?.change else {
                Issue.record("no step tells of the choice")
                return
            }
            #expect(choice.before == before)
            #expect(try choice.after == leaves(phone))
        }
    }

    // MARK: An edit that was not sent

    @Test(arguments: [Moment.underWay, .inLog, .read])
    func `a choice replaces a save of this device that is on its way`(moment: Moment) async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            let (_, other) = try await texts(phone)
            try await phone.save("F.txt", "edited")
            try await phone.reach(moment)
            try chooseOther(on: phone)
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try await device.text("F.txt") == other)
                #expect(try device.entry("F.txt").conflicts == 0)
            }
            #expect(try leaves(phone) == leaves(laptop))
        }
    }

    @Test(arguments: [Moment.underWay, .inLog, .read], [false, true])
    func `a save after a choice that is on its way brings no conflict back`(moment: Moment, keepsOther: Bool)
        async throws
    {
        try await withConflictOnTwoDevices { laptop, phone in
            if keepsOther { try chooseOther(on: phone) } else { try discard(on: phone) }
            try await phone.reach(moment)
            try await phone.save("F.txt", "edited")
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try await device.text("F.txt") == "edited")
                #expect(try device.entry("F.txt").conflicts == 0)
            }
            #expect(try leaves(phone) == leaves(laptop))
        }
    }

    /// - Returns: the text of the current version and that of the other one.
    private func texts(_ device: TestDevice) async throws -> (current: String, other: String) {
        let current = try await device.text("F.txt")
        return (current, current == "of the phone" ? "of the laptop" : "of the phone")
    }

    @Test(arguments: [false, true])
    func `undo brings the edit back for which another version was chosen, and redo chooses again`(isCrash: Bool)
        async throws
    {
        try await withConflictOnTwoDevices { laptop, phone in
            let (_, other) = try await texts(phone)
            let before = try leaves(phone)
            try await phone.save("F.txt", "edited")
            try chooseOther(on: phone)
            if isCrash {
                try phone.crash()
                try phone.open()
            }
            for _ in 0..<2 {
                #expect(try await phone.text("F.txt") == other)
                #expect(
                    try phone.library.undoing.listText(.undo).split(separator: "\n").first == "Choose a version of “F”")
                try phone.library.perform(.undo)
                #expect(try await phone.text("F.txt") == "edited")
                #expect(try phone.entry("F.txt").pending.contains(.content))
                #expect(try leaves(phone) == before)
                try phone.library.perform(.redo)
            }
            try phone.library.perform(.undo)
            try await phone.push()
            try await laptop.pull()
            #expect(try await laptop.text("F.txt") == "edited")
            #expect(try laptop.entry("F.txt").conflicts == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: phone.store + "/trash") == [])
        }
    }

    @Test func `an edit for which a version was chosen is in the trash when it can no longer be brought back`()
        async throws
    {
        try await withConflictOnTwoDevices { _, phone in
            try await phone.save("F.txt", "given up")
            try chooseOther(on: phone)
            try await phone.save("F.txt", "edited again")
            for _ in 0..<2 {
                #expect(throws: Refusal.undo(.isChanged("F"))) { try phone.library.perform(.undo) }
            }
            let trashed = try phone.library.transactions.inspect { try phone.library.undoing.trashed($0) }
            let key = try #require(trashed.first).source.key
            try phone.rename("F.txt", to: "H.txt")
            try phone.library.restoreFromTrash(key)
            #expect(try await phone.text("F.txt") == "given up")
            #expect(try await phone.text("H.txt") == "edited again")
        }
    }

    @Test func `a program that has the edit open goes on with it`() async throws {
        try await withConflictOnTwoDevices { _, phone in
            try await phone.save("F.txt", "edited")
            let number = try await phone.open("F.txt", O_RDWR)
            try phone.write("EDITED", to: number)
            try chooseOther(on: phone)
            try phone.write("still at work", to: number)
            phone.library.close(number)
            #expect(try await phone.text("F.txt") == "still at work")
        }
    }

    @Test func `an edit that was given up does not come back as a document when the document leaves the cloud`()
        async throws
    {
        try await withConflictOnTwoDevices { _, phone in
            let (_, other) = try await texts(phone)
            try await phone.save("F.txt", "edited")
            try chooseOther(on: phone)
            try await phone.push()
            phone.advance(seconds: 20)
            try phone.move("F.txt", from: .cloud, to: .local)
            try await phone.push()
            try await phone.pull()
            #expect(try phone.names(in: .local) == ["F.txt"])
            #expect(try await phone.text("F.txt", in: .local) == other)
        }
    }

    // MARK: Versions of another document

    @Test func `an inherited version can be chosen before the container knows of it`() async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            let (_, other) = try await texts(phone)
            try phone.rename("F.txt", to: "G.txt")
            try phone.rename("G.txt", to: "F.txt")
            try chooseOther(on: phone)
            #expect(try await phone.text("F.txt") == other)
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try await device.text("F.txt") == other)
                #expect(try device.entry("F.txt").conflicts == 0)
            }
        }
    }

    @Test func `a document in conflict that came back replaces no other one before the container has it again`()
        async throws
    {
        try await withConflictOnTwoDevices { laptop, phone in
            try phone.remove("F.txt")
            try await phone.push()
            phone.advance(seconds: 20)
            try phone.library.perform(.undo)
            #expect(throws: Refusal.rename(.migration(.inConflict))) { try phone.rename("F.txt", to: "G.txt") }
            #expect(try phone.entry("F.txt").conflicts == 1)
            try await phone.push()
            try phone.rename("F.txt", to: "G.txt")
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.entry("G.txt").conflicts == 1)
        }
    }
}
