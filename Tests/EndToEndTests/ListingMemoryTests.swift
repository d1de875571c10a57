import Glibc
import MountSupport
import SystemPackage
import Testing

/// The kernel keeps the listings of folders: they show all the same what changed since, at once where it
/// was changed here.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct ListingMemoryTests {
    @Test func `a listing shows what another device makes, names, moves, saves and removes`() async throws {
        try await withTwoDevices(.displayNames) { laptop, desktop in
            func shows(_ names: String...) async throws {
                try await eventually { try desktop.cloud.documentNames() == names }
                // Now from the kernel's memory.
                #expect(try desktop.cloud.documentNames() == names)
            }
            try await shows()
            try (laptop.cloud / "A.txt").create("a")
            try await shows("A.txt")
            try (laptop.cloud / "A.txt").rename(to: laptop.cloud / "B.txt")
            try await shows("B.txt")
            try (laptop.cloud / "Folder").makeFolder()
            try await shows("B.txt", "Folder")
            #expect(try (desktop.cloud / "Folder").listing() == [])
            try (laptop.cloud / "B.txt").rename(to: laptop.cloud / "Folder" / "B.txt")
            try await shows("Folder")
            try await eventually { try (desktop.cloud / "Folder").listing() == ["B.txt"] }
            let before = try (desktop.cloud / "Folder").entries()
            try (laptop.cloud / "Folder" / "B.txt").write("another version")
            try await eventually { try (desktop.cloud / "Folder" / "B.txt").text() == "another version" }
            let after = try (desktop.cloud / "Folder").entries()
            #expect(after.map(\.name) == before.map(\.name))
            #expect(
                try after.map(\.inode) == [(desktop.cloud / "Folder" / "B.txt").stat().inode.rawValue].map(UInt64.init))
            try (laptop.cloud / "Folder" / "B.txt").remove()
            try (laptop.cloud / "Folder").removeFolder()
            try await shows()
        }
    }

    @Test func `a listing shows conflicts as they come and go`() async throws {
        try await withTwoDevices(.displayNames) { laptop, desktop in
            try (laptop.cloud / "Plan.txt").create("plan")
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "plan" }
            try laptop.cloudDirectory.disconnect()
            for device in [laptop, desktop] {
                try (device.cloud / "Plan.txt").append(device.name)
                #expect(try device.cloud.documentNames() == ["Plan.txt"])
            }
            try laptop.cloudDirectory.reconnect()
            for device in [laptop, desktop] {
                try await eventually { try device.cloud.documentNames() == ["Plan.txt.conflicts", "Plan.txt"] }
            }
            let conflicts = laptop.cloud / "Plan.txt.conflicts"
            for name in try conflicts.listing() { try (conflicts / name).remove() }
            #expect(try laptop.cloud.documentNames() == ["Plan.txt"])
            try await eventually { try desktop.cloud.documentNames() == ["Plan.txt"] }
        }
    }

    @Test func `a listing shows at once what is changed here under another name`() async throws {
        try await withDevice(.displayNames) { device in
            func names() throws -> [String] { try device.local.documentNames() }
            #expect(try names() == [])
            try (device.documents / "A.txt").create("a")
            #expect(try names() == ["A.txt"])
            try (device.local / "A.txt").setAttribute("user.displayName", "B")
            #expect(try names() == ["B.txt"])
            try (device.documents / "B.txt").rename(to: device.documents / "C.txt")
            #expect(try names() == ["C.txt"])
            let filename = try (device.local / "C.txt").filename()
            try (device.local / "Second.txt").create("b")
            try (device.local / "Second.txt").setAttribute("user.displayName", "C")
            // The first of a name has it.
            #expect(try names() == ["C.txt", (device.local / (try names()[1])).filename()])
            try (device.local / filename).remove()
            #expect(try names() == ["C.txt"])
            try (device.documents / "C.txt").remove()
            #expect(try names() == [])
        }
    }

    @Test func `a listing shows the name that a document gets from its text`() async throws {
        try await withDevice(.displayNames) { device in
            let document = device.local / "Untitled.txt"
            try document.create("")
            let file = try document.open(.writeOnly)
            #expect(try device.local.documentNames().count == 1)
            try file.write("Shopping list\nmilk\n")
            try file.close()
            try await eventually { try device.local.documentNames() == ["Shopping list.txt"] }
        }
    }

    @Test func `a reader goes on where they are when the kernel forgets what it shows them`() async throws {
        try await withDevice(.displayNames) { device in
            // More than one call of getdents gives.
            let names = (1000..<3000).map { ".file \($0)" }
            for name in names { try (device.local / name).create() }
            try (device.local / "Plan.txt").create()
            #expect(try device.local.documentNames().count == 2001)
            for reader in 0..<2 {
                let directory = try OpenDirectory(device.local)
                var listed = [try #require(try directory.next()).name]
                let removed = names[reader * 300..<reader * 300 + 300]
                for name in removed { try (device.local / name).remove() }
                // Told by docfs, not done by the kernel: it forgets the listing at once.
                try (device.local / "Plan.txt").setAttribute("user.displayName", "Plan \(reader)")
                try (device.local / "Plan \(reader).txt").setAttribute("user.displayName", "Plan")
                while let entry = try directory.next() { listed.append(entry.name) }
                let remaining = names[(reader * 300 + 300)...]
                #expect(listed.filter { remaining.contains($0) } == Array(remaining))
                #expect(try device.local.documentNames() == remaining + ["Plan.txt"])
            }
        }
    }

    @Test func `a change made while a listing is read shows in the next one`() async throws {
        try await withTwoDevices { laptop, desktop in
            // Long names, so that the kernel asks for the listing in several pages.
            let names = (100..<300).map { ".\(String(repeating: "long", count: 50)) \($0)" }
            for name in names { try (laptop.cloud / name).create() }
            try await eventually { try desktop.cloud.documentNames().count == names.count }
            for round in 0..<3 {
                try (laptop.cloud / ".before \(round)").create()
                try await eventually { (desktop.cloud / ".before \(round)").exists }
                do {
                    let directory = try OpenDirectory(desktop.cloud)
                    _ = try directory.next()
                    try (laptop.cloud / ".new \(round)").create()
                    try await eventually { (desktop.cloud / ".new \(round)").exists }
                    while try directory.next() != nil {}
                }
                try await eventually { try desktop.cloud.documentNames().contains(".new \(round)") }
            }
        }
    }
}

