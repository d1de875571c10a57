import Glibc
import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct PlaceholderTests {
    /// A document that the laptop has put into the cloud and that the desktop knows but does not have.
    private static func makePlaceholder(
        _ text: String, laptop: Device, desktop: Device
    ) async throws -> FilePath {
        let document = laptop.cloud / "Groceries.txt"
        try document.create(text)
        let moment = timespec(tv_sec: 1_700_000_000, tv_nsec: 987_654_321)
        try document.setTimes(accessed: moment, modified: moment)
        let placeholder = desktop.cloud / "Groceries.txt"
        try await eventually {
            try placeholder.stat().st_mtim.tv_sec == moment.tv_sec
                && placeholder.state()["downloading"] == "notDownloaded"
        }
        return placeholder
    }

    @Test func `a placeholder has true name, size and times, and no blocks`() async throws {
        try await withTwoDevices { laptop, desktop in
            let text = String(repeating: "milk and eggs\n", count: 5000)
            let placeholder = try await Self.makePlaceholder(text, laptop: laptop, desktop: desktop)
            let status = try placeholder.stat()
            #expect(status.size == Int64(text.utf8.count))
            #expect(status.st_mtim.tv_nsec == 987_654_321)
            #expect(status.blocksAllocated == 0)
            #expect(try placeholder.displayName() == "Groceries")
            #expect(try placeholder.filename() == (laptop.cloud / "Groceries.txt").filename())
            let usage = try await desktop.shell("du -k cloud/Groceries.txt")
            #expect(usage.line == "0\tcloud/Groceries.txt")
            let apparent = try await desktop.shell("du -b cloud/Groceries.txt")
            #expect(apparent.line == "\(text.utf8.count)\tcloud/Groceries.txt")
        }
    }

    @Test func `listing, stat and reading attributes never download`() async throws {
        try await withTwoDevices { laptop, desktop in
            let placeholder = try await Self.makePlaceholder(
                "milk", laptop: laptop, desktop: desktop)
            try await desktop.shell(
                """
                ls -laR . && find . -type f -size +0 && stat cloud/* && du -a . && \
                getfattr -d cloud/* && cat cloud/Groceries.txt.state cloud/.state .state
                """)
            #expect(try placeholder.attribute("user.document.state").contains("closed"))
            #expect(try placeholder.state()["downloading"] == "notDownloaded")
            #expect(try placeholder.stat().blocksAllocated == 0)
            let stored = desktop.storedCloud / (try placeholder.filename())
            #expect((try? stored.text()) != "milk")
        }
    }

    @Test(arguments: ["gdk-pixbuf-thumbnailer", "tumblerd", "tracker-extract-3", "baloo_file_extractor"])
    func `thumbnailers and crawlers read what is here, and download nothing`(program: String) async throws {
        try await withTwoDevices { laptop, desktop in
            let placeholder = try await Self.makePlaceholder("milk", laptop: laptop, desktop: desktop)
            let reading = ["-c", "exec -a /usr/bin/\(program) cat cloud/Groceries.txt"]
            let refused = try await runProgram("bash", reading, in: desktop.documents)
            #expect(refused.exitStatus == 1 && refused.standardError.contains("No data available"))
            #expect(try placeholder.state()["downloading"] == "notDownloaded")
            #expect(try placeholder.text() == "milk")
            try await eventually { try placeholder.state()["downloading"] == "current" }
            #expect(try await runProgram("bash", reading, in: desktop.documents).standardOutput == "milk")
        }
    }

    @Test func `renaming, chmod and attributes need no download`() async throws {
        try await withTwoDevices { laptop, desktop in
            let placeholder = try await Self.makePlaceholder(
                "milk", laptop: laptop, desktop: desktop)
            let renamed = desktop.cloud / "Shopping.txt"
            try placeholder.rename(to: renamed)
            try renamed.setAttribute("user.colour", "green")
            try renamed.setPermissions([.ownerRead])
            #expect(try renamed.state()["downloading"] == "notDownloaded")
            let there = laptop.cloud / "Shopping.txt"
            try await eventually { try there.attribute("user.colour") == "green" }
            try await eventually { try there.stat().permissions == [.ownerRead] }
            #expect(try there.text() == "milk")
        }
    }

    @Test func `opening downloads`() async throws {
        try await withTwoDevices { laptop, desktop in
            let placeholder = try await Self.makePlaceholder(
                "milk", laptop: laptop, desktop: desktop)
            let filename = try placeholder.filename()
            #expect(try placeholder.text() == "milk")
            try await eventually { try placeholder.state()["downloading"] == "current" }
            let stored = desktop.storedCloud / filename
            #expect(try stored.text() == "milk")
            #expect(try stored.displayName() == "Groceries")
            // A download is no change of the document.
            #expect(try placeholder.stat().st_mtim.tv_nsec == 987_654_321)
            #expect(try placeholder.stat().blocksAllocated > 0)
        }
    }

    @Test func `downloaded content is here without a connection, and after another mount`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            let placeholder = try await Self.makePlaceholder(
                "milk", laptop: laptop, desktop: desktop)
            #expect(try placeholder.text() == "milk")
            try await eventually { try placeholder.state()["downloading"] == "current" }
            try desktop.cloudDirectory.disconnect()
            #expect(try placeholder.text() == "milk")
            try await desktop.remount()
            #expect(try placeholder.text() == "milk")
        }
    }

    @Test func `reading waits only for the bytes it asks for`() async throws {
        let server = try await S3Server.shared()
        let holder = try HeldServer(before: server.port)
        let options = MountOptions(cloudURL: server.url(through: holder), environment: try server.environment())
        try await withTwoDevices(options) { laptop, desktop in
            let content = LargeContent(pieces: 32)
            let original = laptop.cloud / "Film.bin"
            try content.write(to: original)
            try await laptop.waitUntilUploaded(original)
            let placeholder = desktop.cloud / "Film.bin"
            try await eventually { try placeholder.state()["downloading"] == "notDownloaded" }
            // The rest does not come before the first bytes have been read and the state was looked at. Several chunks come at a time.
            holder.hold(.replies, after: 12 << 20)
            let file = try placeholder.open(.readOnly)
            let start = try file.read(count: 4096, at: 0)
            let state = try placeholder.state()
            #expect(start == Array(content.piece(0).prefix(4096)))
            #expect(state["downloading"] == "downloading")
            let progress = try #require(state["progress"].flatMap { Int($0.filter(\.isNumber)) })
            #expect((0..<100).contains(progress))
            #expect(state.flags.isSuperset(of: ["editingDisabled", "progressAvailable"]))
            holder.release()
            #expect(try content.matches(placeholder))
            try await eventually { try placeholder.state()["downloading"] == "current" }
            #expect(try placeholder.state()["progress"] == nil)
        }
    }

    @Test func `a download that differs from the upload is refused`() async throws {
        try await withTwoDevices(.plain) { laptop, desktop in
            let text = String(repeating: "milk and eggs\n", count: 5000)
            let placeholder = try await Self.makePlaceholder(text, laptop: laptop, desktop: desktop)
            let filename = try placeholder.filename()
            // One byte at the end, of the size it was.
            let object = try #require(laptop.cloudDirectory.objects(named: filename).first)
            let damaged = String(text.dropLast()) + "!"
            try object.call { chmod($0, 0o600) }
            try object.write(damaged)
            #expect(throws: Errno.self) { try placeholder.bytes() }
            #expect(try placeholder.state()["downloading"] != "current")
            #expect((try? (desktop.storedCloud / filename).text()) != damaged)
            // Made good again, it is downloaded.
            try object.write(text)
            try await eventually { try placeholder.text() == text }
        }
    }

    @Test func `writing into a placeholder downloads it first`() async throws {
        try await withTwoDevices { laptop, desktop in
            let placeholder = try await Self.makePlaceholder(
                "milk\n", laptop: laptop, desktop: desktop)
            try placeholder.append("eggs\n")
            #expect(try placeholder.text() == "milk\neggs\n")
            try await eventually {
                try (laptop.cloud / "Groceries.txt").text() == "milk\neggs\n"
            }
        }
    }

    @Test func `a placeholder may be written anew and truncated`() async throws {
        try await withTwoDevices { laptop, desktop in
            let placeholder = try await Self.makePlaceholder(
                "milk and eggs", laptop: laptop, desktop: desktop)
            let identity = try placeholder.identity()
            try placeholder.write("tea")
            #expect(try placeholder.text() == "tea")
            #expect(try placeholder.identity() == identity)
            try await eventually { try (laptop.cloud / "Groceries.txt").text() == "tea" }
            try (laptop.cloud / "Second.txt").create("0123456789")
            let second = desktop.cloud / "Second.txt"
            try await eventually { second.exists }
            try second.call { truncate($0, 4) }
            #expect(try second.text() == "0123")
            try await eventually { try (laptop.cloud / "Second.txt").text() == "0123" }
        }
    }

    @Test func `copying a tree downloads what it copies`() async throws {
        try await withTwoDevices(.displayNames) { laptop, desktop in
            try await laptop.shell(
                "mkdir -p cloud/Trip/Days && for i in $(seq 20); do echo day $i > cloud/Trip/Days/$i.txt; done"
            )
            try await eventually {
                try (desktop.cloud / "Trip" / "Days").listing().count == 20
            }
            try await eventually {
                try await desktop.shell("rm -rf local/Trip && cp -r cloud/Trip local/").exitStatus
                    == 0
            }
            let differences = try await runProgram(
                "diff", ["-r", (laptop.cloud / "Trip").string, (desktop.local / "Trip").string])
            #expect(differences.exitStatus == 0)
            #expect(differences.standardOutput == "")
        }
    }

    @Test func `an empty document needs no bytes`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (laptop.cloud / "Empty.txt").create()
            try await eventually { (desktop.cloud / "Empty.txt").exists }
            #expect(try (desktop.cloud / "Empty.txt").bytes() == [])
        }
    }
}
