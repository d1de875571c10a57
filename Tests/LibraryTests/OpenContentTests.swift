import Backing
import Catalog
import Documents
import Glibc
@testable import CloudSynchronization
@testable import Library
import ObjectStore
import Replication
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// Documents that a program keeps open for writing are sent as well. In these tests half a second of quiet passes at once, ten
/// seconds pass by command.
@Suite(.timeLimit(.minutes(15)))
struct OpenContentTests {
    /// The number of saves that the log contains.
    private static func sent(_ device: TestDevice) async throws -> Int { try await device.savesInLog }

    /// Sends all content that is ready to be sent.
    private static func attempt(on device: TestDevice) async throws {
        try await device.pull()
        try await device.upload()
        _ = try await device.synchronizer.sender.sendPending()
    }

    /// A device with a document that the cloud has and a program holds open.
    private static func withOpenPlan(
        unseen: Bool = false, _ body: (TestDevice, _ writer: UInt64, Entry) async throws -> Void
    ) async throws {
        try await withDevice(storage: .disk) { device in
            device.stopTime()
            if unseen { device.library.contents.prepareForUnseenWrites() }
            try device.create("Plan.txt", "first version")
            try await device.push()
            let before = try device.entry("Plan.txt")
            let isUnseen = unseen && device.library.canNoticeUnseenWrites
            let writer = isUnseen ? try await device.openUnseen("Plan.txt") : try await device.open("Plan.txt", O_RDWR)
            try await body(device, writer, before)
        }
    }

    private static func write(_ text: String, to writer: UInt64, on device: TestDevice) throws {
        let handle = try device.library.handle(writer)
        if handle.file.isWritable {
            try device.write(text, to: writer)
        } else {
            try device.writeUnseen(text, to: writer)
        }
    }

    /// Writes, and declares the content whole.
    private static func save(_ text: String, with writer: UInt64, on device: TestDevice) throws {
        try write(text, to: writer, on: device)
        try device.library.synchronize(device.library.handle(writer), dataOnly: true)
    }

    /// The first upload is in vain; from the second on a copy is sent.
    @Test func `a document that is saved during each upload is sent, and its last state in the end`() async throws {
        try await Self.withOpenPlan { device, writer, _ in
            @Sendable func save(_ text: String) throws { try Self.save(text, with: writer, on: device) }
            for round in 1...4 {
                try save("SAVE \(round)")
                device.cloud.afterNextUpload { do { try save("MORE \(round)") } catch { Issue.record(error) } }
                device.wait(seconds: 1)
                try await Self.attempt(on: device)
                #expect(try await Self.sent(device) == round - 1)
            }
            device.wait(seconds: 1)
            try await Self.attempt(on: device)
            #expect(try await Self.sent(device) == 4)
        }
    }

