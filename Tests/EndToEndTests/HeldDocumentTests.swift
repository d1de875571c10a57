import MountSupport
import SystemPackage
import Testing

/// Programs that keep a document open while they or other devices save it.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct HeldDocumentTests {
    /// A shell function for the scripts: waits until a command succeeds. `THERE` is the other device's `Documents`.
    private static let functions = """
        await() { tries=0; until "$@"; do tries=$((tries + 1)); [ $tries -lt 600 ] || exit 99; sleep 0.05; done; }
        says() { [ "$(cat "$1")" = "$2" ]; }
        uploaded() { grep -q '^uploading: uploaded$' "$1.state"; }
        overtaken() { grep -q '^downloading: \\(outdated\\|notDownloaded\\)$' "$1.state"; }
        save() { echo "$2" > "$1.new" && mv "$1.new" "$1"; }
        F=cloud/Plan.txt

        """

    /// Two devices that have `Plan.txt`, "one".
    private func withPlan(_ perform: (_ laptop: Device, _ desktop: Device) async throws -> Void) async throws {
        try await withTwoDevices { laptop, desktop in
            try await Self.run(
                "echo one > $F; await uploaded $F; await says \"$THERE/$F\" one", on: laptop, beside: desktop)
            try await perform(laptop, desktop)
        }
    }

    private static func run(_ script: String, on device: Device, beside other: Device) async throws {
        try await device.shell(functions + script, environment: ["THERE": other.documents.string])
    }

    /// The last save is current everywhere, and the other save is kept beside it.
    private static func expectConflict(_ devices: [Device], current: String, kept: String) async throws {
        for device in devices {
            let document = device.cloud / "Plan.txt"
            try await eventually { try document.state()["conflicts"] == "1" && document.text() == current }
            let folder = device.cloud / "Plan.txt.conflicts"
            #expect(try folder.listing().map { try (folder / $0).text() } == [kept])
        }
    }

    private static func expectNoConflict(_ devices: [Device], current: String) async throws {
        for device in devices {
            let document = device.cloud / "Plan.txt"
            try await eventually { try document.state()["uploading"] == "uploaded" && document.text() == current }
            #expect(try document.state()["conflicts"] == "0")
        }
    }

    // MARK: Sent while it is open

    @Test func `a save by renaming arrives although the document is open for writing, before and after`() async throws {
        try await withPlan { laptop, desktop in
            try await Self.run(
                """
                exec 9<>$F
                save $F two; exec 8<>$F
                await says "$THERE/$F" two
                save $F three; exec 7<>$F
                await says "$THERE/$F" three
                """, on: laptop, beside: desktop)
            try await Self.expectNoConflict([laptop, desktop], current: "three\n")
        }
    }

    @Test(.tags(.long)) func `who keeps a document open and says nothing is heard after ten seconds, each time`()
        async throws
    {
        try await withPlan { laptop, desktop in
            try await Self.run(
                """
                exec 9>>$F
                echo two >&9
                sleep 5; says "$THERE/$F" one
                await says "$THERE/$F" "$(printf 'one\\ntwo')"; await uploaded $F
                echo three >&9
                sleep 5; says "$THERE/$F" "$(printf 'one\\ntwo')"
                await says "$THERE/$F" "$(printf 'one\\ntwo\\nthree')"; await uploaded $F
                echo four >&9
                ! uploaded $F
                exec 9>&-
                await says "$THERE/$F" "$(printf 'one\\ntwo\\nthree\\nfour')"
                """, on: laptop, beside: desktop)
            try await Self.expectNoConflict([laptop, desktop], current: "one\ntwo\nthree\nfour\n")
        }
    }

    @Test func `a synced save arrives at once, each time`() async throws {
        try await withPlan { laptop, desktop in
            let file = try (laptop.cloud / "Plan.txt").open(.readWrite)
            for text in ["two\n", "three\n"] {
                try file.truncate(to: 0)
                try file.write(Array(text.utf8), at: 0)
                try file.synchronize()
                try await eventually(within: .seconds(9)) { try (desktop.cloud / "Plan.txt").text() == text }
            }
            try file.close()
            try await Self.expectNoConflict([laptop, desktop], current: "three\n")
        }
    }

    // MARK: Overtaken while it is open

    @Test(arguments: ["<", "<>", ">>"])
    func `a save over a version that is held makes another device's save a conflict version`(_ mode: String)
        async throws
    {
        try await withPlan { laptop, desktop in
            try await Self.run(
                """
                exec 9\(mode)$F
                (cd "$THERE" && save $F theirs && await uploaded $F)
                await overtaken $F
                [ '\(mode)' != '<' ] || await says $F theirs
                save $F ours
                """, on: laptop, beside: desktop)
            try await Self.expectConflict([laptop, desktop], current: "ours\n", kept: "theirs\n")
        }
    }

    @Test(arguments: ["<", "<>"])
    func `so does one over a version that was let go of a moment ago`(_ mode: String) async throws {
        try await withPlan { laptop, desktop in
            try await Self.run(
                """
                exec 9\(mode)$F
                (cd "$THERE" && save $F theirs && await uploaded $F)
                await overtaken $F
                exec 9<&-
                await says $F theirs
                exec 8<>$F; exec 8>&-
                save $F ours
                """, on: laptop, beside: desktop)
            try await Self.expectConflict([laptop, desktop], current: "ours\n", kept: "theirs\n")
        }
    }

    @Test func `a version that was let go of long ago is no conflict`() async throws {
        try await withPlan { laptop, desktop in
            try await Self.run(
                """
                exec 9<>$F
                (cd "$THERE" && save $F theirs && await uploaded $F)
                await overtaken $F
                exec 9<&-
                sleep 5.2
                await says $F theirs
                save $F ours
                """, on: laptop, beside: desktop)
            try await Self.expectNoConflict([laptop, desktop], current: "ours\n")
        }
    }

    @Test func `another process that reads an old version makes no conflict`() async throws {
        try await withPlan { laptop, desktop in
            try await Self.run(
                """
                tail -f $F > /dev/null & reader=$!
                await sh -c "ls -l /proc/$reader/fd | grep -q cloud"
                (cd "$THERE" && save $F theirs && await uploaded $F)
                await says $F theirs
                save $F ours
                await uploaded $F
                kill $reader
                """, on: laptop, beside: desktop)
            try await Self.expectNoConflict([laptop, desktop], current: "ours\n")
        }
    }
}
