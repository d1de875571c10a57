import MountSupport
import SystemPackage
import Testing

/// Copies and backups made by programs that copy extended attributes (Semantics, "Other attributes").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct CopyTests {
    @Test(
        arguments: [
            "cp -a local/foo.txt local/bar.txt",
            "rsync -aX local/foo.txt local/bar.txt",
            "gio copy local/foo.txt local/bar.txt",
            "python3 -c \"import shutil; shutil.copy2('local/foo.txt', 'local/bar.txt')\"",
            "tar -C local --xattrs --transform=s/foo/bar/ -cf - foo.txt | tar -C local --xattrs --xattrs-include='*' -xf -",
            "away=$(mktemp -d) && cp -a local/foo.txt $away/bar.txt && mv $away/bar.txt local/ && rmdir $away",
        ], Listing.allCases)
    func `a copy keeps its own name, and takes the other attributes along`(command: String, listing: Listing)
        async throws
    {
        try await withDevice(MountOptions(listing: listing)) { device in
            let original = device.local / "foo.txt"
            try original.create("text")
            try original.setAttribute("user.colour", "green")
            try await device.shell(command)
            let copy = device.local / "bar.txt"
            #expect(try copy.displayName() == "bar")
            #expect(try copy.text() == "text")
            #expect(try copy.attribute("user.colour") == "green")
            #expect(try original.displayName() == "foo")
            #expect(try copy.identifier() != original.identifier())
        }
    }

    @Test(arguments: Listing.allCases)
    func `rsync -aX, run twice, leaves every name`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let run =
                #"mkdir -p "$SOURCE" && cd "$SOURCE" && for i in 1 2 3; do echo $i > "Note $i.txt"; done && rsync -aX "$SOURCE/" "$TARGET/""#
            for _ in 1...2 {
                try await runShell(
                    run, environment: ["SOURCE": (device.folder / "source").string, "TARGET": device.local.string])
                for number in 1...3 {
                    #expect(try (device.local / "Note \(number).txt").displayName() == "Note \(number)")
                }
                #expect(try device.local.documentNames().count == 3)
            }
        }
    }

    /// Each makes a backup of `local` in `$BACKUP`, and restores one to a mount.
    @Test(
        arguments: [
            "cp -a \"$FROM/.\" \"$TO/\"", "rsync -aX \"$FROM/\" \"$TO/\"",
            "tar -C \"$FROM\" --xattrs -cf - . | tar -C \"$TO\" --xattrs --xattrs-include='*' --no-overwrite-dir -xf -",
        ])
    func `a backup of a listing of filenames keeps the names, and restoring it twice changes nothing more`(
        command: String
    ) async throws {
        try await withDevice { device in
            try (device.local / "Folder").makeFolder()
            try (device.local / "Groceries.txt").create("milk")
            try (device.local / "Folder" / "Groceries.txt").create("eggs")
            try (device.local / "Plan").create("plan")
            let before = try (device.local / "Groceries.txt").filename()
            let backup = device.folder / "backup"
            try backup.makeFolder()
            try await runShell(command, environment: ["FROM": device.local.string, "TO": backup.string])
            try await device.shell("rm -r local/Folder local/2*")
            #expect(try device.local.documentNames() == [])
            // Elsewhere, since a document that comes back to its place within 15 s is the same one.
            let restored = device.local / "Restored"
            try restored.makeFolder()
            for _ in 1...2 {
                try await runShell(command, environment: ["FROM": backup.string, "TO": restored.string])
                #expect(try (restored / "Groceries.txt").text() == "milk")
                #expect(try (restored / "Folder" / "Groceries.txt").text() == "eggs")
                #expect(try (restored / "Plan").displayName() == "Plan")
                #expect(try restored.documentNames().count == 3)
                #expect(try (restored / "Groceries.txt").filename() == before)
            }
        }
    }

    @Test func `user.document.name counts for what was created under a generated name, until somebody names it`()
        async throws
    {
        try await withDevice { device in
            let restored = device.local / "2026-11-21-041233-7f3a.txt"
            try restored.create("milk")
            try restored.setAttribute("user.document.name", "Groceries")
            #expect(try (device.local / "Groceries.txt").attribute("user.document.name") == "Groceries")
            let document = device.local / (try (device.local / "Groceries.txt").filename())
            for refused in ["", "a/b"] {
                #expect(throws: Errno.invalidArgument) { try document.setAttribute("user.document.name", refused) }
            }
            try document.setAttribute("user.document.name", "Shopping")
            #expect(try document.displayName() == "Shopping")
            try document.removeAttribute("user.document.name")
            #expect(try document.displayName() == "Shopping")
            try document.setAttribute("user.displayName", "Mine")
            try document.setAttribute("user.document.name", "Groceries")
            #expect(try document.displayName() == "Mine")
            #expect(try document.attributeNames() == ["user.document.name"])
        }
    }

    @Test func `user.document.name changes nothing of other documents`() async throws {
        try await withDevice { device in
            for name in ["foo.txt", "Untitled", ".hidden"] {
                let document = device.local / name
                try document.create("")
                let identity = try document.identity()
                for value in ["Other", "", "a/b"] { try document.setAttribute("user.document.name", value) }
                try document.removeAttribute("user.document.name")
                #expect(try document.identity() == identity)
            }
        }
    }
}
