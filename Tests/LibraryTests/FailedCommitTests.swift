import Backing
import Catalog
import Documents
import Foundation
@testable import Library
import SystemPackage
import Testing

/// A call whose rows cannot be committed has changed nothing: neither rows, nor files, nor the undo list, nor the trash. Each of its commits
/// is refused once; then the call is made again, and succeeds.
@Suite(.timeLimit(.minutes(15)))
struct FailedCommitTests {
    private typealias Call = @Sendable (TestDevice, InodeNumber) throws -> Void

    private static let calls: [(name: String, call: Call)] = [
        ("save by renaming a scratch file", { try $0.rename("Plan.tmp", in: $1, to: "Plan.txt") }),
        ("save by renaming a document", { try $0.rename("List.txt", in: $1, to: "Plan.txt") }),
        (
            "save by renaming into another folder",
            { try $0.rename("Plan.tmp", in: $1, to: "In.txt", in: $0.inode("Folder", in: $1)) }
        ),
        ("restore a version", { try $0.rename(".docfs-restore-1.tmp", in: $1, to: "Plan.txt") }),
        ("rename over a link", { try $0.rename("link", in: $1, to: "other link") }),
        ("rename over a scratch file", { try $0.rename("Plan.tmp", in: $1, to: "Other.tmp") }),
        ("rename over an empty folder", { try $0.rename("Folder", in: $1, to: "Empty") }),
        ("exchange documents", { try $0.rename("Plan.txt", in: $1, to: "List.txt", .exchange) }),
        ("exchange folders", { try $0.rename("Folder", in: $1, to: "Empty", .exchange) }),
        ("name", { try $0.rename("Plan.txt", in: $1, to: "Other.txt") }),
        ("name with another extension", { try $0.rename("Plan.txt", in: $1, to: "Other.md") }),
        ("take a backup name", { try $0.rename("Plan.txt", in: $1, to: "Plan.txt~") }),
        ("take a scratch name", { try $0.rename("Plan.txt", in: $1, to: "Plan.part") }),
        ("cease to be a scratch file", { try $0.rename("Plan.tmp", in: $1, to: "New.txt") }),
        ("move into a folder", { try $0.rename("Plan.txt", in: $1, to: "Plan.txt", in: $0.inode("Folder", in: $1)) }),
        ("rename a folder", { try $0.rename("Folder", in: $1, to: "Other") }),
        ("migrate", { try $0.move("Plan.txt", from: $1, to: Self.other($1)) }),
        ("migrate a folder", { try $0.move("Folder", from: $1, to: Self.other($1)) }),
        ("remove", { try $0.remove("Plan.txt", in: $1) }),
        ("remove a scratch file", { try $0.remove("Plan.tmp", in: $1) }),
        ("remove a folder", { try $0.library.removeFolder(Array("Empty".utf8), in: $1) }),
        (
            "create",
            {
                let creator = Creator(owner: geteuid(), group: getegid(), mode: 0o644)
                _ = try $0.library.create(Array("New.txt".utf8), in: $1, by: creator, flags: O_WRONLY | O_EXCL)
            }
        ),
        ("make a folder", { _ = try $0.makeFolder("New", in: $1) }),
        ("make a link", { try $0.makeLink("new link", to: "x", in: $1) }),
        (
            "set an attribute",
            {
                try $0.library.setExtendedAttribute(
                    "user.colour", to: [7], of: .entry($0.inode("Plan.txt", in: $1)), .either)
            }
        ),
        (
            "set the display name",
            {
                try $0.library.setExtendedAttribute(
                    "user.displayName", to: Array("Other".utf8), of: .entry($0.inode("Plan.txt", in: $1)), .either)
            }
        ),
        (
            "change the mode",
            { device, folder in try device.change(device.inode("Plan.txt", in: folder)) { $0.mode = 0o600 } }
        ),
        (
            "reorder",
            { try $0.library.reorder($1, by: Array(($0.entry("List.txt", in: $1).filename + "\n").utf8)) }
        ),
    ]

    private static func other(_ folder: InodeNumber) -> InodeNumber { folder == .local ? .cloud : .local }

