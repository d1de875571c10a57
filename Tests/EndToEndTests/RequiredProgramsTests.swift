import Testing

struct RequiredProgramsTests {
    /// What the tests run besides docfs and a POSIX shell. Of Debian: attr, coreutils, diffutils, e2fsprogs,
    /// findutils, fuse3, git, inotify-tools, libreoffice-writer-nogui, python3, python3-uno, rsync, sed, tar, util-linux, vim.
    static let programs = [
        "cp", "dd", "diff", "du", "find", "flock", "fusermount3", "getfattr", "git", "inotifywait", "mkfs.ext4", "python3",
        "rsync", "sed", "setfattr", "setpriv", "soffice", "tar", "timeout", "unshare", "vim", "xargs",
    ]

    @Test(.timeLimit(.minutes(1)))
    func `the programs that these tests work with are installed`() async throws {
        var missing: [String] = []
        for program in Self.programs {
            let found = try await runProgram("sh", ["-c", "command -v \(program)"])
            if found.exitStatus != 0 { missing.append(program) }
        }
        let sqlite = try await runProgram("python3", ["-c", "import sqlite3"])
        if sqlite.exitStatus != 0 { missing.append("python3's sqlite3") }
        // Debian's own python has it.
        let office = try await runProgram("/usr/bin/python3", ["-c", "import uno"])
        if office.exitStatus != 0 { missing.append("python3's uno") }
        #expect(missing == [])
    }
}
