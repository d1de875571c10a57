import Glibc
import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct TwoDevicesTests {
    @Test func `documents of another device appear with both names and the same id`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Groceries.txt"
            try document.create("milk")
            let there = desktop.cloud / "Groceries.txt"
            try await eventually { there.exists }
            #expect(try there.identity() == document.identity())
            #expect(try there.text() == "milk")
            #expect(try desktop.cloud.documentNames() == laptop.cloud.documentNames())
        }
    }

    @Test func `local documents stay on their device`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (laptop.local / "Private.txt").create("private")
            try (laptop.cloud / "Shared.txt").create("shared")
            try await eventually { (desktop.cloud / "Shared.txt").exists }
            #expect(try desktop.local.documentNames() == [])
            #expect(!(desktop.cloud / "Private.txt").exists)
            let filename = try (laptop.local / "Private.txt").filename()
            #expect(laptop.cloudDirectory.objects(named: filename).isEmpty)
        }
    }

    @Test func `changes of one device are seen by the other`() async throws {
        try await withTwoDevices { laptop, desktop in
            for round in 1...8 {
                let document = laptop.cloud / "Round \(round).txt"
                try document.create("round")
                try await eventually { try (desktop.cloud / "Round \(round).txt").text() == "round" }
            }
        }
    }

    @Test func `an edit shows as outdated, and the next open sees the new version`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Groceries.txt"
            let there = desktop.cloud / "Groceries.txt"
            try document.create("milk\n")
            try await eventually { try there.text() == "milk\n" }
            // A reader may have all bytes shortly before the file is installed.
            try await eventually { try there.state()["downloading"] == "current" }
            try there.append("eggs\n")
            // Repeated stat calls keep the old size in the kernel's cache when the new one arrives.
            try await eventually {
                _ = try document.stat()
                return try document.state()["downloading"] == "outdated"
            }
            #expect(try document.stat().size == 10)
            #expect(try document.text() == "milk\neggs\n")
            // As above.
            try await eventually { try document.state()["downloading"] == "current" }
            #expect(try document.identity() == there.identity())
        }
    }

    @Test func `an unmodified open file keeps what it has`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Groceries.txt"
            let there = desktop.cloud / "Groceries.txt"
            try document.create("old content")
            try await eventually { try there.text() == "old content" }
            let reader = try document.open(.readOnly)
            #expect(try reader.read(count: 3, at: 0) == Array("old".utf8))
            try there.write("new content, longer")
            try await eventually { try document.state()["downloading"] == "outdated" }
            #expect(try reader.text() == "old content")
            #expect(try document.text() == "new content, longer")
            #expect(try reader.text() == "old content")
        }
    }

    @Test func `deletions appear on the other device, also of documents that are not here`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            for name in ["A.txt", "B.txt", "C.txt"] { try (laptop.cloud / name).create(name) }
            try await eventually { try desktop.cloud.documentNames().count == 3 }
            try (laptop.cloud / "A.txt").remove()
            try await eventually { !(desktop.cloud / "A.txt").exists }
            #expect(try (desktop.cloud / "B.txt").state()["downloading"] == "notDownloaded")
            try (desktop.cloud / "B.txt").remove()
            try await eventually { !(laptop.cloud / "B.txt").exists }
            #expect(try (laptop.cloud / "C.txt").text() == "C.txt")
            #expect(try laptop.cloud.documentNames() == desktop.cloud.documentNames())
        }
    }

    @Test func `names, attributes, times and permissions travel`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Groceries.txt"
            try document.create("milk")
            try await eventually { (desktop.cloud / "Groceries.txt").exists }
            let renamed = laptop.cloud / "Shopping.md"
            try document.rename(to: renamed)
            try renamed.setAttribute("user.colour", "green")
            try renamed.setPermissions([.ownerReadWrite, .ownerExecute])
            let moment = timespec(tv_sec: 1_600_000_000, tv_nsec: 123_456_789)
            try renamed.setTimes(accessed: moment, modified: moment)
            let there = desktop.cloud / "Shopping.md"
            try await eventually { try there.stat().st_mtim.tv_sec == moment.tv_sec }
            try await eventually { try there.attribute("user.colour") == "green" }
            #expect(try there.stat().st_mtim.tv_nsec == moment.tv_nsec)
            #expect(try there.stat().permissions == [.ownerReadWrite, .ownerExecute])
            #expect(try there.identity() == renamed.identity())
            #expect(!(desktop.cloud / "Groceries.txt").exists)
            #expect(try there.state()["downloading"] == "notDownloaded")
        }
    }

    @Test(.enabled(if: getuid() == 0, "only the superuser gives files away"))
    func `chown works and stays on this machine`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Groceries.txt"
            try document.create("milk")
            try document.setOwner(1234, group: 2345)
            #expect(try document.stat().userID.rawValue == 1234)
            #expect(try document.stat().groupID.rawValue == 2345)
            let there = desktop.cloud / "Groceries.txt"
            try await eventually { try there.text() == "milk" }
            #expect(try there.stat().userID.rawValue == 0)
            try await laptop.remount()
            #expect(try document.stat().userID.rawValue == 1234)
        }
    }

    @Test func `folders travel: made, renamed, moved into each other, removed`() async throws {
        try await withTwoDevices { laptop, desktop in
            try await laptop.shell("mkdir -p cloud/A/Inner cloud/B")
            try (laptop.cloud / "A" / "Inner" / "Plan.txt").create("plan")
            let identity = try (laptop.cloud / "A" / "Inner" / "Plan.txt").identity()
            try await eventually {
                try (desktop.cloud / "A" / "Inner" / "Plan.txt").exists
                    && Set(desktop.cloud.documentNames()) == ["A", "B"]
            }
            try (desktop.cloud / "A").rename(to: desktop.cloud / "B" / "Moved")
            try await eventually { (laptop.cloud / "B" / "Moved" / "Inner" / "Plan.txt").exists }
            #expect(
                try (laptop.cloud / "B" / "Moved" / "Inner" / "Plan.txt").identity() == identity)
            #expect(try laptop.cloud.documentNames() == ["B"])
            try (laptop.cloud / "B").rename(to: laptop.cloud / "C")
            try await eventually {
                try (desktop.cloud / "C" / "Moved" / "Inner" / "Plan.txt").text() == "plan"
            }
            try await desktop.shell("rm -r cloud/C")
            try await eventually { try laptop.cloud.documentNames() == [] }
        }
    }

    @Test func `documents move between folders with their identity`() async throws {
        try await withTwoDevices { laptop, desktop in
            try await laptop.shell("mkdir cloud/A cloud/B")
            let document = laptop.cloud / "A" / "Plan.txt"
            try document.create("plan")
            let identity = try document.identity()
            try await eventually { (desktop.cloud / "A" / "Plan.txt").exists }
            try document.rename(to: laptop.cloud / "B" / "Later.txt")
            let there = desktop.cloud / "B" / "Later.txt"
            try await eventually { there.exists }
            #expect(try there.identifier() == identity.id)
            #expect(try there.filename() == identity.filename)
            #expect(try (desktop.cloud / "A").listing() == [])
            #expect(try there.text() == "plan")
        }
    }

    @Test func `a save by replacement travels as a new version of the same document`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Groceries.txt"
            try document.create("old")
            let there = desktop.cloud / "Groceries.txt"
            try await eventually { try there.text() == "old" }
            let identity = try there.identity()
            try (desktop.cloud / ".goutputstream-A").create("new")
            try (desktop.cloud / ".goutputstream-A").rename(to: there)
            try await eventually { try document.text() == "new" }
            #expect(try document.identity() == identity)
            #expect(try laptop.cloud.documentNames() == [identity.filename])
            #expect(try laptop.cloud.documentNames() == desktop.cloud.documentNames())
        }
    }

    @Test func `deleted and created again at once, a document is the same on the other device`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Groceries.txt"
            try document.create("old")
            let there = desktop.cloud / "Groceries.txt"
            try await eventually { try there.text() == "old" }
            let identity = try there.identity()
            try document.remove()
            try document.create("new")
            try await eventually { try there.text() == "new" }
            #expect(try there.identity() == identity)
            #expect(try there.state()["conflicts"] == "0")
            #expect(try desktop.cloud.documentNames() == [identity.filename])
        }
    }

    @Test func `a device that comes later sees everything`() async throws {
        try await withTwoDevices { laptop, desktop in
            try await desktop.unmount()
            try await laptop.shell("mkdir -p cloud/Trip/Days")
            try (laptop.cloud / "Trip" / "Days" / "Monday.txt").create("monday")
            try (laptop.cloud / "Gone.txt").create("gone")
            try await laptop.waitUntilUploaded(laptop.cloud / "Gone.txt")
            try (laptop.cloud / "Gone.txt").remove()
            try (laptop.cloud / "Trip" / "Days" / "Monday.txt").rename(
                to: laptop.cloud / "Trip" / "Tuesday.txt")
            try await laptop.waitUntilUploaded(laptop.cloud / "Trip" / "Tuesday.txt")
            try await laptop.unmount()
            try await desktop.mount()
            try await eventually {
                try (desktop.cloud / "Trip" / "Tuesday.txt").text() == "monday"
            }
            #expect(try desktop.cloud.documentNames() == ["Trip"])
            #expect((desktop.cloud / "Trip" / "Days").exists)
        }
    }

    @Test func `many documents of both devices end up the same on both`() async throws {
        try await withTwoDevices { laptop, desktop in
            async let first = laptop.shell(
                "for i in $(seq 40); do echo laptop $i > cloud/l$i.txt; done; rm cloud/l1.txt cloud/l2.txt"
            )
            async let second = desktop.shell(
                "for i in $(seq 40); do echo desktop $i > cloud/d$i.txt; done; mv cloud/d3.txt cloud/third.txt"
            )
            _ = try await (first, second)
            try await eventually {
                try Set(laptop.cloud.documentNames()) == Set(desktop.cloud.documentNames())
                    && laptop.cloud.documentNames().count == 78
            }
            try await eventually { (laptop.cloud / "third.txt").exists }
            #expect(try (laptop.cloud / "third.txt").text() == "desktop 3\n")
            #expect(try (desktop.cloud / "l40.txt").text() == "laptop 40\n")
        }
    }
}
