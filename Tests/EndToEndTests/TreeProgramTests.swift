import MountSupport
import SystemPackage
import Testing

/// Programs that work on whole trees. Those that compare names want display names shown.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct TreeProgramTests {
    /// Makes a tree of plain files outside the mount, with what trees of people have in them.
    private static func makeTree(of device: Device) async throws -> FilePath {
        let tree = device.folder / "tree"
        try await runShell(
            """
            mkdir -p "$TREE/Photos/2026" "$TREE/.config/app" "$TREE/Empty"
            for i in 1 2 3 4 5; do echo "note $i" > "$TREE/Note $i.txt"; done
            head -c 200000 /dev/urandom > "$TREE/Photos/2026/IMG 1.jpg"
            echo '{}' > "$TREE/.config/app/settings.json"
            echo text > "$TREE/Ünïcödé 文書.md"; echo plain > "$TREE/README"; : > "$TREE/empty.txt"
            ln -s "Photos/2026/IMG 1.jpg" "$TREE/best"
            chmod 600 "$TREE/Note 1.txt"; chmod 755 "$TREE/Note 2.txt"
            touch -d '2020-02-03 04:05:06.789' "$TREE/Note 3.txt"
            setfattr -n user.colour -v green "$TREE/Note 4.txt"
            touch -d '2021-01-01' "$TREE/Photos/2026"
            """, environment: ["TREE": tree.string])
        return tree
    }

    @Test(arguments: ["local", "cloud"])
    func `cp -a copies a tree in and out again`(container: String) async throws {
        try await withDevice(.displayNames) { device in
            let tree = try await Self.makeTree(of: device)
            let copy = device.documents / container / "tree"
            let back = device.folder / "back"
            try await runShell(
                """
                cp -a "$TREE" "$COPY"
                diff -r --no-dereference "$TREE" "$COPY"
                cp -a "$COPY" "$BACK"
                diff -r --no-dereference "$TREE" "$BACK"
                list() { (cd "$1" && find . ! -type d -printf '%P %m %T@ %s %l\\n' | sort); }
                list "$TREE" > "$TREE.list"
                list "$COPY" | diff "$TREE.list" -
                list "$BACK" | diff "$TREE.list" -
                test "$(stat -c %y "$COPY/Photos/2026")" = "$(stat -c %y "$TREE/Photos/2026")"
                test "$(getfattr --only-values -n user.colour "$BACK/Note 4.txt")" = green
                """,
                environment: ["TREE": tree.string, "COPY": copy.string, "BACK": back.string])
        }
    }

    @Test func `cp -r copies a tree into local and cloud with filenames shown`() async throws {
        try await withDevice { device in
            let tree = try await Self.makeTree(of: device)
            try await device.shell(
                #"cp -r "$TREE" local/ && cp -r "$TREE" cloud/"#, environment: ["TREE": tree.string]
            )
            for container in [device.local, device.cloud] {
                #expect(try (container / "tree" / "Note 5.txt").text() == "note 5\n")
                #expect(try (container / "tree" / ".config" / "app").listing() == ["settings.json"])
                #expect((container / "tree" / "best").symbolicLinkTarget == "Photos/2026/IMG 1.jpg")
            }
        }
    }

    @Test func `tar packs and unpacks a tree`() async throws {
        try await withDevice(.displayNames) { device in
            let tree = try await Self.makeTree(of: device)
            try await device.shell(
                """
                mkdir "$TREE.out"
                tar c -C "$TREE/.." --xattrs tree | tar x -C local --xattrs
                tar c -C local --xattrs tree | tar x -C "$TREE.out" --xattrs
                diff -r --no-dereference "$TREE" local/tree
                diff -r --no-dereference "$TREE" "$TREE.out/tree"
                test "$(getfattr --only-values -n user.colour 'local/tree/Note 4.txt')" = green
                test "$(stat -c '%a %y' 'local/tree/Note 1.txt')" = "$(stat -c '%a %y' "$TREE/Note 1.txt")"
                """,
                environment: ["TREE": tree.string])
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `rsync -a --delete mirrors a tree, and has nothing to do the second time`(
        container: String
    )
        async throws
    {
        try await withDevice(.displayNames) { device in
            let tree = try await Self.makeTree(of: device)
            let environment = ["TREE": tree.string]
            let mirror = "rsync -a --delete --itemize-changes \"$TREE/\" \(container)/tree/"
            try await device.shell(mirror, environment: environment)
            try await device.shell(
                "diff -r --no-dereference \"$TREE\" \(container)/tree", environment: environment)
            #expect(try await device.shell(mirror, environment: environment).standardOutput == "")
            let identity = try (device.documents / container / "tree" / "Note 2.txt").identity()
            try await device.shell(
                "rm \"$TREE/Note 1.txt\" && echo more >> \"$TREE/Note 2.txt\" && echo new > \"$TREE/New.txt\"",
                environment: environment)
            let changes = try await device.shell(mirror, environment: environment)
            #expect(changes.standardOutput.contains("*deleting   Note 1.txt"))
            try await device.shell(
                "diff -r --no-dereference \"$TREE\" \(container)/tree", environment: environment)
            #expect(
                try (device.documents / container / "tree" / "Note 2.txt").identity() == identity)
        }
    }

    @Test(arguments: Listing.allCases)
    func `find and du see a tree as it is`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let tree = try await Self.makeTree(of: device)
            try await device.shell("cp -a \"$TREE\" local/", environment: ["TREE": tree.string])
            let files = try await device.shell("find local/tree -type f | wc -l")
            #expect(Int(files.line.filter(\.isNumber)) == 10)
            let folders = try await device.shell("find local/tree -type d | wc -l")
            #expect(Int(folders.line.filter(\.isNumber)) == 6)
            let links = try await device.shell("find local/tree -type l")
            #expect(links.line == "local/tree/best")
            let sizes = "find \"$TREE\" -type f -printf '%s\\n' | sort -n"
            #expect(
                try await device.shell(sizes, environment: ["TREE": tree.string]).lines
                    == device.shell(sizes, environment: ["TREE": "local/tree"]).lines)
            let used = try await device.shell("du -sk local/tree")
            #expect(try #require(Int(used.line.prefix { $0.isNumber })) >= 200)
            if listing == .displayNames {
                let found = try await device.shell("find local -name 'Note ?.txt' | sort")
                #expect(found.lines == (1...5).map { "local/tree/Note \($0).txt" })
            }
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `rm -r and find -delete remove a tree`(container: String) async throws {
        try await withDevice { device in
            let tree = try await Self.makeTree(of: device)
            let environment = ["TREE": tree.string]
            try await device.shell(
                "cp -a \"$TREE\" \(container)/ && rm -r \(container)/tree", environment: environment
            )
            #expect(try (device.documents / container).documentNames() == [])
            try await device.shell(
                "cp -a \"$TREE\" \(container)/ && find \(container)/tree -delete",
                environment: environment)
            #expect(try (device.documents / container).documentNames() == [])
        }
    }

    @Test func `mv moves many documents between local and cloud`() async throws {
        try await withDevice { device in
            for index in 1...12 { try (device.local / "Note \(index).txt").create("note \(index)") }
            let names = try device.local.documentNames()
            try await device.shell("mv local/*.txt cloud/")
            #expect(try device.local.documentNames() == [])
            #expect(try Set(device.cloud.documentNames()) == Set(names))
            #expect(try (device.cloud / "Note 12.txt").text() == "note 12")
            try await device.shell("mv cloud/* local/")
            #expect(try Set(device.local.documentNames()) == Set(names))
        }
    }
}
