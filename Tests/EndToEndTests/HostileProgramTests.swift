import Glibc
import MountSupport
import SystemPackage
import Testing

/// Programs that do what none should, by mistake or on purpose: they hold up nobody and reach nothing else.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct HostileProgramTests {
    private static func python(_ program: String, on device: Device) async throws -> ProgramResult {
        try await device.shell("python3 -c \"$PROGRAM\"", environment: ["PROGRAM": program])
    }

    @Test func `a program that is stopped in the middle of a save holds up nobody, and goes on`() async throws {
        try await withTwoDevices(.displayNames) { laptop, desktop in
            try (laptop.cloud / "Plan.txt").create("old")
            try (laptop.cloud / "Notes.txt").create("notes")
            try await laptop.shell(
                """
                cat >../save.py <<'END'
                import os, signal
                file = os.open("cloud/Plan.txt", os.O_WRONLY | os.O_TRUNC)
                os.write(file, b"first half, ")
                os.kill(os.getpid(), signal.SIGSTOP)
                os.write(file, b"second half")
                os.close(file)
                END
                """.replacing("../save.py", with: "\(laptop.folder)/save.py"))
            try await laptop.shell(
                """
                python3 "$FOLDER/save.py" & saving=$!
                until grep -q '^State:.*stopped' /proc/$saving/status; do sleep 0.02; done
                test "$(cat cloud/Plan.txt)" = "first half, "
                echo more >>cloud/Notes.txt; mv cloud/Notes.txt cloud/Letter.txt; mkdir cloud/New; rm cloud/Letter.txt
                ls -R . >/dev/null; cat .state >/dev/null; grep -q '^state: normal' cloud/Plan.txt.state
                kill -CONT $saving; wait $saving
                test "$(cat cloud/Plan.txt)" = "first half, second half"
                """, environment: ["FOLDER": laptop.folder.string])
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "first half, second half" }
            #expect(try (desktop.cloud / "Plan.txt").state()["conflicts"] == "0")
        }
    }

    @Test func `a program that is killed in the middle of a save leaves what it wrote, and the version before`()
        async throws
    {
        try await withDevice(.displayNames) { device in
            let plan = device.cloud / "Plan.txt"
            try plan.create("old")
            try await device.waitUntilUploaded(plan)
            try await device.shell(
                """
                python3 -c 'import os, signal
                file = os.open("cloud/Plan.txt", os.O_WRONLY | os.O_TRUNC)
                os.write(file, b"first half, ")
                os.kill(os.getpid(), signal.SIGKILL)' || true
                """)
            #expect(try plan.text() == "first half, ")
            try await eventually { try plan.state()["state"]?.contains("closed") == true }
            let versions = device.cloud / "Plan.txt.versions"
            try await eventually { try versions.listing().contains { try (versions / $0).text() == "old" } }
        }
    }

    @Test func `readers that never read hold up nobody`() async throws {
        try await withTwoDevices(.displayNames) { laptop, desktop in
            try (laptop.cloud / "Film.bin").create(String(repeating: "film", count: 1 << 20))
            try await eventually { (desktop.cloud / "Film.bin").exists }
            var open: [OpenFile] = []
            defer { for file in open { try? file.close() } }
            for path in ["Film.bin", "Film.bin.state", "../.state", "../.undo", ".state", ".order"] {
                for _ in 0..<50 { open.append(try (desktop.cloud / path).open(.readOnly)) }
            }
            let folder = try OpenDirectory(desktop.cloud)
            _ = try folder.next()
            for number in 0..<50 { try (laptop.cloud / "\(number).txt").create("\(number)") }
            try await eventually { try (desktop.cloud / "49.txt").text() == "49" }
            try (desktop.cloud / "Film.bin").rename(to: desktop.local / "Film.bin")
            try await eventually { try desktop.treeState()["cloud.pending"] == "0" }
            #expect(try (desktop.local / "Film.bin").stat().size == 4 << 20)
        }
    }

    @Test func `a hundred thousand open handles`() async throws {
        try await withDevice { device in
            _ = try await Self.python(
                """
                import os, resource
                limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
                count = min(100_000, limit - 100)
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
                for name in range(100): open(f"local/{name}.txt", "w").write(str(name))
                handles = [os.open(f"local/{number % 100}.txt", os.O_RDONLY) for number in range(count)]
                assert os.pread(handles[-1], 10, 0) == str((count - 1) % 100).encode()
                open("local/another.txt", "w").write("another")
                for handle in handles: os.close(handle)
                """, on: device)
            #expect(try (device.local / "another.txt").text() == "another")
            try await eventually { try (device.local / "99.txt").state()["state"]?.contains("closed") == true }
        }
    }

    /// 255 bytes each: the longest that a name may be, in letters of one to four bytes, and such that are put together from several.
    private static let longNames = ["x", "é", "ж", "語", "ש", "नि", "가", "👩🏽‍🚀", "e\u{301}"].map { letter in
        let rest = 255 - ".txt".utf8.count
        let count = rest / letter.utf8.count
        return String(repeating: letter, count: count) + String(repeating: "y", count: rest - count * letter.utf8.count)
            + ".txt"
    }

    @Test(arguments: Listing.allCases) func `names of 255 bytes of every script`(_ listing: Listing) async throws {
        try await withTwoDevices(MountOptions(listing: listing)) { laptop, desktop in
            for (number, name) in Self.longNames.enumerated() {
                #expect(name.utf8.count == 255)
                try (laptop.cloud / name).create("\(number)")
                try (laptop.cloud / "\(number).md").create("renamed \(number)")
                try (laptop.cloud / "\(number).md").rename(to: laptop.local / name)
            }
            for (number, name) in Self.longNames.enumerated() {
                try await eventually { try (desktop.cloud / name).text() == "\(number)" }
                #expect(try (laptop.local / name).text() == "renamed \(number)")
                try (desktop.cloud / name).remove()
            }
            try await eventually { try laptop.cloud.documentNames().isEmpty }
            if listing == .displayNames {
                #expect(try Set(laptop.local.documentNames()) == Set(Self.longNames))
            }
        }
    }

    @Test(.tags(.long)) func `a thousand attributes travel`() async throws {
        try await withTwoDevices(.displayNames) { laptop, desktop in
            try (laptop.cloud / "Plan.txt").create("plan")
            let wanted = Set((0..<1000).map { "user.attribute.\($0)" })
            for name in wanted { try (laptop.cloud / "Plan.txt").setAttribute(name, "value of \(name)") }
            try await eventually {
                guard (desktop.cloud / "Plan.txt").exists else { return false }
                return try wanted.isSubset(of: (desktop.cloud / "Plan.txt").attributeNames())
            }
            for name in wanted { #expect(try (desktop.cloud / "Plan.txt").attribute(name) == "value of \(name)") }
        }
    }

    // MARK: In the store and the container

    /// A folder elsewhere, with the name of a document of the mount in it.
    private static func makeSecret(for device: Device) throws -> FilePath {
        let secret = device.folder / "secret"
        try secret.makeFolder()
        try (secret / "Plan.txt").write("secret")
        return secret
    }

    @Test func `a link in the place of a folder of the store leads nowhere`() async throws {
        try await withDevice(.displayNames) { device in
            let secret = try Self.makeSecret(for: device)
            for container in [device.local, device.cloud] {
                try (container / "Work").makeFolder()
                try (container / "Work/Plan.txt").create("plan")
            }
            try await eventually { try device.treeState()["cloud.pending"] == "0" }
            for container in ["local", "cloud"] {
                let folder = device.store / container / "Work"
                try folder.rename(to: device.store / container / "Away")
                try folder.makeSymbolicLink(to: secret.string)
            }
            for container in [device.local, device.cloud] {
                #expect((try? (container / "Work/Plan.txt").text()) != "secret")
                try? (container / "Work/New.txt").create("new")
                try? (container / "Work/Plan.txt").append("more")
                try? (container / "Work/Plan.txt").rename(to: container / "Work/Letter.txt")
            }
            #expect(try secret.listing() == ["Plan.txt"])
            #expect(try (secret / "Plan.txt").text() == "secret")
            // Neither does the next mount follow it, nor send what lies there. A check finds it and makes both right.
            try await device.remount()
            #expect((try? (device.cloud / "Work/Plan.txt").text()) != "secret")
            let repair = try await device.docfs("check", "--repair", device.mountpoint.string)
            #expect(repair.exitStatus == 0)
            try await eventually { try device.treeState()["cloud.pending"] == "0" }
            for container in [device.local, device.cloud] {
                let work = container / "Work (Laptop)"
                #expect(try work.documentNames().contains { try (work / $0).text().hasPrefix("plan") })
            }
            #expect(try secret.listing() == ["Plan.txt"])
            #expect(try (secret / "Plan.txt").text() == "secret")
            let sent = try await runShell("grep -rl secret . || true", in: device.cloudDirectory.path)
            #expect(!sent.lines.contains { $0.contains("documents/") })
        }
    }

    @Test func `links in the place of folders of the container have nothing written elsewhere`() async throws {
        try await withDevice(.displayNames) { device in
            let secret = try Self.makeSecret(for: device)
            try (device.cloud / "Before.txt").create("before")
            try await device.waitUntilUploaded(device.cloud / "Before.txt")
            let container = device.cloudDirectory.path
            for name in [".incoming", "documents", "log"] {
                try (container / name).rename(to: container / "former \(name)")
                try (container / name).makeSymbolicLink(to: secret.string)
                try (device.cloud / "During \(name).txt").create("during")
                // Nothing is sent while they are there: it fails, and is tried again.
                try await eventually {
                    let state = try (device.cloud / "During \(name).txt").state()
                    return try state["error"] != nil || device.treeState()["cloud.connection"] != "online"
                }
                #expect(try secret.listing() == ["Plan.txt"])
                try (container / name).remove()
                try (container / "former \(name)").rename(to: container / name)
                try await eventually { try device.treeState()["cloud.pending"] == "0" }
            }
        }
    }
}