/// The kernel's memory of a document's two names.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct TwoNamesMemoryTests {
    @Test(arguments: Listing.allCases)
    func `a document that is removed by one name is gone by the other when the call returns`(listing: Listing)
        async throws
    {
        try await withDevice(MountOptions(listing: listing)) { device in
            for round in 0..<200 {
                let typed = device.local / "Note \(round).txt"
                try typed.create("note")
                let generated = device.local / (try typed.filename())
                let (used, other) = round % 2 == 0 ? (typed, generated) : (generated, typed)
                #expect(used.exists && other.exists)
                try used.remove()
                #expect(!other.exists, "round \(round)")
            }
        }
    }

    @Test func `a name that a document gave up means nothing at once, and the folder that one stands in stays`()
        async throws
    {
        _ = try await withDevice { device in
            try await device.shell(
                """
                mkdir local/Folder; cd local/Folder
                for i in 1 2 3 4 5 6 7 8 9; do
                    echo $i > "Note $i.txt"; stat "Note $i.txt" > stat.tmp
                    setfattr -n user.displayName -v "Other $i" "Note $i.txt"
                    if stat "Note $i.txt" 2> stat.tmp; then exit 1; fi
                    stat "Other $i.txt" > stat.tmp
                    test "$(cat "Other $i.txt")" = $i
                    test "$(pwd -P)" = "$(cd ../Folder && pwd -P)"
                done
                """)
        }
    }
}
