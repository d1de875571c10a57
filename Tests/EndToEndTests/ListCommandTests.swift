import Foundation
import MountSupport
import SystemPackage
import Testing

/// `docfs ls` and `docfs status`, on a terminal and elsewhere (Semantics, "The command").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct ListCommandTests {
    @Test func `elsewhere than on a terminal, ls prints a document a line, without colour`() async throws {
        try await withDevice { device in
            try (device.local / "Groceries.txt").create("milk")
            let filename = try (device.local / "Groceries.txt").filename()
            let listing = try await device.docfs("ls", device.local.string)
            #expect(listing.standardOutput == "green  closed  -  \(filename)  Groceries\n")
            let colored = try await device.docfs("ls", "--color", "always", device.local.string)
            #expect(colored.standardOutput.hasPrefix("\u{1b}[32mgreen\u{1b}[0m"))
        }
    }

    @Test func `on a terminal, ls prints display names in columns, coloured by state`() async throws {
        try await withDevice { device in
            for name in ["Groceries.txt", "買い物.txt", "evil\u{1b}[2J.txt"] { try (device.local / name).create("milk") }
            try (device.local / "Trip").makeFolder()
            let shown = try await device.terminal("ls local", columns: 60)
            #expect(shown.contains("\u{1b}[32m●\u{1b}[0m Groceries.txt"))
            #expect(shown.contains("\u{1b}[1mTrip/\u{1b}[0m"))
            #expect(shown.contains("evil\\x1b[2J"))
            #expect(!shown.contains("evil\u{1b}"))
            #expect(shown.split(separator: "\n").count == 1)
            let narrow = try await device.terminal("ls local", columns: 20)
            #expect(narrow.split(separator: "\n").count == 4)
            let plain = try await device.terminal("ls local", columns: 60, environment: "NO_COLOR=1")
            #expect(plain.contains("● Groceries.txt") && !plain.contains("\u{1b}"))
        }
    }

    @Test func `on a terminal, each name that ls shows can be typed in a shell`() async throws {
        try await withDevice { device in
            let names = [
                "Plan.txt", "My plan.txt", "it's.txt", "it's $5.txt", "two\nlines.txt", "`x`", "~y",
                "one that takes most of the line.txt", "a\\b\u{1b}[2J'.txt",
            ]
            for name in names { try (device.local / name).create(name) }
            try (device.local / "My trip").makeFolder()
            let lines = try await device.terminal("ls local", columns: 44, environment: "NO_COLOR=1").split(
                separator: "\n")
            #expect(lines.last == "  'My trip'/")
            #expect(lines.count == names.count + 1, "\(lines)")
            for (line, name) in zip(lines, names) {
                let read = try await runProgram("bash", ["-c", "cat -- \(line.dropFirst(2))"], in: device.local)
                #expect(read.standardOutput == name, "\(line): \(read.standardError)")
            }
        }
    }

    @Test
    func `on a terminal, a document named as a folder beside it, or as another's filename, has its filename beside it`()
        async throws
    {
        try await withDevice { device in
            try (device.local / "Plan").create("plan")
            try (device.local / "Draft").create("draft")
            let other = try (device.local / "Draft").filename()
            let plan = try (device.local / "Plan").filename()
            try await runShell(
                "mkdir local/Trip && setfattr -n user.displayName -v Trip 'local/\(plan)'", in: device.documents)
            let shown = try await device.terminal("ls local", columns: 80, environment: "NO_COLOR=1")
            #expect(shown.contains("● Trip \(plan)"), "\(shown)")
            #expect(!shown.contains(other), "\(shown)")
        }
    }

    @Test func `a single long name does not take the columns from the others`() async throws {
        try await withDevice { device in
            for number in 100..<210 { try (device.local / "Photo of a holiday \(number)").create() }
            let usual = try await device.terminal("ls local", columns: 200).split(separator: "\n").count
            try (device.local / "\(String(repeating: "long ", count: 22))name").create()
            let lines = try await device.terminal("ls local", columns: 200).split(separator: "\n")
            #expect(lines.count <= usual + 2)
            #expect(lines.contains { $0.contains("long long…") || $0.contains("…") })
        }
    }

    @Test func `on a narrow terminal, undo --list cuts names and says where, the newest last`() async throws {
        try await withDevice { device in
            for name in ["First trip to the mountains", "Second trip to the mountains"] {
                try (device.local / name).makeFolder()
                try (device.local / "\(name)/Plan.txt").create("plan")
                try await runShell("rm -r '\(name)'", in: device.local)
            }
            let list = try await device.terminal("undo --list", columns: 60, environment: "NO_COLOR=1")
            let lines = list.split(separator: "\n")
            #expect(lines.last?.hasPrefix("1  ") == true && lines.last?.contains("Delete folder “") == true, "\(list)")
            #expect(lines.allSatisfy { $0.contains("  local") && $0.count <= 60 }, "\(list)")
            let undone = try await device.docfs("undo", "2", "--json", device.documents.string).lines
            #expect(undone.count == 2 && undone.allSatisfy { $0.hasPrefix(#"{"undone":"#) }, "\(undone)")
        }
    }

    @Test(arguments: Listing.allCases)
    func `ls lists folders and documents in one order`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            try (device.local / "a.txt").create("a")
            for name in ["Trip", "Two\nlines"] { try (device.local / name).makeFolder() }
            try (device.local / "b.txt").create("b")
            func listed() async throws -> [String] {
                try await device.docfs("ls", device.local.string).lines.map {
                    String($0.split(separator: " ").last ?? "")
                }
            }
            #expect(try await listed() == ["a", "Trip", #"Two\nlines"#, "b"])
            _ = try await device.docfs("reorder", (device.local / "Trip").string, "--to", "4")
            #expect(try await listed() == ["a", #"Two\nlines"#, "b", "Trip"])
            let shown = try await device.terminal("ls local", columns: 20, environment: "NO_COLOR=1")
            #expect(shown.split(separator: "\n").map { String($0.dropFirst(2)) }.last == "Trip/", "\(shown)")
        }
    }

    @Test func `ls lists the mountpoint, which has no order, and Documents`() async throws {
        try await withDevice { device in
            for (folder, names) in [(device.mountpoint, ["Documents"]), (device.documents, ["local", "cloud"])] {
                let listed = try await device.docfs("ls", folder.string)
                #expect(listed.exitStatus == 0, "\(listed.standardError)")
                #expect(listed.lines.map { String($0.split(separator: " ").last ?? "") } == names)
            }
        }
    }

    @Test func `ls --long has sizes, times, both names and folders`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create(String(repeating: "m", count: 2048))
            try (device.local / "Trip").makeFolder()
            let filename = try document.filename()
            let lines = try await device.docfs("ls", "--long", device.local.string).lines
            #expect(lines.count == 2)
            #expect(lines[0].contains("closed  -  2.0 KB  "))
            #expect(lines[0].hasSuffix("\(filename)  Groceries"))
            #expect(lines[1].hasSuffix("Trip/"))
        }
    }

    @Test func `on a terminal, ls --long fits, and says of the state what is not as usual`() async throws {
        try await withDevice { device in
            for name in ["Groceries.txt", "A name that is much longer than that.txt"] {
                try (device.local / name).create("milk")
            }
            try (device.local / "Trip").makeFolder()
            let filename = try (device.local / "Groceries.txt").filename()
            let wide = try await device.terminal("ls --long local", columns: 120, environment: "NO_COLOR=1")
            #expect(wide.contains("  here    Groceries.txt "))
            #expect(wide.contains("  \(filename)\n"))
            #expect(wide.contains("folder  Trip/\n"))
            let narrow = try await device.terminal("ls --long local", columns: 60, environment: "NO_COLOR=1")
            #expect(narrow.contains("'A name that is much long…\n"))
            #expect(!narrow.contains(filename))
            let lines = narrow.split(separator: "\n")
            #expect(lines.count == 3 && lines.allSatisfy { $0.count <= 60 }, "\(narrow)")
        }
    }

    @Test func `JSON has names as they are, and lines have them without line feeds`() async throws {
        try await withDevice { device in
            let document = device.local / "two\nlines.txt"
            try document.create("milk")
            struct Row: Decodable { let displayName: String }
            let json = try await device.docfs("ls", "--json", device.local.string)
            #expect(
                try JSONDecoder().decode([Row].self, from: Data(json.standardOutput.utf8))[0].displayName
                    == "two\nlines")
            let listing = try await device.docfs("ls", device.local.string)
            #expect(listing.lines.count == 1 && listing.lines[0].hasSuffix("  two\\nlines"))
        }
    }

    @Test func `on a terminal, what is empty is said`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            try (device.cloud / "Draft.txt").create("draft")
            try await device.waitUntilUploaded(device.cloud / "Draft.txt")
            let versions = try await device.terminal("versions cloud/Draft.txt", columns: 80)
            #expect(versions == "There are no other versions of cloud/Draft.txt.\n")
            #expect(try await device.docfs("versions", (device.cloud / "Draft.txt").string).standardOutput == "")
            #expect(
                try await device.terminal("redo --list", columns: 80) == "There is nothing that can be done again.\n")
            #expect(try await device.docfs("redo", "--list", device.documents.string).standardOutput == "")
            #expect(
                try await device.terminal("undo --list", columns: 80, environment: "NO_COLOR=1")
                    .wholeMatch(of: /1  \d{4}-\d\d-\d\d \d\d:\d\d  Create 2 documents  local\n/) != nil)
            #expect(try await device.terminal("status", columns: 80).contains("0 B in 0 documents"))
        }
    }

    @Test func `ls takes documents and several paths, and prints exact sizes and times as JSON`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            try await device.shell("touch -d 2026-11-21T04:12:33Z local/Groceries.txt")
            try (device.cloud / "Plan.txt").create("plan")
            let result = try await device.docfs("ls", "--json", document.string, device.cloud.string)
            struct Row: Decodable {
                let displayName: String, size: Int, modified: String, path: String, indicator: String
            }
            let rows = try JSONDecoder().decode([Row].self, from: Data(result.standardOutput.utf8))
            #expect(rows.map(\.displayName) == ["Groceries", "Plan"])
            #expect(rows.map(\.size) == [4, 4])
            #expect(rows[0].modified == "2026-11-21T04:12:33Z")
            #expect(rows[0].path == document.string)
            #expect(try FilePath(rows[1].path).text() == "plan")
            let titled = try await device.docfs("ls", device.local.string, device.cloud.string)
            #expect(titled.standardOutput.hasPrefix("\(device.local.string):\n"))
        }
    }

    @Test func `status takes several documents, and is coloured on a terminal`() async throws {
        try await withDevice { device in
            for name in ["Groceries.txt", "Plan.txt"] { try (device.local / name).create("milk") }
            let names = ["Groceries.txt", "Plan.txt"].map { (device.local / $0).string }
            let both = try await device.docfs("status", names[0], names[1])
            #expect(both.standardOutput.contains("displayName: Groceries\n"))
            #expect(both.standardOutput.contains("\n\nstate: closed\n"))
            let json = try await device.docfs("status", "--json", names[0], names[1])
            struct State: Decodable { let displayName: String, size: Int, state: [String] }
            let states = try JSONDecoder().decode([State].self, from: Data(json.standardOutput.utf8))
            #expect(states.map(\.displayName) == ["Groceries", "Plan"])
            #expect(states.map(\.size) == [4, 4] && states.map(\.state) == [["closed"], ["closed"]])
            let shown = try await device.terminal("status local/Groceries.txt", columns: 80)
            #expect(shown.contains("\u{1b}[2mclosed\u{1b}[0m"))
            #expect(shown.contains("4 B"))
        }
    }

    @Test func `on a terminal, two documents of one name are told apart, and each name can be typed`() async throws {
        try await withDevice { device in
            for text in ["one", "two"] {
                try (device.local / "Untitled.txt").create(text)
                try (device.local / "Untitled.txt").setAttribute("user.displayName", "Plan")
            }
            try (device.local / "List.txt").create("list")
            try await device.shell("mv local/List.txt local/List.md")
            let filenames = try device.local.folderState().rows.map(\.filename)
            let shown = try await device.terminal("ls local", columns: 100, environment: "NO_COLOR=1")
            #expect(shown == "● Plan.txt \(filenames[0])  ● Plan.txt \(filenames[1])  ● List.md\n")
            for filename in filenames { #expect((device.local / filename).exists) }
        }
    }

    @Test func `on a terminal, ls says in words what is not just here, and query prints names before paths`()
        async throws
    {
        try await withDevice { device in
            let cloud = device.cloud
            for name in ["Plan.txt", "List.txt", "Plain.txt"] {
                try (cloud / name).create(name)
                try await device.waitUntilUploaded(cloud / name)
            }
            #expect(try await device.docfs("evict", (cloud / "Plan.txt").string).exitStatus == 0)
            #expect(try await device.docfs("keep", (cloud / "List.txt").string).exitStatus == 0)
            #expect(
                try await device.terminal("ls cloud", columns: 100, environment: "NO_COLOR=1")
                    == "● Plan.txt (in the cloud only)  ● List.txt (kept)  ● Plain.txt\n")
            let found = try await device.terminal("query plan", columns: 100, environment: "NO_COLOR=1")
            let filename = try #require(try cloud.folderState().rows.first).filename
            #expect(
                found.wholeMatch(of: /Plan\.txt  (.*)\n/)?.1.hasSuffix("/Documents/cloud/\(filename)") == true,
                "\(found)")
        }
    }

    @Test func `on a terminal, status begins with a sentence`() async throws {
        try await withDevice { device in
            func sentence(_ path: String) async throws -> Substring? {
                try await device.terminal("status \(path)", columns: 200, environment: "NO_COLOR=1").split(
                    separator: "\n"
                ).first
            }
            let copy = " The container is on the disk of the documents themselves: it is no second copy."
            #expect(try await sentence(".") == "There are no documents yet.\(copy)")
            for place in [device.local, device.cloud] { try (place / "Plan.txt").create("plan") }
            try await device.waitUntilUploaded(device.cloud / "Plan.txt")
            #expect(try await sentence(".") == "One document is in the cloud; 1 is on this machine only.\(copy)")
            #expect(try await sentence("cloud") == "1 document")
            #expect(try await sentence("cloud/Plan.txt") == "Plan.txt: here")
            #expect(try await device.docfs("evict", (device.cloud / "Plan.txt").string).exitStatus == 0)
            #expect(try await sentence("cloud") == "1 document, 1 in the cloud only")
            #expect(try await sentence("cloud/Plan.txt") == "Plan.txt: in the cloud only")
            try device.cloudDirectory.disconnect()
            try await eventually { try device.treeState()["cloud.connection"] == "offline" }
            try (device.cloud / "List.txt").create("list")
            let offline = try #require(try await sentence("."))
            #expect(
                offline.hasPrefix("1 change waits for the cloud; 1 document is on this machine only."))
            #expect(offline.contains(" The cloud cannot be reached: "))
            try device.cloudDirectory.reconnect()
        }
    }

    @Test func `a closed pipe ends a command quietly, and a full disk is said in one line`() async throws {
        try await withDevice { device in
            for number in 0..<100 { try (device.local / "Document \(number).txt").create() }
            let script = #"set -o pipefail; { sleep 0.2; "$BINARY" ls --json local; echo "$?" >&2; } | true"#
            let environment = ["BINARY": try DocfsBinary.path.string]
            let closed = try await runProgram("bash", ["-c", script], in: device.documents, environment: environment)
            #expect(closed.standardError == "0\n")
            let full = try await device.shell(
                #""$BINARY" ls local >/dev/full"#, environment: environment, exitStatus: 1)
            #expect(full.oneErrorLine == "docfs: cannot write the output: No space left on device")
        }
    }
}

extension Device {
    /// Runs docfs in `Documents` with a pseudo-terminal as its output, and returns the text that a person would see.
    /// `COLUMNS` and `NO_COLOR` of the environment that runs the tests are left out: both change the output.
    func terminal(
        _ arguments: String, columns: Int, environment: String = "NAME=value", exitStatus: Int32 = 0
    ) async throws -> String {
        let command =
            "stty cols \(columns); env -u COLUMNS -u NO_COLOR TERM=xterm \(environment) '\(try DocfsBinary.path)' \(arguments)"
        let result = try await runProgram("script", ["-qec", command, "/dev/null"], in: documents)
        #expect(result.exitStatus == exitStatus, "\(command): \(result.standardOutput)")
        return result.standardOutput.replacing("\r\n", with: "\n")
    }
}
