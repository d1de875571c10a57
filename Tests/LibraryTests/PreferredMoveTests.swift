import Backing
import Catalog
@testable import CloudSynchronization
import Documents
import Glibc
@testable import Library
import Testing

/// The move of everything to the preferred location.
@Suite(.timeLimit(.minutes(15)))
struct PreferredMoveTests {
    private static func prefer(_ text: String, on device: TestDevice) throws {
        try device.library.setPreferredLocation(text: Array(text.utf8))
        device.library.preferredLocation.waitUntilMoved()
    }

    private static func state(_ device: TestDevice) throws -> String {
        try device.library.stateText(of: .documents, waitsForCloses: false)
    }

    @Test func `everything at the top moves, scratch files stay`() async throws {
        try await withDevice { device in
            try device.create("a.txt", "a", in: .local)
            let folder = try device.makeFolder("Work", in: .local)
            try device.create("b.txt", "b", in: folder)
            try device.makeLink("link", to: "a.txt", in: .local)
            try device.create("c.tmp", "c", in: .local)
            let row = try device.entry("a.txt", in: .local)
            try Self.prefer("cloud\n", on: device)
            #expect(try device.names(in: .cloud) == ["Work", "a.txt", "link"])
            #expect(try device.names(in: .local) == ["c.tmp"])
            let moved = try device.entry("a.txt")
            #expect(moved.id == row.id && moved.filename == row.filename && moved.name == row.name)
            #expect(try await device.text("b.txt", in: device.inode("Work")) == "b")
            #expect(try Self.state(device).hasPrefix("preferred: cloud\nlocal.documents: 0\ncloud.documents: 2\n"))
            try await device.push()
            try Self.prefer("local", on: device)
            #expect(try device.names(in: .cloud) == [])
            #expect(try device.names(in: .local) == ["Work", "a.txt", "c.tmp", "link"])
        }
    }

    @Test func `what cannot move stays, is named, and is tried again on request`() async throws {
        try await withConflictOnTwoDevices { _, phone in
            try phone.makeLink("Work", to: "x", in: .local)
            try phone.makeFolder("Work")
            try Self.prefer("cloud", on: phone)
            #expect(try Self.state(phone).contains("preferred.stayed: Work: "))
            try Self.prefer("local", on: phone)
            let state = try Self.state(phone)
            #expect(state.contains("preferred.stayed: F.txt: a document in conflict does not leave the cloud\n"))
            #expect(state.contains("preferred.stayed: Work: "))
            #expect(!state.contains("preferred.moving"))
            #expect(try phone.names(in: .cloud) == ["F.txt", "Work"])
            #expect(try phone.names(in: .local) == ["G.txt", "Work"])
            try phone.library.removeFolder(Array("F.txt.conflicts".utf8), in: .cloud)
            try phone.rename("Work", in: .local, to: "Other")
            try Self.prefer("local", on: phone)
            #expect(try phone.names(in: .cloud) == [])
            #expect(try !Self.state(phone).contains("preferred.stayed"))
        }
    }

    /// Each step is undone with the rest.
    @Test func `a folder moves into one of its name, and what is in it with it`() async throws {
        try await withDevice { device in
            for (location, text) in [(InodeNumber.local, "here"), (.cloud, "there")] {
                let work = try device.makeFolder("Work", in: location)
                let inner = try device.makeFolder("2026", in: work)
                try device.create("Plan.txt", text, in: work)
                try device.create("Plan.txt", "inner \(text)", in: inner)
            }
            let here = try device.inode("Work", in: .local)
            try device.create("draft.tmp", "draft", in: here)
            // The lock of Emacs: a link that is no entry of the container.
            try device.makeLink(".#Plan.txt", to: "anna@host.1", in: here)
            try device.create("b.txt", "b", in: device.makeFolder("Only here", in: here))
            func tree() throws -> [[String]] {
                try [InodeNumber.local, .cloud].flatMap { location in
                    guard device.exists("Work", in: location) else { return [try device.names(in: location)] }
                    let work = try device.inode("Work", in: location)
                    return [
                        try device.names(in: location), try device.names(in: work),
                        try device.names(in: device.inode("2026", in: work)),
                    ]
                }
            }
            let before = try tree()
            try Self.prefer("cloud", on: device)
            let merged = [
                [], ["Work"], [".#Plan.txt", "2026", "Only here", "Plan.txt", "Plan.txt", "draft.tmp"],
                ["Plan.txt", "Plan.txt"],
            ]
            #expect(try tree() == merged)
            #expect(try !Self.state(device).contains("preferred.stayed"))
            #expect(try device.library.storeCheck.audit { _ in }.findings.isEmpty)
            try device.library.perform(.undo)
            device.library.preferredLocation.waitUntilMoved()
            var undone = before
            undone[1].removeAll { $0 == "draft.tmp" || $0 == ".#Plan.txt" }
            undone[4] = ([".#Plan.txt"] + undone[4] + ["draft.tmp"])
            #expect(try tree() == undone)
            try device.library.perform(.redo)
            device.library.preferredLocation.waitUntilMoved()
            #expect(try tree() == merged)
        }
    }

