import MountSupport
import Testing

struct RequiredProgramsTests {
    /// The programs that the tests run besides docfs and a POSIX shell. Of Debian: attr, btrfs-progs, chromium, chromium-driver, coreutils, curl, dbus-daemon,
    /// diffutils, e2fsprogs, emacs-nox, findutils, fish, fuse3, git, gnome-keyring, inotify-tools, libglib2.0-bin,
    /// libreoffice-writer-nogui, libsecret-tools, mousepad, nano, pcmanfm, python3, python3-uno, rsync, sed, sqlite3, tar, util-linux, vim,
    /// xdotool, xvfb, zip, zsh.
    static let programs = [
        "Xvfb", "btrfs", "chromedriver", "chromium", "cp", "curl", "dbus-run-session", "dd", "diff", "du", "emacs",
        "find",
        "fish", "flock",
        "fusermount3", "getfattr", "gio", "git",
        "gnome-keyring-daemon",
        "inotifywait", "mkfs.ext4",
        "mousepad", "nano", "pcmanfm", "python3", "rsync", "secret-tool", "sed", "setfattr", "setpriv", "soffice",
        "sqlite3", "tar",
        "timeout", "unshare",
        "vim", "xargs", "xdotool", "zip", "zsh",
    ]

    // Looked up without a process for each: beside all other tests, 33 processes took more than a minute.
    @Test(.timeLimit(.minutes(15)))
    func `the programs that these tests work with are installed`() async throws {
        var missing = Self.programs.filter { FoundPrograms.path(of: $0) == nil }
        let sqlite = try await runProgram("python3", ["-c", "import sqlite3"])
        if sqlite.exitStatus != 0 { missing.append("python3's sqlite3") }
        // Debian's own python has it.
        let office = try await runProgram("/usr/bin/python3", ["-c", "import uno"])
        if office.exitStatus != 0 { missing.append("python3's uno") }
        #expect(missing == [])
    }
}
