import MountSupport
import SystemPackage
import Testing

/// inotify events in `cloud` for the changes of other devices.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct WatcherTests {
    private static func withWatchedDesktop(
        _ listing: Listing, _ body: (_ laptop: Device, _ desktop: Device, _ watcher: Watcher) async throws -> Void
    ) async throws {
        try await withTwoDevices(MountOptions(listing: listing)) { laptop, desktop in
            try await body(laptop, desktop, try await .inotifywait(desktop.cloud, notes: desktop.folder))
        }
    }

    @Test func `a document that another device makes, edits, renames and removes is heard of once each`() async throws {
        try await Self.withWatchedDesktop(.displayNames) { laptop, desktop, watcher in
            let document = laptop.cloud / "Groceries.txt"
            try document.create("milk")
            var heard = ["CREATE Groceries.txt", "CLOSE_WRITE,CLOSE Groceries.txt"]
            try await eventually { try watcher.events == heard }
            try document.append("eggs")
            heard += ["MODIFY Groceries.txt", "CLOSE_WRITE,CLOSE Groceries.txt"]
            try await eventually { try watcher.events == heard }
            try document.rename(to: laptop.cloud / "Shopping.txt")
            heard += ["MOVED_FROM Groceries.txt", "MOVED_TO Shopping.txt"]
            try await eventually { try watcher.events == heard }
            try (laptop.cloud / "Shopping.txt").remove()
            heard += ["DELETE Shopping.txt"]
            try await eventually { try watcher.events == heard }
            #expect(try desktop.cloud.documentNames() == [])
        }
    }

    @Test func `events have filenames where filenames are listed`() async throws {
        try await Self.withWatchedDesktop(.filenames) { laptop, desktop, watcher in
            let document = laptop.cloud / "Groceries.txt"
            try document.create("milk")
            let filename = try document.filename()
            var heard = ["CREATE \(filename)", "CLOSE_WRITE,CLOSE \(filename)"]
            try await eventually { try watcher.events == heard }
            // Nothing that a listing shows.
            try document.rename(to: laptop.cloud / "Shopping.txt")
            try await eventually { (desktop.cloud / "Shopping.txt").exists }
            try (laptop.cloud / "Shopping.txt").remove()
            heard += ["DELETE \(filename)"]
            try await eventually { try watcher.events == heard }
        }
    }

    @Test func `folders come, move and go with all that is in them`() async throws {
        try await Self.withWatchedDesktop(.displayNames) { laptop, desktop, watcher in
            try (laptop.cloud / "Trips").makeFolder()
            _ = try await watcher.events(until: "CREATE,ISDIR Trips")
            try (laptop.cloud / "Trips/Rome.txt").create("rome")
            _ = try await watcher.events(until: "CLOSE_WRITE,CLOSE Trips/Rome.txt")
            try (laptop.cloud / "Trips").rename(to: laptop.cloud / "Travels")
            _ = try await watcher.events(until: "MOVED_TO,ISDIR Travels")
            try await runShell("rm -r Travels", in: laptop.cloud)
            let heard = try await watcher.events(until: "DELETE,ISDIR Travels")
            #expect(heard.count { $0.hasPrefix("DELETE ") && $0.hasSuffix("/Rome.txt") } == 1)
            #expect(heard.count { $0 == "MOVED_FROM,ISDIR Trips" } == 1)
            #expect(heard.count { $0.hasPrefix("CREATE") } == 2)
            #expect(try desktop.cloud.documentNames() == [])
        }
    }

    @Test func `events report a symbolic link, and it stays one`() async throws {
        try await Self.withWatchedDesktop(.filenames) { laptop, desktop, watcher in
            try await runShell("ln -s ../elsewhere link", in: laptop.cloud)
            #expect(try await watcher.events(until: "CREATE link") == ["CREATE link"])
            #expect(try await runShell("readlink link", in: desktop.cloud).line == "../elsewhere")
        }
    }

    @Test(arguments: Listing.allCases)
    func `a change by this device is reported once, and not again when the cloud has it`(
        listing: Listing
    ) async throws {
        try await withTwoDevices(MountOptions(listing: listing)) { laptop, desktop in
            let plain = desktop.folder / "plain"
            try plain.makeFolder()
            let work = """
                echo one >.a; echo two >>.a; mv .a .b; ln -s .b link; rm .b; mkdir .folder; rmdir .folder; echo three >.c
                """
            let ordinary = try await Watcher.inotifywait(plain, notes: desktop.folder)
            try await runShell(work, in: plain)
            _ = try await ordinary.events(until: "CLOSE_WRITE,CLOSE .c")
            let watcher = try await Watcher.inotifywait(desktop.cloud, notes: desktop.folder)
            try await runShell(work, in: desktop.cloud)
            try await eventually { (laptop.cloud / ".c").exists }
            // A later event from another device shows that all events have arrived.
            try (laptop.cloud / ".d").create("four")
            let heard = try await watcher.events(until: "CLOSE_WRITE,CLOSE .d")
            #expect(heard.filter { !$0.hasSuffix(" .d") } == (try ordinary.events))
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `a display name that is set here is heard of where it is listed, and so is one that a save changes`(
        container: String
    ) async throws {
        try await withDevice(.displayNames) { device in
            let folder = device.documents / container / "Lists"
            try folder.makeFolder()
            try (folder / "Groceries.txt").create("milk")
            try (folder / "Untitled.txt").create("Tea")
            let watcher = try await Watcher.inotifywait(folder, notes: device.folder)
            try (folder / "Groceries.txt").setAttribute("user.displayName", "Shopping")
            _ = try await watcher.events(until: "MOVED_TO Shopping.txt")
            // The name that the new document got when it was closed may still be told of, too.
            let moves = try watcher.moves.filter { $0.hasSuffix(" Groceries.txt") || $0.hasSuffix(" Shopping.txt") }
            #expect(moves == ["MOVED_FROM Groceries.txt", "MOVED_TO Shopping.txt"])
            try (folder / "Tea.txt").write("Coffee")
            _ = try await watcher.events(until: "MOVED_TO Coffee.txt")
            #expect(try watcher.moves.suffix(2) == ["MOVED_FROM Tea.txt", "MOVED_TO Coffee.txt"])
            #expect(try folder.documentNames() == ["Shopping.txt", "Coffee.txt"])
            #expect(try (folder / "Shopping.txt").text() == "milk")
        }
    }

    @Test func `names that are set one after the other are heard of in that order`() async throws {
        try await withDevice(.displayNames) { device in
            try (device.local / "0.txt").create("milk")
            let watcher = try await Watcher.inotifywait(device.local, notes: device.folder)
            for number in 1...100 {
                try (device.local / "\(number - 1).txt").setAttribute("user.displayName", "\(number)")
            }
            _ = try await watcher.events(until: "MOVED_TO 100.txt")
            #expect(try watcher.moves == (1...100).flatMap { ["MOVED_FROM \($0 - 1).txt", "MOVED_TO \($0).txt"] })
        }
    }

    @Test func `events are reported also for documents whose content is not here`() async throws {
        try await Self.withWatchedDesktop(.displayNames) { laptop, desktop, watcher in
            try (laptop.cloud / "Groceries.txt").create("milk")
            _ = try await watcher.events(until: "CLOSE_WRITE,CLOSE Groceries.txt")
            let there = desktop.cloud / "Groceries.txt"
            #expect(try there.state()["downloading"] == "notDownloaded")
            #expect(try there.state()["state"] == "closed")
            #expect(try await runShell("stat -c %b Groceries.txt", in: desktop.cloud).line == "0")
            #expect(try there.text() == "milk")
        }
    }

    /// Not where its Python lies in a folder of somebody else's.
    @Test(.enabled(if: Watcher.canRunWatchdog))
    func `a Python library that watches folders reports the events too`() async throws {
        try await withTwoDevices(.displayNames) { laptop, desktop in
            let watcher = try await Watcher.watchdog(desktop.cloud, notes: desktop.folder)
            try (laptop.cloud / "Groceries.txt").create("milk")
            _ = try await watcher.events(until: "closed Groceries.txt")
            try (laptop.cloud / "Groceries.txt").append("eggs")
            _ = try await watcher.events(until: "modified Groceries.txt")
            try (laptop.cloud / "Groceries.txt").rename(to: laptop.cloud / "Shopping.txt")
            _ = try await watcher.events(until: "moved Groceries.txt Shopping.txt")
            try (laptop.cloud / "Shopping.txt").remove()
            let heard = try await watcher.events(until: "deleted Shopping.txt")
            for event in [
                "created Groceries.txt", "modified Groceries.txt", "moved Groceries.txt Shopping.txt",
                "deleted Shopping.txt",
            ] {
                #expect(heard.count { $0 == event } == 1)
            }
        }
    }

    @Test func `events of names that change quickly are reported one after the other`() async throws {
        try await Self.withWatchedDesktop(.displayNames) { laptop, desktop, watcher in
            try (laptop.cloud / "A").makeFolder()
            _ = try await watcher.events(until: "CREATE,ISDIR A")
            for step in 1...20 { try (laptop.cloud / "A/\(step).txt").create("\(step)") }
            for (from, to) in [("A", "B"), ("B", "C"), ("C", "D")] {
                try (laptop.cloud / from).rename(to: laptop.cloud / to)
            }
            try (laptop.cloud / "D/1.txt").remove()
            let heard = try await watcher.events(until: "MOVED_TO,ISDIR D")
            #expect(heard.first == "CREATE,ISDIR A")
            try await eventually { try (desktop.cloud / "D").documentNames().count == 19 }
            #expect(try desktop.cloud.documentNames() == ["D"])
            for step in 2...20 { #expect(try (desktop.cloud / "D/\(step).txt").text() == "\(step)") }
        }
    }

    /// A process that waits for an answer from a dead daemon could not be killed, so the mount must end with its daemon.
    @Test func `killing docfs while it tells watchers leaves nothing behind that hangs`() async throws {
        try await withTwoDevices(.displayNames) { laptop, desktop in
            for round in 1...4 {
                let watcher = try await Watcher.inotifywait(desktop.cloud, notes: desktop.folder)
                try await runShell(
                    "mkdir r\(round); for i in $(seq 200); do echo $i >r\(round)/$i.txt; done", in: laptop.cloud)
                try await eventually { try watcher.events.contains { $0.hasPrefix("CREATE") } }
                try await desktop.crash()
                try await desktop.mount()
                #expect(try desktop.cloud.documentNames().count >= 1)
            }
        }
    }

    @Test func `a link in the place of a folder is followed nowhere`() async throws {
        try await Self.withWatchedDesktop(.displayNames) { laptop, desktop, watcher in
            let outside = desktop.folder / "outside"
            try outside.makeFolder()
            try (outside / ".env").create("mine")
            try (laptop.cloud / "F").makeFolder()
            try (laptop.cloud / "F/.env").create("theirs")
            try await eventually { (desktop.cloud / "F/.env").exists }
            for _ in 1...30 { try (laptop.cloud / "F/.env").append("more") }
            try await runShell("rm -r F && ln -s '\(outside.string)' F", in: laptop.cloud)
            try await eventually { (desktop.cloud / "F").symbolicLinkTarget == outside }
            try (laptop.cloud / "last.txt").create("last")
            _ = try await watcher.events(until: "CLOSE_WRITE,CLOSE last.txt")
            #expect(try (outside / ".env").text() == "mine")
        }
    }
}

extension Watcher {
    /// A program that another test has just started may hold a file open for a moment, so that its close is heard of late.
    fileprivate var moves: [String] {
        get throws { try events.filter { $0.hasPrefix("MOVED") } }
    }
}
