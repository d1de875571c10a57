import Glibc
import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct DirectoryTests {
    @Test(arguments: ["local", "cloud"])
    func `folders are made and removed`(container: String) async throws {
        try await withDevice { device in
            let folder = device.documents / container / "Folder"
            try folder.makeFolder()
            #expect(try folder.stat().type == .directory)
            #expect(throws: Errno.fileExists) { try folder.makeFolder() }
            #expect(throws: Errno.isDirectory) { try folder.remove() }
            try (folder / "Plan.txt").create()
            #expect(throws: Errno.directoryNotEmpty) { try folder.removeFolder() }
            #expect(throws: Errno.notDirectory) { try (folder / "Plan.txt").removeFolder() }
            #expect(throws: Errno.notDirectory) { try (folder / "Plan.txt" / "x").stat() }
            try (folder / "Plan.txt").remove()
            // Its virtual names do not keep it.
            #expect((folder / ".state").exists)
            try folder.removeFolder()
            #expect(!folder.exists)
            #expect(throws: Errno.noSuchFileOrDirectory) { try folder.removeFolder() }
            #expect(throws: Errno.noSuchFileOrDirectory) { try (folder / "Inner").makeFolder() }
            #expect(throws: Errno.noSuchFileOrDirectory) { try (folder / "Plan.txt").create() }
        }
    }

    @Test func `a folder with nothing but scratch files is not empty`() async throws {
        try await withDevice { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            try (folder / "a.swp").create()
            #expect(throws: Errno.directoryNotEmpty) { try folder.removeFolder() }
            try (folder / "a.swp").remove()
            try folder.removeFolder()
        }
    }

    @Test func `a folder is renamed over an empty folder and over no other`() async throws {
        try await withDevice { device in
            try await device.shell("mkdir -p local/A local/Empty local/Full")
            try (device.local / "A" / "Plan.txt").create("plan")
            try (device.local / "Full" / "Other.txt").create("other")
            #expect(throws: Errno.directoryNotEmpty) {
                try (device.local / "A").rename(to: device.local / "Full")
            }
            #expect(throws: Errno.fileExists) {
                try (device.local / "A").rename(to: device.local / "Empty", .noReplace)
            }
            try (device.local / "A").rename(to: device.local / "Empty")
            #expect(try (device.local / "Empty" / "Plan.txt").text() == "plan")
            #expect(!(device.local / "A").exists)
        }
    }

    @Test func `a folder is not moved into itself`() async throws {
        try await withDevice { device in
            try await device.shell("mkdir -p local/A/B/C")
            #expect(throws: Errno.invalidArgument) {
                try (device.local / "A").rename(to: device.local / "A" / "B" / "C" / "D")
            }
            #expect((device.local / "A" / "B" / "C").exists)
        }
    }

    @Test(arguments: Listing.allCases)
    func `a listing tells the types and inode numbers that stat tells`(listing: Listing)
        async throws
    {
        try await withDevice(MountOptions(listing: listing)) { device in
            try (device.local / "Plan.txt").create("plan")
            try (device.local / "Folder").makeFolder()
            try (device.local / "link").makeSymbolicLink(to: "Plan.txt")
            let types: [FileType: UInt8] = [
                .regular: UInt8(DT_REG), .directory: UInt8(DT_DIR), .symbolicLink: UInt8(DT_LNK),
            ]
            let entries = try device.local.entries()
            #expect(entries.count == 3)
            for entry in entries {
                let status = try (device.local / entry.name).stat(followTargetSymlink: false)
                #expect(entry.inode == UInt64(status.inode.rawValue), "\(entry.name)")
                #expect(entry.type == types[status.type], "\(entry.name)")
            }
        }
    }

    @Test func `a listing under way lists what was there throughout exactly once`() async throws {
        try await withDevice(.displayNames) { device in
            let folder = device.local / "Many"
            try folder.makeFolder()
            try await device.shell(
                "cd local/Many && seq -f 'kept %g.txt' 800 | xargs -d '\\n' touch")
            try await device.shell(
                "cd local/Many && seq -f 'gone %g.txt' 200 | xargs -d '\\n' touch")
            let directory = try OpenDirectory(folder)
            var seen: [String] = []
            while seen.count < 100, let entry = try directory.next() { seen.append(entry.name) }
            try await device.shell(
                "cd local/Many && rm gone* && seq -f 'new %g.txt' 200 | xargs -d '\\n' touch")
            while let entry = try directory.next() { seen.append(entry.name) }
            let kept = seen.filter { $0.hasPrefix("kept") }
            #expect(kept.count == 800)
            #expect(Set(kept) == Set((1...800).map { "kept \($0).txt" }))
            #expect(Set(seen).count == seen.count)
            #expect(try folder.listing().count == 1000)
        }
    }

    @Test func `a listing can be resumed where seekdir says, and begun again`() async throws {
        try await withDevice(.displayNames) { device in
            for index in 1...20 { try (device.local / "\(index).txt").create() }
            let directory = try OpenDirectory(device.local)
            var names: [String] = []
            var positions: [Int] = []
            while let entry = try directory.next() {
                names.append(entry.name)
                positions.append(directory.position)
            }
            #expect(names.count == 20)
            directory.position = positions[9]
            #expect(try directory.next()?.name == names[10])
            directory.position = 0
            #expect(try directory.next()?.name == names[0])
        }
    }

    @Test func `a folder's time of modification tells of what comes, goes and is renamed`()
        async throws
    {
        try await withDevice { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            let past = timespec(tv_sec: 1_500_000_000, tv_nsec: 0)
            let changes: [() throws -> Void] = [
                { try (folder / "Plan.txt").create("plan") },
                { try (folder / "Plan.txt").rename(to: folder / "Later.txt") },
                { try (folder / "Later.txt").remove() },
                { try (folder / "Inner").makeFolder() },
                { try (folder / "Inner").removeFolder() },
            ]
            for change in changes {
                try folder.setTimes(accessed: past, modified: past)
                #expect(try folder.stat().st_mtim.tv_sec == past.tv_sec)
                try change()
                #expect(try folder.stat().st_mtim.tv_sec > past.tv_sec)
            }
        }
    }

    @Test func `fsync of a folder succeeds`() async throws {
        try await withDevice { device in
            try (device.local / "Folder").makeFolder()
            for folder in [device.local, device.cloud, device.local / "Folder"] {
                let directory = try OpenDirectory(folder)
                #expect(fsync(directory.descriptor.rawValue) == 0)
            }
        }
    }

    @Test func `folders are mirrored in the store, with plain files under their filenames`()
        async throws
    {
        try await withDevice { device in
            for (container, stored) in [
                (device.local, device.storedLocal), (device.cloud, device.storedCloud),
            ] {
                try (container / "Trip").makeFolder()
                try (container / "Trip" / "Days").makeFolder()
                let document = container / "Trip" / "Days" / "Monday.txt"
                try document.create("monday")
                let filename = try document.filename()
                let file = stored / "Trip" / "Days" / filename
                #expect(try file.text() == "monday")
                #expect(try file.displayName() == "Monday")
                try (container / "Trip").rename(to: container / "Journey")
                let moved = stored / "Journey" / "Days"
                #expect(try moved.listing() == (container / "Journey" / "Days").listing())
                #expect(try (moved / filename).text() == "monday")
            }
        }
    }
}
