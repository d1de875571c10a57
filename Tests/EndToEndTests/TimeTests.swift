import Glibc
import MountSupport
import SystemPackage
import Testing

/// Times of modification and of change (Semantics, "Files as programs expect them").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct TimeTests {
    private static let past = timespec(tv_sec: 1_500_000_000, tv_nsec: 123_456_789)

    private func isPast(_ path: FilePath) throws -> Bool {
        let time = try path.linkStatus().st_mtim
        return time.tv_sec == Self.past.tv_sec && time.tv_nsec == Self.past.tv_nsec
    }

    @Test func `times of folders and symbolic links travel, with what lies in the folder and after it was made`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            try await laptop.shell(
                """
                mkdir -p cloud/Folder/Inner
                ln -s Inner cloud/Folder/link
                echo text > cloud/Folder/Inner/a.txt
                for f in cloud/Folder/link cloud/Folder/Inner cloud/Folder; do touch -h -d @1500000000.123456789 $f; done
                """)
            try await eventually { (desktop.cloud / "Folder" / "Inner" / "a.txt").exists }
            for name in ["Folder/link", "Folder/Inner", "Folder"] {
                try await eventually { try isPast(desktop.cloud.appending(name)) }
            }
            // Changed once more, by the other.
            try await desktop.shell("for f in Folder/link Folder; do touch -h -d @1600000000 cloud/$f; done")
            for name in ["Folder/link", "Folder"] {
                try await eventually { try laptop.cloud.appending(name).linkStatus().st_mtim.tv_sec == 1_600_000_000 }
            }
        }
    }

    @Test(arguments: ["document", "folder", "placeholder"])
    func `each change of an attribute moves the time of change, and that of modification stays`(kind: String)
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            let made = laptop.cloud / "Thing.txt"
            if kind == "folder" { try made.makeFolder() } else { try made.create("text") }
            let path = kind == "placeholder" ? desktop.cloud / "Thing.txt" : made
            try await eventually { path.exists }
            if kind != "folder" { try await laptop.waitUntilUploaded(made) }
            var changes: [(String, () throws -> Void)] = [
                ("setxattr", { try path.setAttribute("user.colour", "green") }),
                ("removexattr", { try path.removeAttribute("user.colour") }),
                ("chmod", { try path.setPermissions(FilePermissions(rawValue: 0o700)) }),
            ]
            if kind != "folder" {
                changes.append(("display name", { try path.setAttribute("user.displayName", "Thing") }))
            }
            for (name, change) in changes {
                let before = try path.linkStatus()
                try await untilClockTicks(after: before.st_ctim, in: laptop.folder)
                try change()
                let after = try path.linkStatus()
                #expect(
                    (after.st_ctim.tv_sec, after.st_ctim.tv_nsec) > (before.st_ctim.tv_sec, before.st_ctim.tv_nsec),
                    "\(name)")
                #expect(
                    (after.st_mtim.tv_sec, after.st_mtim.tv_nsec) == (before.st_mtim.tv_sec, before.st_mtim.tv_nsec),
                    "\(name)")
            }
            if kind == "placeholder" { #expect(try path.linkStatus().st_blocks == 0) }
        }
    }

    /// The clock of a file system may tick no faster than calls follow each other.
    private func untilClockTicks(after time: timespec, in folder: FilePath) async throws {
        let clock = folder / "clock"
        try await eventually {
            try clock.write("tick")
            let now = try clock.linkStatus().st_mtim
            return (now.tv_sec, now.tv_nsec) > (time.tv_sec, time.tv_nsec)
        }
    }

    @Test(arguments: ["cat Folder/Plan.txt", ": > Folder/Plan.txt"])
    func `content that arrives, or goes, is no change of the folder`(command: String) async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Folder" / "Plan.txt"
            try (laptop.cloud / "Folder").makeFolder()
            try document.create("plan")
            try await eventually { (desktop.cloud / "Folder" / "Plan.txt").exists }
            let folder = desktop.cloud / "Folder"
            try folder.setTimes(accessed: Self.past, modified: Self.past)
            #expect(try (folder / "Plan.txt").state()["downloading"] == "notDownloaded")
            try await desktop.shell("cd cloud && " + command)
            // A reader may have all bytes before the file is installed.
            try await desktop.waitUntilHere(folder / "Plan.txt")
            #expect(try isPast(folder))
            try await desktop.remount()
            #expect(try isPast(folder))
        }
    }
}
