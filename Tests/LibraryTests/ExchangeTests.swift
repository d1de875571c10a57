import Catalog
import Documents
@testable import Library
import SystemPackage
import Testing

/// RENAME_EXCHANGE.
struct ExchangeTests {
    @Test(arguments: [("Plan.txt", "link"), ("link", "Plan.txt"), ("link", "Folder"), ("Folder", "link")])
    func `a link can be exchanged only with a link`(name: String, other: String) async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            try device.makeLink("link", to: "Plan.txt", in: .local)
            try device.makeFolder("Folder", in: .local)
            let before = try device.library.list(.local).map { "\($0.name) \($0.node)" }
            #expect(throws: Refusal.rename(.cannotExchange)) {
                try device.rename(name, in: .local, to: other, .exchange)
            }
            #expect(try device.library.list(.local).map { "\($0.name) \($0.node)" } == before)
            #expect(try device.library.readSymbolicLink(device.inode("link", in: .local)) == Array("Plan.txt".utf8))
            #expect(try await device.text("Plan.txt", in: .local) == "plan")
        }
    }

    @Test func `two documents change contents, and keep names and identities`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            try device.create("List.txt", "list of things", in: .local)
            let (plan, list) = (try device.entry("Plan.txt", in: .local), try device.entry("List.txt", in: .local))
            try device.rename("Plan.txt", in: .local, to: "List.txt", .exchange)
            #expect(try await device.text("Plan.txt", in: .local) == "list of things")
            #expect(try await device.text("List.txt", in: .local) == "plan")
            #expect(try device.entry("Plan.txt", in: .local).id == plan.id)
            #expect(try device.entry("List.txt", in: .local).id == list.id)
            #expect(try device.entry("Plan.txt", in: .local).filename == plan.filename)
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `documents of two folders change contents, and stay in their folders`(container: InodeNumber) async throws {
        try await withDevice { device in
            let (here, there) = (
                try device.makeFolder("Here", in: container), try device.makeFolder("There", in: container)
            )
            let plan = try device.create("Plan.txt", "plan", in: here)
            let list = try device.create("List.txt", "list", in: there)
            let (planID, listID) = (
                try device.entry("Plan.txt", in: here).id, try device.entry("List.txt", in: there).id
            )
            try device.rename("Plan.txt", in: here, to: "List.txt", in: there, .exchange)
            #expect(try await device.text("Plan.txt", in: here) == "list")
            #expect(try await device.text("List.txt", in: there) == "plan")
            #expect(try device.entry("Plan.txt", in: here).id == planID)
            #expect(try device.entry("List.txt", in: there).id == listID)
            #expect(try device.inode("Plan.txt", in: here) == list && device.inode("List.txt", in: there) == plan)
        }
    }

    @Test func `an automatic name follows the content that an exchange brings`() async throws {
        try await withDevice { device in
            try device.create("Untitled.txt", "hello", in: .local)
            try device.create("List.txt", "things", in: .local)
            let untitled = try device.entry("hello.txt", in: .local)
            try device.rename(untitled.filename, in: .local, to: "List.txt", .exchange)
            let exchanged = try device.entry(untitled.filename, in: .local)
            #expect(exchanged.id == untitled.id && exchanged.name?.full == "things.txt")
            #expect(try await device.text("things.txt", in: .local) == "things")
        }
    }

    @Test func `folders and links that are exchanged stand where their names stood, on all devices`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in ["A", "B"] { _ = try laptop.makeFolder(name) }
            for name in ["c", "d"] { try laptop.makeLink(name, to: name, in: .cloud) }
            try await laptop.push()
            try await phone.pull()
            try laptop.rename("A", to: "B", .exchange)
            try laptop.rename("d", to: "c", .exchange)
            try await laptop.push()
            try await phone.pull()
            for device in [laptop, phone] {
                #expect(try device.library.list(.cloud).map(\.name) == ["A", "B", "c", "d"])
            }
        }
    }

    @Test func `after an exchange the names of new documents follow the names of their folders`() async throws {
        try await withDevice { device in
            for name in ["Folder", ".hidden"] { _ = try device.makeFolder(name, in: .local) }
            try device.rename("Folder", in: .local, to: ".hidden", .exchange)
            let (folder, hidden) = (try device.inode("Folder", in: .local), try device.inode(".hidden", in: .local))
            for place in [folder, hidden] { try device.create("Plan.txt", "plan", in: place) }
            #expect(try device.entry("Plan.txt", in: folder).filename != "Plan.txt")
            #expect(try device.entry("Plan.txt", in: hidden).filename == "Plan.txt")
        }
    }
}
