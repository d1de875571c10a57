import Glibc
import MountSupport
import SystemPackage
import Testing

/// `Documents/.location` and `docfs prefer`.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct PreferredLocationTests {
    @Test func `documents made in Documents go to the preferred location, and resolve there`() async throws {
        try await withDevice { device in
            #expect(try (device.documents / ".location").text() == "local\n")
            try await device.shell(
                """
                echo milk > Groceries.txt && test "$(cat local/Groceries.txt)" = milk
                echo cloud > .location
                echo bread > Bread.txt && test "$(cat cloud/Bread.txt)" = bread && test "$(cat Bread.txt)" = bread
                cp /etc/hostname Host.txt && test -f cloud/Host.txt
                echo eggs > "$HOME_FOLDER/Eggs.txt" && mv "$HOME_FOLDER/Eggs.txt" . && test "$(cat cloud/Eggs.txt)" = eggs
                rm Bread.txt && test ! -e cloud/Bread.txt
                """, environment: ["HOME_FOLDER": device.folder.string])
            #expect(try device.documents.listing().sorted() == ["cloud", "local"])
            try await device.remount()
            #expect(try (device.documents / ".location").text() == "cloud\n")
            #expect(try (device.documents / "Eggs.txt").text() == "eggs\n")
        }
    }

    @Test func `writing the other word moves everything over`() async throws {
        try await withDevice { device in
            try await device.shell(
                "echo a > local/a.txt; mkdir -p local/Work/Inner; echo b > local/Work/Inner/b.txt; ls local; cat local/a.txt"
            )
            let identity = try (device.local / "a.txt").identity()
            try await device.shell("echo cloud > .location")
            try await eventually { try device.local.listing() == [] }
            #expect(try (device.cloud / "a.txt").identity() == identity)
            #expect(try (device.cloud / "Work/Inner/b.txt").text() == "b\n")
            #expect(try (device.documents / ".state").text().hasPrefix("preferred: cloud\n"))
            #expect(throws: Errno.noSuchFileOrDirectory) { try (device.local / "a.txt").stat() }
            try await eventually {
                try (device.cloud / "a.txt").state()["uploading"] == "uploaded"
            }
            try await device.shell("printf local > .location")
            try await eventually { try device.cloud.listing() == [] }
            #expect(try (device.local / "a.txt").identity() == identity)
        }
    }

    @Test func `another word is EINVAL, and nothing changes`() async throws {
        try await withDevice { device in
            try await device.shell("echo a > local/a.txt")
            let refused = try await device.shell(
                "{ printf nas | tee .location >/dev/null; } 2>&1 || true; cat .location")
            #expect(refused.standardOutput.contains("Invalid argument"))
            #expect(refused.standardOutput.hasSuffix("local\n"))
            #expect(try (device.local / "a.txt").text() == "a\n")
        }
    }

    @Test func `undo brings back what moved, and the preferred location`() async throws {
        try await withDevice { device in
            for name in ["a.txt", "b.txt", "c.txt"] { try (device.local / name).create(name) }
            #expect(try await device.docfs("prefer", "cloud", device.mountpoint.string).exitStatus == 0)
            #expect(try await device.shell("head -n 1 .undo").line == "Move 3 documents to the cloud")
            #expect(try await device.docfs("undo", device.mountpoint.string).exitStatus == 0)
            #expect(try (device.local / "b.txt").text() == "b.txt")
            #expect(try device.local.documentNames().count == 3)
            #expect(try await device.shell("cat .location").line == "local")
            #expect(try await device.shell("head -n 1 .redo").line == "Move 3 documents to the cloud")
            #expect(try await device.docfs("redo", device.mountpoint.string).exitStatus == 0)
            #expect(try await device.shell("cat .location; cat cloud/b.txt").standardOutput == "cloud\nb.txt")
        }
    }

    @Test func `prefer waits, and names what stayed`() async throws {
        try await withDevice { device in
            try await device.shell("echo a > local/a.txt; mkdir local/Work; ln -s a.txt cloud/Work")
            let first = try await device.docfs("prefer", "cloud", device.mountpoint.string)
            #expect(first.exitStatus == 1)
            #expect(first.standardError == "docfs: Work: the new name is no folder's\n")
            #expect(try (device.cloud / "a.txt").text() == "a\n")
            try await device.shell("rm cloud/Work")
            let second = try await device.docfs("prefer", "cloud", device.mountpoint.string)
            #expect(second.exitStatus == 0, "\(second.standardError)")
            #expect((device.cloud / "Work").exists)
            #expect(try await device.docfs("prefer", "nas", device.mountpoint.string).exitStatus == 64)
        }
    }

    @Test func `a kill in the midst of the move loses nothing, and the move goes on`() async throws {
        try await withDevice { device in
            try await device.shell("for i in $(seq 1 200); do echo $i > local/Note$i.txt; done")
            try await device.shell("echo cloud > .location")
            try await device.crash()
            try await device.mount()
            try await eventually { try device.local.listing() == [] }
            for number in 1...200 {
                #expect(try (device.cloud / "Note\(number).txt").text() == "\(number)\n")
            }
        }
    }
}
