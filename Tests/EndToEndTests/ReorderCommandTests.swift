import Glibc
import MountSupport
import SystemPackage
import Testing

/// `docfs reorder` and `docfs sort`.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct ReorderCommandTests {
    private static let names = ["a.txt", "b.txt", "c.txt", "d.txt"]

    /// Runs the command with `local` as its working directory, and expects success.
    private func run(_ arguments: String, on device: Device, exitStatus: Int32 = 0) async throws -> ProgramResult {
        try await device.shell(
            "cd local && \"$BINARY\" \(arguments)", environment: ["BINARY": DocfsBinary.path.string],
            exitStatus: exitStatus)
    }

    @Test(arguments: MountSupport.Listing.allCases)
    func `reorder puts a document before or after another, or at a place`(listing: MountSupport.Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            for name in Self.names { try (device.local / name).create(name) }
            func order() throws -> String {
                try device.local.documentNames().map { try (device.local / $0).displayName() }.joined()
            }
            let steps = [
                ("d.txt --before a.txt", "dabc"), ("./d.txt --after ../local/b.txt", "abdc"), ("c.txt --to 1", "cabd"),
                ("c.txt --to 3", "abcd"), ("a.txt --to 4", "bcda"), ("a.txt --to 0", "abcd"), ("a.txt --to -5", "abcd"),
                ("b.txt --to 99", "acdb"), ("b.txt --before b.txt", "acdb"),
            ]
            for (arguments, expected) in steps {
                let result = try await run("reorder \(arguments)", on: device)
                #expect(try order() == expected, "reorder \(arguments)")
                #expect(result.standardOutput == "" && result.standardError == "")
            }
            let filename = try (device.local / "d.txt").filename()
            _ = try await run("reorder \(filename) --before a.txt", on: device)
            #expect(try order() == "dacb")
        }
    }

    @Test func `into another folder or container reorder is a move there`() async throws {
        try await withDevice(.displayNames) { device in
            for name in Self.names { try (device.local / name).create(name) }
            let folder = device.local / "Folder"
            try folder.makeFolder()
            for name in ["x.txt", "y.txt"] { try (folder / name).create(name) }
            for name in ["p.txt", "q.txt"] { try (device.cloud / name).create(name) }
            let identity = try (device.local / "b.txt").identity()
            _ = try await run("reorder b.txt --before Folder/y.txt", on: device)
            #expect(try folder.listing() == ["x.txt", "b.txt", "y.txt"])
            #expect(try (folder / "b.txt").identity() == identity)
            _ = try await run("reorder Folder/b.txt --after ../cloud/p.txt", on: device)
            #expect(try device.cloud.documentNames() == ["p.txt", "b.txt", "q.txt"])
            #expect(try (device.cloud / "b.txt").identity() == identity)
            _ = try await run("reorder ../cloud/b.txt --before ../a.txt", on: device)
            #expect(try device.local.documentNames() == ["b.txt", "a.txt", "c.txt", "d.txt", "Folder"])
            _ = try await run("reorder Folder/ --to 1", on: device)
            #expect(try device.local.documentNames() == ["Folder", "b.txt", "a.txt", "c.txt", "d.txt"])
        }
    }

    @Test func `what cannot be reordered is one line on standard error and 1, and nothing changes`() async throws {
        try await withDevice(.displayNames) { device in
            for name in Self.names { try (device.local / name).create(name) }
            try (device.cloud / "a.txt").create("another")
            try (device.local / "link").makeSymbolicLink(to: "a.txt")
            for arguments in [
                "missing.txt --to 1", "a.txt --before missing.txt", "a.txt --before ../cloud/a.txt --quiet",
                "link --to 1",
                "/etc/passwd --to 1",
            ] {
                let isUsage = arguments.hasSuffix("--quiet")
                let result = try await run("reorder \(arguments)", on: device, exitStatus: isUsage ? 64 : 1)
                #expect(isUsage || result.oneErrorLine != nil, "\(result.standardError)")
            }
            let taken = try await run("reorder a.txt --before ../cloud/a.txt", on: device, exitStatus: 1)
            #expect(taken.oneErrorLine?.contains("something there has its name") == true)
            #expect(try device.local.documentNames() == Self.names + ["link"])
        }
    }

    @Test func `sort orders a folder by name, modified, created or size, and manual brings its own order back`()
        async throws
    {
        try await withDevice(.displayNames) { device in
            let texts = [("b.txt", "1"), ("C.txt", "333"), ("a.txt", "22")]
            for (index, (name, text)) in texts.enumerated() {
                try (device.local / name).create(text)
                let time = timespec(tv_sec: 1_500_000_000 - index, tv_nsec: 0)
                try (device.local / name).setTimes(accessed: time, modified: time)
            }
            let sorted = [
                ("name", ["a.txt", "b.txt", "C.txt"]), ("modified", ["b.txt", "C.txt", "a.txt"]),
                ("created", ["a.txt", "C.txt", "b.txt"]), ("size", ["C.txt", "a.txt", "b.txt"]),
            ]
            for (mode, names) in sorted {
                _ = try await run("sort . \(mode)", on: device)
                #expect(try device.local.documentNames() == names)
                #expect(try device.local.attribute("user.document.sort") == mode)
                let listed = try await run("ls .", on: device).standardOutput.split(separator: "\n")
                #expect(listed.compactMap { $0.split(separator: " ").last } == names.map { $0.dropLast(4) })
                let filenames = try names.map { try (device.local / $0).filename() + "\n" }
                #expect(try (device.local / ".order").text() == filenames.joined())
            }
            // What changes in a sorted folder shows at once.
            try (device.local / "b.txt").write("55555")
            #expect(try device.local.documentNames() == ["b.txt", "C.txt", "a.txt"])
            _ = try await run("sort . name", on: device)
            try (device.local / "b.txt").rename(to: device.local / "z.txt")
            try (device.local / "C.txt").setAttribute("user.displayName", "0")
            #expect(try device.local.documentNames() == ["0.txt", "a.txt", "z.txt"])
            try await device.remount()
            #expect(try device.local.documentNames() == ["0.txt", "a.txt", "z.txt"])
            _ = try await run("sort . manual", on: device)
            #expect(try device.local.documentNames() == ["z.txt", "0.txt", "a.txt"])
        }
    }

    @Test func `a document cannot be sorted`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            let result = try await run("sort Plan.txt name", on: device, exitStatus: 1)
            #expect(result.oneErrorLine == "docfs: Plan.txt is not a folder; name the folder that it lies in")
        }
    }

    @Test func `a sorted folder cannot be reordered: EPERM, and one line that says why`() async throws {
        try await withDevice(.displayNames) { device in
            for name in Self.names.reversed() { try (device.local / name).create(name) }
            try (device.cloud / "e.txt").create("e")
            _ = try await run("sort . name", on: device)
            #expect(throws: Errno.notPermitted) { try (device.local / ".order").write("d.txt\n") }
            for arguments in ["a.txt --to 3", "a.txt --before d.txt", "../cloud/e.txt --before d.txt"] {
                let result = try await run("reorder \(arguments)", on: device, exitStatus: 1)
                #expect(result.oneErrorLine?.contains("is sorted by name") == true, "\(result.standardError)")
            }
            #expect(try device.local.documentNames() == Self.names)
            #expect(try device.cloud.documentNames() == ["e.txt"])
            _ = try await run("sort . manual", on: device)
            _ = try await run("reorder a.txt --to 1", on: device)
            #expect(try device.local.documentNames() == ["a.txt", "d.txt", "c.txt", "b.txt"])
        }
    }

    @Test
    func `local, cloud and Documents can be sorted, and how a folder of the cloud is sorted holds on each device`()
        async throws
    {
        try await withTwoDevices(.displayNames) { laptop, desktop in
            let folder = laptop.cloud / "Folder"
            try folder.makeFolder()
            for name in Self.names.reversed() { try (folder / name).create(name) }
            for path in [".", "../cloud", "..", "../cloud/Folder"] {
                _ = try await run("sort \(path) name", on: laptop)
            }
            #expect(try laptop.documents.listing() == ["cloud", "local"])
            #expect(try folder.listing() == Self.names)
            try await eventually { try (desktop.cloud / "Folder").listing() == Self.names }
            #expect(try desktop.cloud.attribute("user.document.sort") == "manual")
            #expect(try folder.attributeNames() == [])
        }
    }
}
