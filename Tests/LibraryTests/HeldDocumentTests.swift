import Backing
import Catalog
import Documents
import Glibc
@testable import Library
import Replication
import SystemPackage
import Testing

/// A save is made from the version that its program has. The process with number 42 was started by number 4.
@Suite(.timeLimit(.minutes(3)))
struct HeldDocumentTests {
    private static func withPlan(_ body: (_ laptop: TestDevice, _ phone: TestDevice, Entry) async throws -> Void)
        async throws
    {
        try await withPlanOnTwoDevices { laptop, phone, entry in
            // Seconds count here, and the machine may be slow.
            phone.stopTime()
            try await body(laptop, phone, entry)
        }
    }

    /// The laptop saves the plan, and the phone hears of it.
    private static func overtake(_ phone: TestDevice, from laptop: TestDevice, _ text: String = "from the laptop")
        async throws
    {
        try await laptop.save("Plan.txt", text)
        try await laptop.push()
        try await phone.pull()
    }

    /// Another program reads the newest version, which is here from then on: what is in the file tells nothing any more of what
    /// the others have.
    private static func bringNewest(to phone: TestDevice) async throws { try await reopen(by: 51, on: phone) }

    private static func saveByRenaming(_ text: String, by process: Int32, on device: TestDevice) throws {
        try device.create("new.tmp", text)
        try device.rename("new.tmp", to: "Plan.txt", by: process)
    }

    /// What was saved on the phone is current, and what the laptop had saved is kept beside it.
    private static func expectConflict(
        _ laptop: TestDevice, _ phone: TestDevice, current: String = "from the phone"
    ) async throws {
        try await phone.push()
        try await laptop.pull()
        for device in [laptop, phone] {
            #expect(try device.entry("Plan.txt").conflicts == 1)
            #expect(try await device.text("Plan.txt") == current)
        }
    }

    private static func expectNoConflict(_ laptop: TestDevice, _ phone: TestDevice) async throws {
        try await phone.push()
        try await laptop.pull()
        for device in [laptop, phone] {
            #expect(try device.entry("Plan.txt").conflicts == 0)
            #expect(try await device.text("Plan.txt") == "from the phone")
        }
    }

    // MARK: Held

