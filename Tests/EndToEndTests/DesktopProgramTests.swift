import MountSupport
import SystemPackage
import Testing

/// Programs of the desktop, each run as a person runs it: typed keys for those with a screen, a command for the others.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct DesktopProgramTests {
    private static let containers = ["local", "cloud"]

    // MARK: Editors

    /// Types into nano by a terminal, and waits for what it says.
    private static let nano = #"""
        timeout 60 python3 -c '
        import os, pty, sys
        process, terminal = pty.fork()
        if process == 0:
            os.environ["TERM"] = "xterm"
            os.execvp("nano", ["nano", "-I"] + sys.argv[1:])
        def wait(text):
            seen = b""
            while text not in seen: seen += os.read(terminal, 4096)
        def save(line):
            os.write(terminal, line + b"\r\x0f")
            wait(b"Write")
            os.write(terminal, b"\r")
            wait(b"Wrote")
        wait(b"Help")
        save(b"tea")
        save(b"coffee")
        os.write(terminal, b"\x18")
        try:
            while os.read(terminal, 4096): pass
        except OSError: pass
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
        '
        """#

    @Test(arguments: Listing.allCases, ["", "-B"])
    func `nano saves`(listing: Listing, options: String) async throws {
        try await EditorTests.expectSameDocument(
            in: "local", listing: listing, after: Self.nano + " \(options) Groceries.txt",
            says: "tea\ncoffee\nmilk\neggs\n",
            leaving: options.isEmpty ? [] : ["Groceries.txt~"])
    }

    /// The first save renames the document to the backup, or copies it there.
    @Test(arguments: Listing.allCases, ["nil", "t"])
    func `emacs saves, with a backup that it renames or copies`(listing: Listing, copies: String) async throws {
        // It makes no backups in /tmp of its own accord.
        let script = """
            emacs -Q --batch --eval '(setq backup-by-copying \(copies) backup-enable-predicate (lambda (name) t))' Groceries.txt \
            --eval '(progn (goto-char (point-max)) (insert "tea\\n") (save-buffer) (insert "coffee\\n") (save-buffer))'
            """
        for container in Self.containers {
            try await EditorTests.expectSameDocument(
                in: container, listing: listing, after: script, says: "milk\neggs\ntea\ncoffee\n",
                leaving: ["Groceries.txt~"])
        }
    }

    /// Runs a script with a screen of its own and no settings of anybody.
    private static func onScreen(_ script: String) -> String {
        """
        export HOME=$(mktemp -d) GSETTINGS_BACKEND=memory NO_AT_BRIDGE=1; export XDG_RUNTIME_DIR=$HOME
        unset DBUS_SESSION_BUS_ADDRESS XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME WAYLAND_DISPLAY
        mkfifo $HOME/display
        Xvfb -displayfd 3 -nolisten tcp 3>$HOME/display >/dev/null 2>&1 & screen=$!
        trap 'kill $screen; wait $screen || true; rm -r $HOME' EXIT
        read number <$HOME/display; export DISPLAY=:$number
        \(script)
        """
    }

    @Test(arguments: Listing.allCases)
    func `mousepad saves`(listing: Listing) async throws {
        let script = Self.onScreen(
            """
            mousepad --disable-server Groceries.txt >/dev/null 2>&1 & editor=$!
            window=$(timeout 30 xdotool search --sync --onlyvisible --name Groceries | head -n 1)
            xdotool windowfocus --sync $window key ctrl+End type tea
            timeout 30 sh -c 'until grep -q tea Groceries.txt; do xdotool key ctrl+s; done'
            xdotool key ctrl+q
            wait $editor
            """)
        try await EditorTests.expectSameDocument(in: "local", listing: listing, after: script, says: "milk\neggs\ntea")
    }

    // MARK: File managers

    @Test func `pcmanfm renames`() async throws {
        try await withDevice(.displayNames) { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let identity = try document.identity()
            let script = Self.onScreen(
                """
                pcmanfm $PWD >/dev/null 2>&1 & manager=$!
                window=$(timeout 30 xdotool search --sync --onlyvisible --class pcmanfm | tail -n 1)
                xdotool windowfocus --sync $window
                until dialog=$(xdotool search --onlyvisible --name Rename); do xdotool key ctrl+a F2; done
                xdotool windowfocus --sync $dialog key ctrl+a type Shopping.txt
                timeout 30 sh -c 'until [ -e Shopping.txt ]; do xdotool key Return; done'
                kill $manager
                """)
            try await device.shell("cd local && " + script)
            let renamed = device.local / "Shopping.txt"
            #expect(try renamed.identifier() == identity.id)
            #expect(try renamed.filename() == identity.filename)
            #expect(try device.local.documentNames() == ["Shopping.txt"])
        }
    }

    /// As the file managers of GNOME, Xfce and LXDE do.
    @Test(arguments: Listing.allCases)
    func `gio renames, moves and migrates documents`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let identity = try document.identity()
            try await device.shell(
                """
                gio mkdir local/Lists
                gio rename local/Groceries.txt Shopping.txt
                gio move local/Shopping.txt local/Lists/Market.txt
                gio move local/Lists/Market.txt cloud
                """)
            let moved = device.cloud / "Market.txt"
            #expect(try moved.text() == "milk")
            #expect(try moved.identifier() == identity.id)
            #expect(try moved.filename() == identity.filename)
            #expect(try (device.local / "Lists").documentNames() == [])
        }
    }

    @Test(arguments: Listing.allCases, containers)
    func `gio saves, with or without a backup, and sets attributes`(listing: Listing, container: String) async throws {
        try await EditorTests.expectSameDocument(
            in: container, listing: listing,
            after: """
                echo tea | gio save Groceries.txt
                echo coffee | gio save --backup Groceries.txt
                gio set Groceries.txt xattr::mood good
                [ "$(getfattr --only-values -n user.mood Groceries.txt)" = good ]
                """,
            says: "coffee\n", leaving: ["Groceries.txt~"])
    }

    // MARK: Archives

    @Test(arguments: Listing.allCases, containers)
    func `zip updates an archive`(listing: Listing, container: String) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let folder = device.documents / container
            for name in ["one", "two"] { try (device.folder / name).create(name) }
            try await device.shell("cd \(container) && zip -qj Lists.zip ../../../one && echo after >After.txt")
            let archive = folder / "Lists.zip"
            try archive.setAttribute("user.colour", "green")
            let identity = try archive.identity()
            let shown = try folder.documentNames()
            try await device.shell(
                "cd \(container) && zip -qj Lists.zip ../../../two && zip -qd Lists.zip one && zip -qT Lists.zip")
            #expect(try archive.identity() == identity)
            #expect(try archive.attribute("user.colour") == "green")
            #expect(try folder.documentNames() == shown)
            let names = try await runProgram("python3", ["-m", "zipfile", "-l", (folder / identity.filename).string])
            #expect(names.standardOutput.contains("two") && !names.standardOutput.contains("one"))
        }
    }

    @Test(arguments: Listing.allCases, containers)
    func `zip makes an archive that has its extension by either name`(listing: Listing, container: String) async throws
    {
        try await withDevice(MountOptions(listing: listing)) { device in
            let folder = device.documents / container
            try await device.shell(
                "cd \(container) && echo one >one.txt && zip -q Lists.zip one.txt && echo two >ziAbC123 && mv ziAbC123 Two.zip"
            )
            for name in ["Lists", "Two"] {
                let archive = folder / (name + ".zip")
                let filename = try archive.filename()
                #expect(try archive.displayName() == name)
                #expect(filename.hasSuffix(".zip"))
                #expect(try (folder / filename).bytes() == archive.bytes())
                #expect(try (device.store / container).listing().contains(filename))
            }
            #expect(try (device.store / container).listing().count == 3)
            #expect(try folder.documentNames().count == 3)
        }
    }

    @Test func `an archive that zip updates in the cloud is the same document on the other device, with its history`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            for name in ["one", "two"] { try (laptop.folder / name).create(name) }
            try await laptop.shell("cd cloud && zip -qj Lists.zip ../../../one")
            let (here, there) = (laptop.cloud / "Lists.zip", desktop.cloud / "Lists.zip")
            try await laptop.waitUntilUploaded(here)
            let identity = try here.identity()
            try await laptop.shell("cd cloud && zip -qj Lists.zip ../../../two")
            let content = try here.bytes()
            try await eventually { try there.bytes() == content }
            #expect(try there.identity().id == identity.id)
            #expect(try there.filename() == identity.filename)
            #expect(try desktop.cloud.documentNames().count == 1)
            #expect(try (desktop.cloud / "Lists.zip.versions").listing().count >= 1)
        }
    }

    // MARK: Databases

    @Test(arguments: ["delete", "wal"], containers)
    func `two processes of sqlite3 work on one database`(journalMode: String, container: String) async throws {
        try await withDevice { device in
            let folder = device.documents / container
            try await device.shell(
                """
                cd \(container)
                sqlite3 Items.db 'PRAGMA journal_mode=\(journalMode); CREATE TABLE items (text TEXT)' >/dev/null
                """)
            let database = folder / "Items.db"
            let identity = try database.identity()
            try await device.shell(
                """
                cd \(container)
                fill() { for n in $(seq 20); do echo "INSERT INTO items VALUES ('$1 $n');"; done | sqlite3 -cmd '.timeout 60000' Items.db; }
                fill first & fill second
                wait $!
                sqlite3 Items.db 'DELETE FROM items WHERE text = "first 1"; VACUUM'
                mv Items.db Things.db
                """)
            #expect(try (folder / "Things.db").identifier() == identity.id)
            for name in ["Things.db", identity.filename] {
                let found = try await device.shell(
                    "cd \(container) && sqlite3 \(name) 'SELECT count(*) FROM items; PRAGMA integrity_check'")
                #expect(found.lines == ["39", "ok"])
            }
            #expect(try folder.documentNames() == [identity.filename])
        }
    }
}
