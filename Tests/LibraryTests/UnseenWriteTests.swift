import Backing
import Catalog
import Documents
import Glibc
@testable import CloudSynchronization
@testable import Library
import Synchronization
import SystemPackage
import TestSupport
import Testing

private let canNoticeUnseenWrites: Bool = {
    let unseenWrites = UnseenWrites()
    var path = Array("/tmp/docfs-unseen-XXXXXX".utf8CString)
    let file = Descriptor(mkstemp(&path))
    unlink(path)
    unseenWrites.probe(with: file)
    return unseenWrites.canBeNoticed
}()

/// Cloud documents that the kernel writes to by itself. Here the test writes to the backing file, and the library does not know of it.
///
/// The tests need leases, and times that tell writes apart (Linux 6.13), as docfs does. Without them all writes go through docfs.
@Suite(.timeLimit(.minutes(15)), .enabled(if: canNoticeUnseenWrites, "needs Linux 6.13 and a file system with leases"))
struct UnseenWriteTests {
    /// A device with a document that the cloud has.
    private static func withPlan(_ body: (TestDevice, Entry) async throws -> Void) async throws {
        try await withDevice(storage: .disk) { device in
            device.library.contents.prepareForUnseenWrites()
            try device.create("Plan.txt", "first version")
            try await device.push()
            try await body(device, try device.entry("Plan.txt"))
        }
    }

    /// Two devices with a document that the cloud has.
    private static func withSharedPlan(_ body: (_ laptop: TestDevice, _ phone: TestDevice, Entry) async throws -> Void)
        async throws
    {
        try await withPlanOnTwoDevices(storage: .disk) { laptop, phone, plan in
            phone.library.contents.prepareForUnseenWrites()
            try await body(laptop, phone, plan)
        }
    }

    /// The phone receives a later version from the laptop.
    private static func overtake(_ phone: TestDevice, from laptop: TestDevice) async throws {
        try await laptop.save("Plan.txt", "second version")
        try makeLater("Plan.txt", on: laptop)
        try await laptop.push()
        try await phone.pull()
    }

    /// Returns when an upload was tried and its result was sent.
    private static func attemptUpload(on device: TestDevice) async throws {
        try await device.work()
        await device.connection.wake.wait(atMost: .seconds(60))
        try await device.work()
    }

    /// Sets a document's time to be the later of two.
    private static func makeLater(_ name: String, on device: TestDevice) throws {
        try device.setModified(name, seconds: 2_000_000_000)
    }

    private static func makePrivate(_ name: String, on device: TestDevice) throws {
        var changes = AttributeChanges()
        changes.mode = 0o600
        _ = try device.library.setAttributes(of: device.entry(name).inode, changes)
    }

    // MARK: Noticed

    @Test func `a write that leaves the size is a save when the file is closed`() async throws {
        try await Self.withPlan { device, _ in
            let writer = try await device.openUnseen("Plan.txt")
            try device.writeUnseen("FIRST", to: writer)
            device.library.close(writer)
            #expect(try device.entry("Plan.txt").pending == .content)
            try await device.push()
            #expect(try await device.savesInLog == 1)
        }
    }

