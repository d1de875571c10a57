import Backing
import Catalog
import Documents
import Glibc
@testable import Library
import Replica
import Replication
import SystemPackage
import Testing

/// A save is made from the version that its program has. The process with number 42 was started by number 4.
@Suite(.timeLimit(.minutes(15)))
struct HeldDocumentTests {
    private static func withPlan(_ body: (_ laptop: TestDevice, _ phone: TestDevice, Entry) async throws -> Void)
        async throws
    {
        try await withPlanOnTwoDevices { laptop, phone, entry in
            // These tests depend on seconds, and the machine may be slow.
            phone.stopTime()
            try await body(laptop, phone, entry)
        }
    }

    /// The laptop saves the plan, and the phone receives that.
    private static func overtake(_ phone: TestDevice, from laptop: TestDevice, _ text: String = "from the laptop")
        async throws
    {
        try await laptop.save("Plan.txt", text)
        try await laptop.push()
        try await phone.pull()
    }

    /// Another program reads the newest version, which is installed thereby: the file no longer has the version that the others hold.
    private static func bringNewest(to phone: TestDevice) async throws { try await reopen(by: 51, on: phone) }

    private static func saveByRenaming(_ text: String, by process: Int32, on device: TestDevice) throws {
        try device.create("new.tmp", text)
        try device.rename("new.tmp", to: "Plan.txt", by: process)
    }

    /// The version saved on the phone is current, and that of the laptop is a conflict version.
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

    @Test func `a reader in another process makes no conflict for a save over the newest version`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let reader = try await phone.open("Plan.txt", O_RDONLY, by: 51)
            try await Self.overtake(phone, from: laptop)
            phone.library.close(try await phone.open("Plan.txt", O_RDONLY, by: 42))
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await Self.expectNoConflict(laptop, phone)
            phone.library.close(reader)
        }
    }

    // MARK: Closed

    /// As LibreOffice does: closes the document, opens it once more, and renames.
    private static func reopen(by process: Int32, on device: TestDevice) async throws {
        device.library.close(try await device.open("Plan.txt", O_RDONLY, by: process))
    }

    @Test(arguments: [O_RDONLY, O_RDWR], [(1, true), (5, false)] as [(Int64, Bool)])
    func `a version that was closed less than five seconds ago is held`(
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

    @Test func `a version that is restored replaces the newest one, whichever its shell had open`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", O_RDONLY, by: 4)
            try await Self.overtake(phone, from: laptop)
            try await Self.bringNewest(to: phone)
            var random = SystemRandomNumberGenerator()
            let scratch = RestoredVersionName.make(using: &random)
            try phone.create(scratch, "restored")
            try phone.rename(scratch, to: "Plan.txt", by: 42)
            phone.library.close(held)
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.entry("Plan.txt").conflicts == 0)
                #expect(try await device.text("Plan.txt") == "restored")
            }
        }
    }

    @Test func `a version that was closed just before the newer one was received is held`() async throws {
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
    func `a process that had it open for a moment holds what it reads anew`(readsAnew: Bool) async throws {
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

    @Test func `content that is still arriving can be held`() async throws {
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
    func `truncating and writing a document that was opened anew is a save over the held version`(atOnce: Bool)
        async throws
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

    @Test func `appending to a document that was opened anew is an edit of the newest version`() async throws {
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

    @Test func `truncating and writing content that has not arrived is a save over the held version`() async throws {
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

    @Test func `renaming to a backup and creating anew is a save over the held version`() async throws {
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

    @Test func `an exchange is a save over the held version`() async throws {
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
    func `a second save is made from the first one`(isSentBetween: Bool) async throws {
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

    @Test func `after a save that fails the program still holds its version`() async throws {
        try await Self.withPlan { laptop, phone, _ in
            let held = try await phone.open("Plan.txt", O_RDONLY, by: 42)
            try await Self.overtake(phone, from: laptop)
            try await Self.bringNewest(to: phone)
            let inode = try phone.inode("Plan.txt")
            #expect(throws: Refusal.file(.ioError)) {
                try phone.library.transactions.mutate { transaction in
                    var entry = try #require(try transaction.entry(inode))
                    phone.library.contents.setBaseVersion(of: &entry, savedBy: Caller(thread: 42), transaction)
                    throw Errno.ioError
                }
            }
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await Self.expectConflict(laptop, phone)
            phone.library.close(held)
        }
    }

    @Test func `an edit of the first save by another device is in conflict with the second save`() async throws {
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

    @Test func `after a kill a save replaces the newest version, which stays among the former ones`() async throws {
        try await Self.withPlan { laptop, phone, plan in
            try await Self.reopen(by: 42, on: phone)
            try await Self.overtake(phone, from: laptop)
            try await Self.bringNewest(to: phone)
            let unseen = try #require(try phone.entry("Plan.txt").currentVersion)
            try phone.crash()
            try phone.open()
            try Self.saveByRenaming("from the phone", by: 42, on: phone)
            try await Self.expectNoConflict(laptop, phone)
            for device in [laptop, phone] {
                let committed = try device.library.store.read { try CatalogReplica($0).entry(#require(plan.id)) }
                #expect(committed?.versions?.superseded.contains { $0.version.id == unseen } == true)
            }
        }
    }

    @Test func `a version that this device itself replaced makes no conflict for a program that holds it`() async throws
    {
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