    @Test func `what stays of a folder is named with its folder, and moves when it can`() async throws {
        try await withConflictOnTwoDevices { _, phone in
            let work = try phone.makeFolder("Work")
            try phone.rename("F.txt", in: .cloud, to: "F.txt", in: work)
            try phone.create("Plan.txt", "plan", in: work)
            try phone.makeFolder("Work", in: .local)
            try Self.prefer("cloud", on: phone)
            try phone.makeFolder("Work", in: .local)
            try Self.prefer("local", on: phone)
            let state = try Self.state(phone)
            #expect(state.contains("preferred.stayed: Work/F.txt: a document in conflict does not leave the cloud\n"))
            #expect(try phone.names(in: phone.inode("Work")) == ["F.txt"])
            #expect(try phone.names(in: phone.inode("Work", in: .local)) == ["Plan.txt"])
            try phone.library.removeFolder(Array("F.txt.conflicts".utf8), in: phone.inode("Work"))
            try Self.prefer("local", on: phone)
            #expect(try phone.names(in: .cloud) == [])
            #expect(try phone.names(in: phone.inode("Work", in: .local)) == ["F.txt", "Plan.txt"])
            #expect(try !Self.state(phone).contains("preferred.stayed"))
        }
    }

    @Test func `what is not here stays while the cloud cannot be reached`() async throws {
        try await withPlanElsewhere { _, phone in
            try Self.prefer("cloud", on: phone)
            _ = phone.connection.set(.offline("the line is cut"))
            try Self.prefer("local", on: phone)
            #expect(try Self.state(phone).contains("preferred.stayed: Plan.txt: "))
            #expect(try phone.names(in: .cloud) == ["Plan.txt"])
            _ = phone.connection.set(.online)
            try Self.prefer("local", on: phone)
            try await phone.push()
            #expect(try await phone.text("Plan.txt", in: .local) == "first version")
        }
    }

    @Test func `a move that was interrupted goes on at the next start`() async throws {
        try await withDevice { device in
            for name in ["a.txt", "b.txt", "c.txt"] { try device.create(name, name, in: .local) }
            // As a kill leaves it: the location and what is to move are stored, the first has moved, and its row is there still.
            try device.library.store.write { transaction in
                try transaction.set(.preferredLocation, "cloud")
                let count = try transaction.planPreferredMoves(from: .local)
                try transaction.set(.preferredMoveCount, String(count))
            }
            try device.move("a.txt", from: .local, to: .cloud)
            #expect(try Self.state(device).contains("preferred.moving: 0 of 3\n"))
            try device.crash()
            try device.open()
            device.library.preferredLocation.waitUntilMoved()
            #expect(try device.names(in: .cloud) == ["a.txt", "b.txt", "c.txt"])
            #expect(try !Self.state(device).contains("preferred.moving"))
            #expect(device.library.preferredLocationText == "cloud\n")
        }
    }

