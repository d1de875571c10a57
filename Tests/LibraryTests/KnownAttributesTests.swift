import Backing
import Catalog
import Documents
import Glibc
@testable import Library
import SystemPackage
import Testing

/// The result of lstat(2) is remembered until the file may have changed: it is always the result that lstat(2) would return now.
@Suite(.timeLimit(.minutes(15)))
struct KnownAttributesTests {
    private static func backingStatus(_ name: String, in folder: InodeNumber, of device: TestDevice) throws -> stat {
        var status = stat()
        guard lstat(try device.backingPath(name, in: folder), &status) == 0 else { throw Errno(rawValue: errno) }
        return status
    }

    private static func attributes(_ name: String, in folder: InodeNumber, of device: TestDevice) throws
        -> FileAttributes
    {
        try device.library.attributes(of: .entry(device.inode(name, in: folder)))
    }

    private static func isKnown(_ name: String, in folder: InodeNumber, of device: TestDevice) throws -> Bool {
        let inode = try device.inode(name, in: folder)
        return try device.library.transactions.inspect { $0.status(of: inode) != nil }
    }

    /// Checks that the attributes are those of the file, and remembered from now on.
    private static func expectTrue(_ name: String = "Plan.txt", in folder: InodeNumber, of device: TestDevice) throws {
        var expected = FileAttributes(try backingStatus(name, in: folder, of: device))
        let entry = try device.entry(name, in: folder)
        expected.mode = entry.mode
        // An arrival is no change.
        expected.changed = entry.timeOfChange(expected.changed)
        #expect(try attributes(name, in: folder, of: device) == expected)
        #expect(try isKnown(name, in: folder, of: device))
        #expect(try attributes(name, in: folder, of: device) == expected)
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `remembered attributes are the file's, whatever is done to it`(folder: InodeNumber) async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: folder)
            try Self.expectTrue(in: folder, of: device)
            try await device.save("Plan.txt", "a longer plan", in: folder)
            try Self.expectTrue(in: folder, of: device)
            try device.change(device.inode("Plan.txt", in: folder)) { $0.size = 5 }
            try Self.expectTrue(in: folder, of: device)
            try device.change(device.inode("Plan.txt", in: folder)) { $0.mode = 0o600 }
            try Self.expectTrue(in: folder, of: device)
            try device.change(device.inode("Plan.txt", in: folder)) {
                $0.accessed = .at(Timestamp(seconds: 1000, nanoseconds: 5))
            }
            try Self.expectTrue(in: folder, of: device)
            try device.change(device.inode("Plan.txt", in: folder)) {
                $0.modified = .at(Timestamp(seconds: 2000, nanoseconds: 5))
            }
            try Self.expectTrue(in: folder, of: device)
            if geteuid() == 0 {
                try device.change(device.inode("Plan.txt", in: folder)) { $0.owner = 1 }
                try Self.expectTrue(in: folder, of: device)
            }
            // A new name and a new folder change the file's time of change.
            try device.rename("Plan.txt", in: folder, to: "Other.txt")
            try Self.expectTrue("Other.txt", in: folder, of: device)
            let inner = try device.makeFolder("Inner", in: folder)
            try device.move("Other.txt", from: folder, to: inner)
            try Self.expectTrue("Other.txt", in: inner, of: device)
            try device.create(".draft", "replaced", in: inner)
            try device.rename(".draft", in: inner, to: "Other.txt")
            try Self.expectTrue("Other.txt", in: inner, of: device)
            try await device.push()
            try Self.expectTrue("Other.txt", in: inner, of: device)
        }
    }

    @Test func `no status of an open file is remembered, and an open drops the remembered one`() async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            try Self.expectTrue(in: .local, of: device)
            let number = try await device.open("Plan.txt", in: .local, O_RDWR)
            #expect(try !Self.isKnown("Plan.txt", in: .local, of: device))
            // As the kernel does it, by itself.
            let file = try device.library.handle(number).writable()
            for size: Int64 in [100, 7] {
                try file.truncate(to: size)
                #expect(try Self.attributes("Plan.txt", in: .local, of: device).size == size)
                #expect(try !Self.isKnown("Plan.txt", in: .local, of: device))
            }
            device.library.close(number)
            try Self.expectTrue(in: .local, of: device)
            #expect(try Self.attributes("Plan.txt", in: .local, of: device).size == 7)
        }
    }

    @Test func `an edit that arrives is seen`() async throws {
        try await withPlanOnTwoDevices { laptop, phone, _ in
            try await phone.library.waitForContent(of: phone.inode("Plan.txt"))
            try Self.expectTrue(in: .cloud, of: phone)
            try await laptop.save("Plan.txt", "a plan that is much longer than it was")
            try laptop.setModified("Plan.txt", seconds: 2_000_000_000)
            try await laptop.push()
            try await phone.pull()
            #expect(try Self.attributes("Plan.txt", in: .cloud, of: phone).size == 38)
            try await phone.library.waitForContent(of: phone.inode("Plan.txt"))
            try Self.expectTrue(in: .cloud, of: phone)
            #expect(try Self.attributes("Plan.txt", in: .cloud, of: phone).size == 38)
        }
    }
}
