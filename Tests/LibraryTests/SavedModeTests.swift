import Backing
import Catalog
import Documents
import Glibc
@testable import Library
import Testing

/// A mode belongs to the file: a file that replaces a document brings its own, and it is sent to other devices.
@Suite(.timeLimit(.minutes(15)))
struct SavedModeTests {
    private static func setMode(_ mode: UInt16, of name: String, on device: TestDevice) throws {
        try device.change(device.inode(name)) { $0.mode = mode }
    }

    private static func mode(of name: String, on device: TestDevice) throws -> UInt16 {
        try device.library.attributes(of: .entry(device.inode(name))).mode
    }

    /// Two devices with a document that `replace` gives another content, with mode 0600; checks that it keeps that mode.
    private static func expectMode(after replace: (TestDevice) throws -> Void) async throws {
        try await withPlanOnTwoDevices { laptop, phone, plan in
            try replace(laptop)
            #expect(try laptop.entry("Plan.txt").id == plan.id)
            #expect(try mode(of: "Plan.txt", on: laptop) == 0o600)
            try await laptop.push()
            #expect(try mode(of: "Plan.txt", on: laptop) == 0o600)
            try await phone.pull()
            #expect(try mode(of: "Plan.txt", on: phone) == 0o600)
            #expect(try phone.entry("Plan.txt").id == plan.id)
        }
    }

    @Test func `a document that is saved by renaming has the mode of the new file`() async throws {
        try await Self.expectMode { device in
            try device.create("new.tmp", "new plan")
            try Self.setMode(0o600, of: "new.tmp", on: device)
            try device.rename("new.tmp", to: "Plan.txt")
        }
    }

    @Test func `a document whose content is exchanged has the mode of the other file`() async throws {
        try await Self.expectMode { device in
            try device.create("List.txt", "list")
            try Self.setMode(0o600, of: "List.txt", on: device)
            try device.rename("List.txt", to: "Plan.txt", .exchange)
            #expect(try Self.mode(of: "List.txt", on: device) == 0o644)
        }
    }

    @Test func `a document that is deleted and created again has the mode that it is created with`() async throws {
        try await Self.expectMode { device in
            try device.remove("Plan.txt")
            try device.create("Plan.txt", "new plan")
            try Self.setMode(0o600, of: "Plan.txt", on: device)
        }
    }

    @Test func `a document that is renamed to a backup leaves its mode to the backup`() async throws {
        try await Self.expectMode { device in
            try device.rename("Plan.txt", to: "Plan.txt~")
            try device.create("new.tmp", "new plan")
            try Self.setMode(0o600, of: "new.tmp", on: device)
            try device.rename("new.tmp", to: "Plan.txt")
        }
    }
}