    @Test func `what is made at the other location afterwards stays there`() async throws {
        try await withDevice { device in
            try Self.prefer("cloud", on: device)
            try device.create("a.txt", "a", in: .local)
            try Self.prefer("cloud", on: device)
            try device.close()
            try device.open()
            device.library.preferredLocation.waitUntilMoved()
            #expect(try device.names(in: .local) == ["a.txt"])
            try device.create("b.txt", "b", in: .documents)
            #expect(try device.names(in: .cloud) == ["b.txt"])
        }
    }

    @Test func `another word changes nothing`() async throws {
        try await withDevice { device in
            #expect(throws: Refusal.unknownLocation) { try Self.prefer("nas", on: device) }
            #expect(device.library.preferredLocationText == "local\n")
        }
    }

    @Test func `undo takes the preferred location back, and redo sets it again`() async throws {
        try await withDevice { device in
            for name in ["a.txt", "b.txt"] { try device.create(name, name, in: .local) }
            try Self.prefer("cloud", on: device)
            #expect(try device.library.actionListText(.undo).hasPrefix("Move 2 documents to the cloud\n"))
            try device.library.perform(.undo)
            #expect(device.library.preferredLocationText == "local\n")
            #expect(try device.names(in: .local) == ["a.txt", "b.txt"])
            try device.close()
            try device.open()
            #expect(device.library.preferredLocationText == "local\n")
            try device.library.perform(.redo)
            #expect(device.library.preferredLocationText == "cloud\n")
            #expect(try device.names(in: .cloud) == ["a.txt", "b.txt"])
            #expect(try Self.state(device).hasPrefix("preferred: cloud\n"))
        }
    }

    @Test func `where nothing moved, undo takes back the preferred location alone`() async throws {
        try await withDevice { device in
            try Self.prefer("cloud", on: device)
            #expect(try device.library.actionListText(.undo) == "Change the preferred location to cloud\n")
            try device.library.perform(.undo)
            #expect(device.library.preferredLocationText == "local\n")
            #expect(try device.library.actionListText(.redo) == "Change the preferred location to cloud\n")
            try Self.prefer("local", on: device)
            #expect(try device.library.actionListText(.redo) == "Change the preferred location to cloud\n")
        }
    }

    @Test func `a move that goes on at the next start is one action with what moved before`() async throws {
        try await withDevice { device in
            for name in ["a.txt", "b.txt", "c.txt"] { try device.create(name, name, in: .local) }
            // As a kill leaves it when one document has moved.
            try device.library.store.write { transaction in
                try transaction.set(.preferredLocation, "cloud")
                _ = try transaction.planPreferredMoves(from: .local)
                try device.library.actions.recordPreference(for: .cloud, transaction)
            }
            let name = Array("a.txt".utf8)
            try device.library.tree.rename(name, in: .local, to: name, in: .cloud, options: [], by: .preferredMove)
            try device.crash()
            try device.open()
            device.library.preferredLocation.waitUntilMoved()
            #expect(try device.library.actionListText(.undo).hasPrefix("Move 3 documents to the cloud\nCreate"))
            try device.library.perform(.undo)
            #expect(try device.names(in: .local) == ["a.txt", "b.txt", "c.txt"])
            #expect(device.library.preferredLocationText == "local\n")
        }
    }

    @Test func `what moves when it is tried again is an action of its own`() async throws {
        try await withDevice { device in
            try device.create("a.txt", "a", in: .local)
            try device.makeFolder("Work", in: .local)
            try device.makeLink("Work", to: "a.txt")
            try Self.prefer("cloud", on: device)
            try device.rename("Work", in: .cloud, to: "Other")
            try Self.prefer("cloud", on: device)
            #expect(
                try device.library.actionListText(.undo).split(separator: "\n").prefix(3) == [
                    "Move folder “Work” to the cloud", "Rename link “Work” to “Other”", "Move “a” to the cloud",
                ])
            for _ in 0..<2 { try device.library.perform(.undo) }
            #expect(device.library.preferredLocationText == "cloud\n")
            try device.library.perform(.undo)
            #expect(device.library.preferredLocationText == "local\n")
            #expect(try device.names(in: .local) == ["Work", "a.txt"])
            #expect(try device.names(in: .cloud) == ["Work"])
        }
    }
}
