import Backing
import Catalog
import Documents
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

    private func heads(_ device: TestDevice) throws -> [VersionID] {
        let entry = try device.entry("F.txt")
        return try device.library.store.catalog.read { try device.library.versionFiles.heads(of: entry, $0) }
    }

    @Test(arguments: [true, false], [true, false])
    func `a choice and its undo reach all devices`(isSentFirst: Bool, discards: Bool) async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            let before = try heads(phone)
            let text = try await phone.text("F.txt")
            if discards { try discard(on: phone) } else { try chooseOther(on: phone) }
            let chosen = try heads(phone)
            #expect(chosen.count == 1 && (chosen[0] == before[0]) == discards)
            if isSentFirst {
                try await phone.push()
                try await laptop.pull()
                #expect(try heads(laptop) == chosen)
            }
            #expect(try phone.library.undoing.listText(.undo).split(separator: "\n").first == "Choose a version of “F”")
            try phone.library.perform(.undo)
            #expect(try heads(phone) == before)
            #expect(try phone.entry("F.txt").conflicts == 1)
            #expect(try await phone.text("F.txt") == text)
            try await phone.push()
            try await laptop.pull()
            #expect(try heads(laptop) == before)
            #expect(try laptop.entry("F.txt").conflicts == 1)
            #expect(try await laptop.text("F.txt") == text)
            try phone.library.perform(.redo)
            #expect(try heads(phone) == chosen)
            try await phone.push()
            try await laptop.pull()
            #expect(try heads(laptop) == chosen)
            #expect(try laptop.entry("F.txt").conflicts == 0)
        }
    }

    @Test func `what one command chooses for one document is one step`() async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            let before = try heads(phone)
            try chooseOther(on: phone)
            try phone.library.perform(.undo)
            try discard(on: phone)
            try phone.library.removeFolder(Array("F.txt.conflicts".utf8), in: .cloud, by: command)
            #expect(try phone.library.undoing.listText(.undo).split(separator: "\n").first == "Choose a version of “F”")
            try phone.library.perform(.undo)
            #expect(try heads(phone) == before)
        }
    }

    @Test func `a discarded version comes back also after an edit, and is in conflict with it`() async throws {
        for isSent in [true, false] {
            try await withConflictOnTwoDevices { laptop, phone in
                let before = try heads(phone)
                try discard(on: phone)
                try await phone.save("F.txt", "edited")
                if isSent { try await phone.push() }
                try phone.library.perform(.undo)
                try await phone.push()
                try await laptop.pull()
                #expect(try heads(phone) == heads(laptop))
                #expect(try heads(laptop).dropFirst() == before.dropFirst())
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

    @Test func `the heads before and after a choice are stored`() async throws {
        try await withConflictOnTwoDevices { laptop, phone in
            let before = try heads(phone)
            try chooseOther(on: phone)
            let stored = try phone.library.store.catalog.read { try $0.actions(.undo, limit: 1).first }
            let steps = try phone.library.store.catalog.read { try $0.steps(of: try #require(stored).id) }
            guard case .chosen(let choice) = steps.first?.change else {
                Issue.record("no step tells of the choice")
                return
            }
            #expect(choice.before == before)
            #expect(try choice.after == heads(phone))
        }
    }
}