    @Test(arguments: [false, true])
    func `a document that a writer keeps open is sent after ten seconds without a change, each time`(unseen: Bool)
        async throws
    {
        try await Self.withOpenPlan(unseen: unseen) { device, writer, before in
            for round in 1...2 {
                try Self.write("CHANGE \(round)", to: writer, on: device)
                try await Self.attempt(on: device)
                device.wait(seconds: 9)
                try await Self.attempt(on: device)
                #expect(try await Self.sent(device) == round - 1)
                #expect(
                    try device.library.stateText(of: before.inode, waitsForCloses: false).contains("uploading: waiting")
                )
                device.wait(seconds: 1)
                try await Self.attempt(on: device)
                #expect(try await Self.sent(device) == round)
                #expect(
                    try device.library.stateText(of: before.inode, waitsForCloses: false).contains(
                        "uploading: uploaded"))
            }
            device.library.close(writer)
            #expect(try device.pendingCount == 0)
            #expect(try await device.text("Plan.txt") == "CHANGE 2rsion")
        }
    }

    @Test func `a change starts the ten seconds anew`() async throws {
        try await Self.withOpenPlan { device, writer, _ in
            for text in ["ONE", "TWO"] {
                try device.write(text, to: writer)
                try await Self.attempt(on: device)
                device.wait(seconds: 9)
            }
            try await Self.attempt(on: device)
            #expect(try await Self.sent(device) == 0)
            device.wait(seconds: 1)
            try await Self.attempt(on: device)
            #expect(try await Self.sent(device) == 1)
        }
    }

    @Test(arguments: [false, true])
    func `content that a writer has synced is sent at once, but not its later writes`(unseen: Bool) async throws {
        try await Self.withOpenPlan(unseen: unseen) { device, writer, _ in
            try Self.write("SYNCED", to: writer, on: device)
            try device.library.synchronize(device.library.handle(writer), dataOnly: true)
            try await Self.attempt(on: device)
            #expect(try await Self.sent(device) == 1)
            try Self.write("NOT YET", to: writer, on: device)
            try await Self.attempt(on: device)
            #expect(try await Self.sent(device) == 1)
        }
    }

    @Test func `a file that was renamed over the document while it is open for writing is sent at once`() async throws {
        try await withTwoDevices { laptop, phone in
            laptop.stopTime()
            phone.stopTime()
            try laptop.create("Plan.txt", "first version")
            try await laptop.push()
            let (_, opening) = try laptop.library.create(
                Array("new.tmp".utf8), in: .cloud, by: Creator(owner: geteuid(), group: getegid(), mode: 0o644),
                flags: O_WRONLY)
            let writer = try laptop.opened(opening)
            try laptop.write("second version", to: writer)
            try laptop.rename("new.tmp", to: "Plan.txt")
            try await Self.attempt(on: laptop)
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "second version")
            laptop.library.close(writer)
        }
    }

    @Test func `a save made before the document was opened is sent while a writer keeps it open unchanged`()
        async throws
    {
        try await withDevice { device in
            device.stopTime()
            try device.create("Plan.txt", "first version")
            try await device.push()
            try await device.save("Plan.txt", "second version")
            let writer = try await device.open("Plan.txt", O_RDWR)
            try await Self.attempt(on: device)
            #expect(try await Self.sent(device) == 1)
            device.library.close(writer)
            #expect(try device.pendingCount == 0)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `content that changes while it is uploaded is not committed`(unseen: Bool, setsTimeBack: Bool) async throws {
        try await Self.withOpenPlan(unseen: unseen) { device, writer, _ in
            try Self.write("ONE", to: writer, on: device)
            try await Self.attempt(on: device)
            device.wait(seconds: 10)
            device.cloud.afterNextUpload {
                do {
                    let before = try device.library.handle(writer).descriptor.status()
                    try Self.write("TWO", to: writer, on: device)
                    if setsTimeBack {
                        #expect(
                            utimensat(
                                AT_FDCWD, try device.backingPath("Plan.txt"), [before.st_atim, before.st_mtim], 0) == 0)
                    }
                } catch { Issue.record(error) }
            }
            try await Self.attempt(on: device)
            #expect(try await Self.sent(device) == 0)
            try await Self.attempt(on: device)
            device.wait(seconds: 10)
            try await Self.attempt(on: device)
            #expect(try await Self.sent(device) == 1)
        }
    }

    @Test func `what overtook a copy is sent at once, also if the answer to the copy's commit was lost`() async throws {
        try await Self.withOpenPlan { device, writer, _ in
            @Sendable func save(_ text: String) throws { try Self.save(text, with: writer, on: device) }
            for round in 1...2 {
                try save("SAVE \(round)")
                device.cloud.afterNextUpload { do { try save("MORE \(round)") } catch { Issue.record(error) } }
                device.wait(seconds: 1)
                if round == 2 { device.cloud.setLog(.losesReply) }
                do { try await Self.attempt(on: device) } catch is LogError {}
            }
            device.cloud.setLog(.works)
            device.library.close(writer)
            device.wait(seconds: 1)
            try await Self.attempt(on: device)
            #expect(try device.pendingCount == 0)
            #expect(try await Self.sent(device) == 2)
        }
    }

    @Test func `a copy counts although the document was saved by renaming, once during its upload and once after it`()
        async throws
    {
        try await withDevice { device in
            device.stopTime()
            try device.create("Plan.txt", "first")
            device.wait(seconds: 1)
            try await Self.attempt(on: device)
            let saves = try await Self.sent(device)
            @Sendable func save(_ text: String) throws {
                try device.create("Plan.tmp", text)
                try device.rename("Plan.tmp", to: "Plan.txt")
            }
            for round in 1...2 {
                try save("SAVE \(round)")
                device.wait(seconds: 1)
                device.cloud.afterNextUpload { do { try save("MORE \(round)") } catch { Issue.record(error) } }
                try await device.upload()
                try save("LAST \(round)")
                _ = try await device.synchronizer.sender.sendPending()
                #expect(try await Self.sent(device) - saves == round - 1)
            }
            #expect(try device.pendingCount == 1)
            device.wait(seconds: 1)
            try await Self.attempt(on: device)
            #expect(try device.pendingCount == 0)
            #expect(try await device.text("Plan.txt") == "LAST 2")
        }
    }

    @Test func `a write between an upload and its commit remains to be sent`() async throws {
        try await Self.withOpenPlan { device, writer, _ in
            try device.write("ONE", to: writer)
            try await Self.attempt(on: device)
            device.wait(seconds: 10)
            try await device.upload()
            try device.write("TWO", to: writer)
            _ = try await device.synchronizer.sender.sendPending()
            #expect(try device.entry("Plan.txt").pending.contains(.content))
            device.library.close(writer)
            try await device.push()
            #expect(try device.pendingCount == 0)
            #expect(try await device.text("Plan.txt") == "TWOst version")
        }
    }

    @Test func `a writer's changes are sent although another, which has closed the file, may still write to a mapping`()
        async throws
    {
        try await Self.withOpenPlan(unseen: true) { device, first, _ in
            guard device.library.canNoticeUnseenWrites else { return }
            try Self.write("ONE", to: first, on: device)
            // docfs cannot tell this descriptor from a mapping.
            var mapping: Descriptor? = try Descriptor.open(device.backingPath("Plan.txt"), O_RDWR)
            let (closed, close) = AsyncStream.makeStream(of: Void.self)
            device.library.whenUnmapped(first) { [library = device.library] in
                library.close(first)
                close.finish()
            }
            try await Self.attempt(on: device)
            device.wait(seconds: 10)
            try await Self.attempt(on: device)
            #expect(try await Self.sent(device) == 0)
            let second = try await device.openUnseen("Plan.txt")
            try await Self.attempt(on: device)
            device.wait(seconds: 10)
            try await Self.attempt(on: device)
            #expect(try await Self.sent(device) == 1)
            device.library.close(second)
            #expect(mapping != nil)
            mapping = nil
            for await _ in closed {}
        }
    }

    @Test func `a document that turns out to be unchanged shows the newer version when it is closed`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, before in
            phone.stopTime()
            let writer = try await phone.open("Plan.txt", O_RDWR)
            try phone.write("FIRST", to: writer)
            try phone.write("first", to: writer)
            try await laptop.save("Plan.txt", "second version")
            try await laptop.push()
            try await phone.pull()
            try await Self.attempt(on: phone)
            phone.wait(seconds: 10)
            try await Self.attempt(on: phone)
            #expect(try phone.pendingCount == 0)
            #expect(try phone.inode("Plan.txt") == before.inode)
            phone.library.close(writer)
            #expect(try phone.inode("Plan.txt") != before.inode)
            #expect(try await phone.text("Plan.txt") == "second version")
            #expect(try phone.entry("Plan.txt").conflicts == 0)
        }
    }

    @Test func `an untitled document is named after its text when that is sent`() async throws {
        try await withDevice { device in
            device.stopTime()
            let (_, opening) = try device.library.create(
                Array("Untitled.txt".utf8), in: .cloud, by: Creator(owner: geteuid(), group: getegid(), mode: 0o644),
                flags: O_WRONLY)
            let writer = try device.opened(opening)
            try device.write("Dear Ada\n", to: writer)
            try await Self.attempt(on: device)
            device.wait(seconds: 10)
            try await Self.attempt(on: device)
            #expect(try device.names() == ["Dear Ada.txt"])
            #expect(try await device.commits.count == 1)
            #expect(try device.pendingCount == 0)
            device.library.close(writer)
        }
    }
}