    @Test(arguments: [O_RDONLY, O_RDWR])
    func `a process that holds an overtaken version saves over that one`(flags: Int32) async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", flags, by: 42)
            try await Self.overtake(phone, from: laptop)
            try await Self.bringNewest(to: phone)
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await Self.expectConflict(laptop, phone)
            phone.library.close(held)
        }
    }

    @Test func `so does a program that the holder started`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", O_RDONLY, by: 4)
            try await Self.overtake(phone, from: laptop)
            try await Self.bringNewest(to: phone)
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await Self.expectConflict(laptop, phone)
            phone.library.close(held)
        }
    }

    @Test func `a reader of another process makes no conflict for who found the newest version`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let reader = try await phone.open("Plan.txt", O_RDONLY, by: 51)
            try await Self.overtake(phone, from: laptop)
            phone.library.close(try await phone.open("Plan.txt", O_RDONLY, by: 42))
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await Self.expectNoConflict(laptop, phone)
            phone.library.close(reader)
        }
    }

    // MARK: Let go of

    /// As LibreOffice does: closes the document, opens it once more, and renames.
    private static func reopen(by process: Int32, on device: TestDevice) async throws {
        device.library.close(try await device.open("Plan.txt", O_RDONLY, by: process))
    }

    @Test(arguments: [O_RDONLY, O_RDWR], [(1, true), (5, false)] as [(Int64, Bool)])
    func `what was let go of less than five seconds ago is held`(
        flags: Int32, after: (seconds: Int64, isHeld: Bool)
    ) async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", flags, by: 42)
            phone.wait(seconds: 1)
            try await Self.overtake(phone, from: laptop)
            phone.library.close(held)
            try await Self.reopen(by: 42, on: phone)
            phone.wait(seconds: after.seconds)
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await after.isHeld ? Self.expectConflict(laptop, phone) : Self.expectNoConflict(laptop, phone)
        }
    }

    @Test func `what was let go of just before the newer version came is held`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", by: 42)
            phone.wait(seconds: 1)
            phone.library.close(held)
            try await Self.overtake(phone, from: laptop)
            try await Self.reopen(by: 42, on: phone)
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await Self.expectConflict(laptop, phone)
        }
    }

    @Test(arguments: [true, false])
    func `who has read it for a moment has what it reads anew`(readsAnew: Bool) async throws {
        try await Self.withPlan { laptop, phone, _ in
            try await Self.reopen(by: 42, on: phone)
            try await Self.overtake(phone, from: laptop)
            try await Self.bringNewest(to: phone)
            if readsAnew { try await Self.reopen(by: 42, on: phone) }
            let writer = try await phone.open("Plan.txt", O_WRONLY | O_TRUNC, by: 42)
            try phone.write("from the phone", to: writer)
            phone.library.close(writer)
            try await readsAnew ? Self.expectNoConflict(laptop, phone) : Self.expectConflict(laptop, phone)
        }
    }

    @Test func `a content that is still arriving is a version that can be held`() async throws {
        try await withPlanElsewhere { laptop, phone in
            phone.cloud.hold()
            guard case .arriving(let inode) = try phone.library.open(phone.inode("Plan.txt"), flags: O_RDONLY) else {
                Issue.record("the plan is here already")
                return
            }
            let opening = Task { try await phone.library.finishOpening(inode, flags: O_RDONLY, by: Caller(thread: 42)) }
            phone.cloud.release()
            let held = try await opening.value.number
            try await Self.overtake(phone, from: laptop)
            try await Self.bringNewest(to: phone)
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await Self.expectConflict(laptop, phone)
            phone.library.close(held)
        }
    }

    // MARK: Ways to save

    @Test(arguments: [true, false])
    func `emptying and writing what was opened anew is a save over the version that is held`(atOnce: Bool) async throws
    {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", O_RDONLY, by: 42)
            try await Self.overtake(phone, from: laptop)
            try await Self.reopen(by: 42, on: phone)
            let writer = try await phone.open("Plan.txt", atOnce ? O_WRONLY | O_TRUNC : O_WRONLY, by: 42)
            if !atOnce { try phone.change(try phone.inode("Plan.txt")) { $0.size = 0 } }
            try phone.write("from the phone", to: writer)
            phone.library.close(writer)
            try await Self.expectConflict(laptop, phone)
            phone.library.close(held)
        }
    }

    @Test func `adding to what was opened anew is an edit of that`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", O_RDONLY, by: 42)
            try await Self.overtake(phone, from: laptop)
            try await Self.reopen(by: 42, on: phone)
            let writer = try await phone.open("Plan.txt", O_WRONLY, by: 42)
            try phone.write("from the phone", to: writer)
            try phone.change(try phone.inode("Plan.txt")) { $0.size = 14 }
            phone.library.close(writer)
            try await Self.expectNoConflict(laptop, phone)
            phone.library.close(held)
        }
    }

    @Test func `so is emptying what has not arrived`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", O_RDONLY, by: 42)
            try await Self.overtake(phone, from: laptop)
            let writer = try await phone.open("Plan.txt", O_WRONLY | O_TRUNC, by: 42)
            try phone.write("from the phone", to: writer)
            phone.library.close(writer)
            try await Self.expectConflict(laptop, phone)
            phone.library.close(held)
        }
    }

    @Test func `so is deleting and creating it anew`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", O_RDONLY, by: 42)
            try await Self.overtake(phone, from: laptop)
            try await Self.bringNewest(to: phone)
            try phone.rename("Plan.txt", to: "Plan.txt~", by: 42)
            try phone.create("new.tmp", "from the phone")
            try phone.rename("new.tmp", to: "Plan.txt", by: 42)
            try await Self.expectConflict(laptop, phone)
            phone.library.close(held)
        }
    }

    @Test func `so is an exchange`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", O_RDONLY, by: 42)
            try await Self.overtake(phone, from: laptop)
            try await Self.reopen(by: 42, on: phone)
            try phone.create("new.tmp", "from the phone")
            try phone.rename("new.tmp", to: "Plan.txt", .exchange, by: 42)
            try await Self.expectConflict(laptop, phone)
            phone.library.close(held)
        }
    }

    // MARK: After the save

    @Test(arguments: [false, true])
    func `a second save follows the first one`(isSentBetween: Bool) async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", O_RDONLY, by: 42)
            try await Self.overtake(phone, from: laptop)
            try await Self.bringNewest(to: phone)
            try Self.saveByRenaming("once", by: 42, on: phone)
            if isSentBetween { try await phone.push() }
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await Self.expectConflict(laptop, phone)
            phone.library.close(held)
        }
    }

    @Test func `a save that fails leaves to its program what it had`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", O_RDONLY, by: 42)
            try await Self.overtake(phone, from: laptop)
            try await Self.bringNewest(to: phone)
            let inode = try phone.inode("Plan.txt")
            #expect(throws: Refusal.file(.ioError)) {
                try phone.library.transactions.mutate { catalog in
                    var entry = try #require(try catalog.entry(inode))
                    phone.library.contents.noteBase(of: &entry, savedBy: Caller(thread: 42), catalog)
                    throw Errno.ioError
                }
            }
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await Self.expectConflict(laptop, phone)
            phone.library.close(held)
        }
    }

    @Test func `what another device makes of the first save is overtaken by the second`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", O_RDONLY, by: 42)
            try Self.saveByRenaming("once", by: 42, on: phone)
            try await phone.push()
            try await laptop.pull()
            try await Self.overtake(phone, from: laptop)
            try await Self.bringNewest(to: phone)
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await Self.expectConflict(laptop, phone)
            phone.library.close(held)
        }
    }

    @Test func `what this device itself replaced is no conflict for who holds it`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", O_RDONLY, by: 42)
            try Self.saveByRenaming("another program", by: 51, on: phone)
            try await phone.push()
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await Self.expectNoConflict(laptop, phone)
            phone.library.close(held)
        }
    }
}