    private func withDocuments(in folder: InodeNumber, _ body: (TestDevice) async throws -> Void) async throws {
        try await withDevice { device in
            for name in ["Plan.txt", "List.txt", "Plan.tmp", "Other.tmp", ".docfs-restore-1.tmp"] {
                try device.create(name, "text of \(name)", in: folder)
            }
            try device.makeFolder("Empty", in: folder)
            try device.create("In.txt", "text of In.txt", in: device.makeFolder("Folder", in: folder))
            for name in ["link", "other link"] { try device.makeLink(name, to: "target of \(name)", in: folder) }
            try await device.push()
            try await body(device)
        }
    }

    /// All that a person can see of a device: entries with their contents, the undo list, the trash, the files in the store.
    private func everything(on device: TestDevice) async throws -> [String] {
        var lines: [String] = []
        for folder in [InodeNumber.local, .cloud] { lines += try await entries(in: folder, of: device) }
        for direction in [ActionDirection.undo, .redo] {
            lines.append("\(direction): " + (try device.library.undoing.listText(direction)))
        }
        for folder in ["trash", "staging", "local", "cloud"] {
            let names = try FileManager.default.subpathsOfDirectory(atPath: device.store + "/" + folder)
            lines.append("\(folder): \(names.sorted())")
        }
        return lines + (try device.library.storeCheck.audit { _ in }.findings.map { "found: \($0.fact)" })
    }

    private func entries(in folder: InodeNumber, of device: TestDevice) async throws -> [String] {
        var lines: [String] = []
        for entry in try device.library.transactions.inspect({ try $0.children(of: folder) }) {
            var line = "\(entry.parent) \(entry.inode) \(entry.filename) \(entry.name?.full ?? "-")"
            line +=
                " \(String(entry.mode, radix: 8)) \(entry.position) \(String(describing: entry.attributes)) \(entry.pending)"
            // A removed folder is made anew.
            if entry.kind != .folder { line += " \(String(describing: entry.evidence))" }
            switch entry.kind {
            case .document, .scratch: line += " " + (try await device.text(entry.filename, in: folder))
            case .symbolicLink:
                line += " " + String(decoding: try device.library.readSymbolicLink(entry.inode), as: UTF8.self)
            case .folder: break
            }
            lines.append(line)
            if entry.kind == .folder { lines += try await entries(in: entry.inode, of: device) }
        }
        return lines
    }

    /// What a transaction does to files is undone by itself (`FileEffects`). The comparison that follows would hide what is missing there.
    @Test(arguments: calls.map(\.name), [InodeNumber.local, .cloud])
    func `a call whose rows are not committed has undone what it did to files, without a comparison`(
        name: String, folder: InodeNumber
    ) async throws {
        let call = try #require(Self.calls.first { $0.name == name }).call
        try await withDocuments(in: folder) { device in
            device.library.store.catalog.setListener(nil)
            try await expectNoChange(by: name, on: device) { try call(device, folder) }
            try await expectNoChange(by: "undo", on: device) { try device.library.perform(.undo) }
            try await expectNoChange(by: "redo", on: device) { try device.library.perform(.redo) }
        }
    }

    @Test(arguments: calls.map(\.name), [InodeNumber.local, .cloud])
    func `a call whose rows are not committed has changed nothing, and so have its undo and redo`(
        name: String, folder: InodeNumber
    ) async throws {
        let call = try #require(Self.calls.first { $0.name == name }).call
        try await withDocuments(in: folder) { device in
            try await expectNoChange(by: name, on: device) { try call(device, folder) }
            try await expectNoChange(by: "undo", on: device) { try device.library.perform(.undo) }
            try await expectNoChange(by: "redo", on: device) { try device.library.perform(.redo) }
        }
    }

    @Test func `an eviction whose rows are not committed has changed nothing`() async throws {
        try await withDocuments(in: .cloud) { device in
            device.library.store.catalog.setListener(nil)
            try await expectNoChange(by: "evict", on: device) { try device.evict("Plan.txt") }
            #expect(try !device.entry("Plan.txt").isHere)
        }
    }

    /// Makes a call again and again: each time one commit later is refused, until none is left.
    private func expectNoChange(by name: String, on device: TestDevice, _ call: () throws -> Void) async throws {
        var before = try await everything(on: device)
        var count = 0
        while try RefusedCommit.refusing(after: count, in: device.library.store.catalog, while: call) {
            let after = try await everything(on: device)
            #expect(
                after == before,
                "\(name), commit \(count): \(after.filter { !before.contains($0) }), not \(before.filter { !after.contains($0) })"
            )
            before = after
            count += 1
        }
        #expect(count > 0, "\(name): nothing was refused")
    }
}