    @Test func `opening for writing without writing is no save`() async throws {
        try await Self.withPlan { device, before in
            let writer = try await device.openUnseen("Plan.txt")
            #expect(
                try device.library.stateText(of: before.inode, waitsForCloses: false).contains("uploading: uploaded"))
            device.library.close(writer)
            #expect(try device.entry("Plan.txt").pending.isEmpty)
        }
    }

    @Test(arguments: [
        "a look at its state", "fsync", "a mode", "a new name", "a move of its folder", "another writer",
        "what others did",
    ])
    func `a write is recorded by each call that could depend on it`(moment: String) async throws {
        try await Self.withSharedPlan { laptop, phone, before in
            let writer = try await phone.openUnseen("Plan.txt")
            try phone.writeUnseen("FIRST", to: writer)
            #expect(try phone.entry("Plan.txt").pending.isEmpty)
            switch moment {
            case "a look at its state":
                #expect(
                    try phone.library.stateText(of: before.inode, waitsForCloses: false).contains("uploading: waiting"))
            case "fsync": try phone.library.synchronize(phone.library.handle(writer), dataOnly: true)
            case "a mode": try Self.makePrivate("Plan.txt", on: phone)
            case "a new name":
                try phone.rename("Plan.txt", to: "Agenda.txt")
                try phone.rename("Agenda.txt", to: "Plan.txt")
            case "a move of its folder":
                // Any folder may be the one that it is in.
                try phone.makeFolder("Folder")
                try phone.rename("Folder", to: "Work")
            case "another writer": phone.library.close(try await phone.openUnseen("Plan.txt"))
            default:
                try laptop.create("Other.txt")
                try await laptop.push()
                try await phone.pull()
            }
            #expect(try phone.entry("Plan.txt").pending.contains(.content))
            try phone.crash()
            try phone.open()
            try await phone.push()
            #expect(try await phone.savesInLog == 1)
        }
    }

    /// A look takes a call for each file, and thousands may be open.
    @Test func `a change looks at the files that it concerns and at no other`() async throws {
        try await Self.withSharedPlan { _, phone, _ in
            let writer = try await phone.openUnseen("Plan.txt")
            try phone.writeUnseen("FIRST", to: writer)
            try phone.create("Other.txt")
            try Self.makePrivate("Other.txt", on: phone)
            try phone.rename("Other.txt", to: "Another.txt")
            try phone.remove("Another.txt")
            #expect(try phone.entry("Plan.txt").pending.isEmpty)
            phone.library.close(writer)
            #expect(try phone.entry("Plan.txt").pending.contains(.content))
        }
    }

    @Test func `a name that means another entry by now concerns all`() async throws {
        try await Self.withSharedPlan { _, phone, _ in
            try phone.create("Other.txt", "other")
            let (other, plan) = try (phone.entry("Other.txt"), phone.entry("Plan.txt"))
            let writer = try await phone.openUnseen("Plan.txt")
            try phone.writeUnseen("FIRST", to: writer)
            var tries = 0
            try phone.library.tree.mutate(names: [("Other.txt", .cloud)]) { _, require in
                tries += 1
                // Another device's commit may have given the name to the second.
                for entry in [other, plan] { try require(entry) }
            }
            #expect(tries == 2)
            #expect(try phone.entry("Plan.txt").pending.contains(.content))
            phone.library.close(writer)
        }
    }

    @Test func `a file that was moved to the cloud is saved, however it is opened and closed`() async throws {
        try await Self.withPlan { device, _ in
            try device.create("Local.txt", "text", in: .local)
            let entry = try device.entry("Local.txt", in: .local)
            let files = OpenFiles()
            let file = OpenFile(entry: entry, descriptor: try device.library.contents.unnamedFile(), isWritable: true)
            let first = files.add(Handle(file: file, canWrite: true))
            #expect(files.isPlain(file))
            files.requireSaves()
            #expect(!files.isPlain(file))
            // An open that found the file before its last handle was closed.
            _ = files.remove(first, at: .now)
            _ = files.add(Handle(file: file, canWrite: true))
            #expect(!files.isPlain(file))
        }
    }

    @Test(arguments: [false, true])
    func `what is written to a backup is kept when a new file continues the document`(isOvertaken: Bool) async throws {
        try await Self.withSharedPlan { laptop, phone, _ in
            let writer = try await phone.openUnseen("Plan.txt")
            if isOvertaken { try await Self.overtake(phone, from: laptop) }
            try phone.rename("Plan.txt", to: "Plan.txt~")
            try phone.writeUnseen("FIRST", to: writer)
            try phone.create("Plan.txt", "third version")
            phone.library.close(writer)
            for device in [phone, laptop, phone] {
                try await device.push()
                try await device.pull()
            }
            #expect(try await laptop.text("Plan.txt") == "third version")
            #expect(try await phone.text("Plan.txt~") == "FIRST version")
        }
    }

    @Test func `a write is recorded although the file's time was set back after it`() async throws {
        try await Self.withPlan { device, before in
            let writer = try await device.openUnseen("Plan.txt")
            try device.writeUnseen("FIRST", to: writer)
            try device.change(before.inode) { $0.modified = .at(before.modified) }
            device.library.close(writer)
            #expect(try device.entry("Plan.txt").pending.contains(.content))
        }
    }

    @Test func `setting the time of an open file is no save, and a write after it is one`() async throws {
        try await Self.withPlan { device, _ in
            let writer = try await device.openUnseen("Plan.txt")
            try Self.makeLater("Plan.txt", on: device)
            #expect(try device.entry("Plan.txt").pending == .modified)
            try device.writeUnseen("FIRST", to: writer)
            device.library.close(writer)
            #expect(try device.entry("Plan.txt").pending.contains(.content))
        }
    }

    @Test func `the last of several writers to close saves`() async throws {
        try await Self.withPlan { device, before in
            let first = try await device.openUnseen("Plan.txt")
            let second = try await device.openUnseen("Plan.txt")
            device.library.close(first)
            try device.writeUnseen("SECOND", to: second)
            _ = try await device.openUnseen("Plan.txt", O_RDONLY)
            device.library.close(second)
            #expect(try device.entry("Plan.txt").pending == .content)
            #expect(
                try device.library.store.catalog.read { try $0.entry(before.inode)?.revision } ?? 0 > before.revision)
        }
    }

    @Test func `a write that could not be recorded is still to be recorded, also when the file is opened anew`()
        async throws
    {
        try await Self.withPlan { device, before in
            let writer = try await device.openUnseen("Plan.txt")
            try device.writeUnseen("FIRST", to: writer)
            let unseenWrites = device.library.unseenWrites
            #expect(throws: Errno.noSpace) { try unseenWrites.recordWritten { _ in throw Errno.noSpace } }
            let file = try OpenFile(
                entry: before, descriptor: device.library.handle(writer).descriptor.reopened(O_RDONLY),
                isWritable: false)
            try unseenWrites.watch(file)
            #expect(unseenWrites.written().map(\.inode) == [before.inode])
        }
    }

    @Test func `setting times hides no earlier write`() async throws {
        try await Self.withPlan { device, before in
            let writer = try await device.openUnseen("Plan.txt")
            try device.writeUnseen("FIRST", to: writer)
            device.library.unseenWrites.settingTimes(of: before.inode) {}
            device.library.close(writer)
            #expect(try device.entry("Plan.txt").pending == .content)
        }
    }

    @Test func `where writes to mappings change no times, unseen writes cannot be noticed`() throws {
        var path = Array("/dev/shm/docfs-unseen-XXXXXX".utf8CString)
        let number = mkstemp(&path)
        try #require(number >= 0)
        unlink(path)
        let unseenWrites = UnseenWrites()
        unseenWrites.probe(with: Descriptor(number))
        #expect(!unseenWrites.canBeNoticed)
    }

    // MARK: Versions of other devices

    @Test func `an unseen write after a newer version was received is a conflict`() async throws {
        try await Self.withSharedPlan { laptop, phone, before in
            let writer = try await phone.openUnseen("Plan.txt")
            try await Self.overtake(phone, from: laptop)
            try phone.writeUnseen("FIRST", to: writer)
            phone.library.close(writer)
            try await phone.push()
            #expect(try phone.entry("Plan.txt").conflicts == 1)
            #expect(try await phone.text("Plan.txt") == "second version")
            try await laptop.pull()
            #expect(try laptop.entry("Plan.txt").conflicts == 1)
        }
    }

    @Test func `a document that was not written to shows the newer version when it is closed`() async throws {
        try await Self.withSharedPlan { laptop, phone, before in
            let writer = try await phone.openUnseen("Plan.txt")
            try await laptop.save("Plan.txt", "second version")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.inode("Plan.txt") == before.inode)
            phone.library.close(writer)
            #expect(try phone.inode("Plan.txt") != before.inode)
            #expect(try phone.pendingCount == 0)
            #expect(try await phone.text("Plan.txt") == "second version")
        }
    }

    @Test(arguments: [true, false])
    func `writes to an overtaken file are found after a crash`(isWritten: Bool) async throws {
        try await Self.withSharedPlan { laptop, phone, before in
            let writer = try await phone.openUnseen("Plan.txt")
            try await Self.overtake(phone, from: laptop)
            if isWritten { try phone.writeUnseen("FIRST", to: writer) }
            try phone.crash()
            try phone.open()
            try await phone.push()
            #expect(try phone.entry("Plan.txt").conflicts == (isWritten ? 1 : 0))
            #expect(try await phone.text("Plan.txt") == "second version")
        }
    }

    @Test func `another device's time for a file that is open is no save of it`() async throws {
        try await Self.withSharedPlan { laptop, phone, _ in
            let writer = try await phone.openUnseen("Plan.txt")
            try Self.makeLater("Plan.txt", on: laptop)
            try await laptop.push()
            try await phone.pull()
            phone.library.close(writer)
            #expect(try phone.pendingCount == 0)
            #expect(try phone.entry("Plan.txt").modified == Timestamp(seconds: 2_000_000_000, nanoseconds: 0))
        }
    }

    // MARK: Mappings

    @Test func `a file that is still mapped is open until the mapping goes`() async throws {
        try await Self.withPlan { device, before in
            let writer = try await device.openUnseen("Plan.txt")
            let mapping = try Mapping(device.backingPath("Plan.txt"))
            let closed = Task { [library = device.library] in
                await withCheckedContinuation { continuation in
                    library.whenUnmapped(writer) {
                        library.close(writer)
                        continuation.resume()
                    }
                }
            }
            #expect(device.library.openFiles.isOpenForWriting(before.inode))
            mapping.write("FIRST")
            #expect(try device.entry("Plan.txt").pending.isEmpty)
            mapping.end()
            await closed.value
            #expect(!device.library.openFiles.isOpen(before.inode))
            #expect(try device.entry("Plan.txt").pending == .content)
        }
    }

    @Test func `only the last writer waits for mappings`() async throws {
        try await Self.withPlan { device, before in
            let closed = Mutex<[UInt64]>([])
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            func close(_ writer: UInt64) {
                device.library.whenUnmapped(writer) { [library = device.library] in
                    library.close(writer)
                    closed.withLock { $0.append(writer) }
                    end.yield()
                }
            }
            let first = try await device.openUnseen("Plan.txt")
            let second = try await device.openUnseen("Plan.txt")
            let mapping = try Mapping(device.backingPath("Plan.txt"))
            close(first)
            #expect(closed.withLock { $0 } == [first])
            close(second)
            let third = try await device.openUnseen("Plan.txt")
            close(third)
            #expect(closed.withLock { $0 } == [first, third])
            #expect(device.library.openFiles.isOpenForWriting(before.inode))
            mapping.end()
            var ends = ended.makeAsyncIterator()
            for _ in 0..<3 { _ = await ends.next() }
            #expect(closed.withLock { $0 } == [first, third, second])
            #expect(!device.library.openFiles.isOpen(before.inode))
        }
    }

    @Test(arguments: [true, false])
    func `a process that had a document open when docfs ended may write to it when docfs is back`(isWritten: Bool)
        async throws
    {
        try await Self.withPlan { device, _ in
            let file = try Descriptor.open(device.backingPath("Plan.txt"), O_RDWR)
            try device.crash()
            try device.open(asksForLeases: true)
            #expect(try device.entry("Plan.txt").pending == .content)
            if isWritten { #expect(pwrite(file.number, "FIRST", 5, 0) == 5) }
            try await Self.attemptUpload(on: device)
            #expect(try await device.savesInLog == 0)
            #expect(try device.entry("Plan.txt").pending == .content)
            withExtendedLifetime(file) {}
        }
    }

    @Test func `a store that is closed while a process may go on writing is compared when it is opened`() async throws {
        try await Self.withPlan { device, _ in
            let writer = try await device.openUnseen("Plan.txt")
            let file = try device.library.handle(writer).descriptor.reopened(O_RDWR)
            // Once the write is recorded, the file is no longer watched.
            try device.writeUnseen("FIRST", to: writer)
            try device.library.transactions.recordUnseenWrites()
            try device.close()
            try device.open(asksForLeases: true)
            try await Self.attemptUpload(on: device)
            #expect(try await device.savesInLog == 0)
            withExtendedLifetime(file) {}
        }
    }

    @Test(arguments: [true, false])
    func `writes by such a process are sent when it closes the document, and nothing if it wrote nothing`(
        isWritten: Bool
    )
        async throws
    {
        try await Self.withPlan { device, _ in
            var file: Descriptor? = try Descriptor.open(device.backingPath("Plan.txt"), O_RDWR)
            try device.crash()
            try device.open(asksForLeases: true)
            if isWritten { #expect(pwrite(try #require(file).number, "FIRST", 5, 0) == 5) }
            file = nil
            try await device.push()
            #expect(try await device.savesInLog == (isWritten ? 1 : 0))
            #expect(try device.pendingCount == 0)
        }
    }

    @Test func `a file that is not mapped is closed at once`() async throws {
        try await Self.withPlan { device, _ in
            let writer = try await device.openUnseen("Plan.txt")
            // As fallocate, a write that reaches docfs.
            try device.write("FIRST", to: writer)
            let count = Atomic<Int>(0)
            device.library.whenUnmapped(writer) { count.add(1, ordering: .relaxed) }
            #expect(count.load(ordering: .relaxed) == 1)
            device.library.close(writer)
        }
    }

    @Test func `a document that was mapped before it moved to the cloud is sent when the mapping is gone`() async throws
    {
        try await withTwoDevices(storage: .disk) { laptop, phone in
            laptop.library.contents.prepareForUnseenWrites()
            try laptop.create("Plan.txt", "first version", in: .local)
            let mapping = try Mapping(laptop.backingPath("Plan.txt", in: .local))
            // Once a page is dirty, further writes to it change no time.
            mapping.write("first")
            try laptop.move("Plan.txt", from: .local, to: .cloud)
            try await Self.attemptUpload(on: laptop)
            #expect(try await laptop.commits.isEmpty)
            mapping.write("FIRST")
            mapping.end()
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "FIRST version")
        }
    }
}

/// A file mapped for writing, whose descriptor is closed.
private final class Mapping {
    private let memory: UnsafeMutableRawPointer

    init(_ path: String) throws {
        let file = try Descriptor.open(path, O_RDWR)
        let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0)
        guard let memory, memory != MAP_FAILED else { throw Errno(rawValue: errno) }
        self.memory = memory
    }

    func write(_ text: String) { memory.copyMemory(from: Array(text.utf8), byteCount: text.utf8.count) }

    func end() { munmap(memory, 4096) }
}
