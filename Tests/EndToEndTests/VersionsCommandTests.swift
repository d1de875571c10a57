import Foundation
import MountSupport
import SystemPackage
import Testing

/// `docfs versions` and `docfs resolve` (Semantics, "The command").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct VersionsCommandTests {
    /// `Plan.txt` with the text `three`, and versions `two` and `one`.
    private func withVersions(_ body: (_ device: Device, _ document: FilePath) async throws -> Void) async throws {
        try await withDevice { device in
            let document = device.cloud / "Plan.txt"
            try document.create("one\n")
            try await device.waitUntilUploaded(document)
            for (number, text) in ["two\n", "three\n"].enumerated() {
                try document.write(text)
                try await eventually {
                    try (device.cloud / "Plan.txt.versions").listing().count == number + 1
                        && document.state()["uploading"] == "uploaded"
                }
            }
            try await body(device, document)
        }
    }

    @Test func `versions are listed, shown and compared`() async throws {
        try await withVersions { device, document async throws in
            let list = try await device.docfs("versions", document.string)
            #expect(list.lines.count == 2)
            #expect(list.lines.first?.hasPrefix("1  version  4 B  ") == true, "\(list.standardOutput)")
            let json = try await device.docfs("versions", "--json", document.string)
            struct Version: Decodable { let name: String, kind: String, device: String, size: Int, path: String }
            let versions = try JSONDecoder().decode([Version].self, from: Data(json.standardOutput.utf8))
            #expect(versions.map(\.device) == ["Laptop", "Laptop"])
            #expect(try versions.map { try FilePath($0.path).text() } == ["two\n", "one\n"])
            #expect(try await device.docfs("versions", "show", document.string, "2").standardOutput == "one\n")
            let named = try await device.docfs("versions", "show", document.string, versions[0].name)
            #expect(named.standardOutput == "two\n")
            let difference = try await device.docfs("versions", "diff", document.string, "1")
            #expect(difference.exitStatus == 0)
            #expect(difference.standardOutput.contains("-two\n+three\n"))
            let between = try await device.docfs("versions", "diff", document.string, "2", "1")
            #expect(between.standardOutput.contains("-one\n+two\n"))
            let own = try await runProgram(
                try DocfsBinary.path.string, ["versions", "diff", document.string, "2", "1"],
                environment: ["DIFF": "cat --show-ends"])
            #expect(own.standardOutput == "one$\ntwo$\n")
        }
    }

    @Test func `a version is restored in one step, and what it replaced becomes a version`() async throws {
        try await withVersions { device, document async throws in
            let identity = try document.identity()
            try document.setPermissions([.ownerReadWrite])
            try document.setAttribute("user.tags", "home")
            let result = try await device.docfs("versions", "restore", document.string, "2")
            #expect(result.exitStatus == 0, "\(result.standardError)")
            #expect(try document.text() == "one\n")
            #expect(try document.identity() == identity)
            #expect(try document.stat().permissions == [.ownerReadWrite])
            #expect(try document.attribute("user.tags") == "home")
            try await eventually { try (device.cloud / "Plan.txt.versions").listing().count == 3 }
            #expect(try device.cloud.documentNames().count == 1)
            #expect(
                try await device.docfs("undo", document.string).standardOutput.contains("Restore a version of “Plan”"))
            #expect(try document.text() == "three\n")
            #expect(try await device.docfs("redo", document.string).exitStatus == 0)
            #expect(try document.text() == "one\n")
            #expect(try device.cloud.documentNames().count == 1)
        }
    }

    @Test func `a version that is not there is one line and 1`() async throws {
        try await withVersions { device, document async throws in
            for version in ["9", "Desktop", "Laptop"] {
                let result = try await device.docfs("versions", "show", document.string, version)
                #expect(result.exitStatus == 1)
                #expect(result.oneErrorLine?.contains("`docfs versions` lists them") == true, "\(result.standardError)")
            }
            #expect(try await device.docfs("versions", device.cloud.string).exitStatus == 1)
            try (device.local / "Local.txt").create("local")
            let local = try await device.docfs("versions", "--json", (device.local / "Local.txt").string)
            #expect(local.standardOutput == "[\n\n]\n")
        }
    }

    /// `Plan.txt` in conflict: current is what the desktop wrote.
    private func withConflict(_ body: (_ laptop: Device, _ document: FilePath) async throws -> Void) async throws {
        try await withTwoDevices { laptop, desktop in
            let (here, there) = (laptop.cloud / "Plan.txt", desktop.cloud / "Plan.txt")
            try here.create("plan\n")
            try await eventually { try there.text() == "plan\n" }
            try laptop.cloudDirectory.disconnect()
            try here.append("laptop\n")
            try there.append("desktop\n")
            var time = try here.stat().st_mtim
            time.tv_sec += 1
            try there.setTimes(accessed: time, modified: time)
            try laptop.cloudDirectory.reconnect()
            try await eventually {
                try here.state()["conflicts"] == "1" && here.text() == "plan\ndesktop\n"
            }
            try await body(laptop, here)
            try await eventually {
                let texts = try [here, there].map { try $0.text() }
                return try texts[0] == texts[1] && there.state()["conflicts"] == "0"
            }
        }
    }

    @Test func `--keep current discards the conflict versions`() async throws {
        try await withConflict { laptop, document async throws in
            #expect(try await laptop.docfs("resolve", "--keep", "current", document.string).exitStatus == 0)
            #expect(try document.text() == "plan\ndesktop\n")
            #expect(try document.state()["conflicts"] == "0")
            #expect(try await laptop.docfs("resolve", "--keep", "current", document.string).exitStatus == 0)
        }
    }

    @Test func `--keep VERSION makes it current`() async throws {
        try await withConflict { laptop, document async throws in
            let missing = try await laptop.docfs("resolve", "--keep", "Tablet", document.string)
            #expect(missing.exitStatus == 1)
            #expect(try await laptop.docfs("resolve", "--keep", "Laptop", document.string).exitStatus == 0)
            #expect(try document.text() == "plan\nlaptop\n")
            #expect(try document.state()["conflicts"] == "0")
        }
    }

    @Test func `--keep all makes each conflict version a document of its own`() async throws {
        try await withConflict { laptop, document async throws in
            let result = try await laptop.docfs("resolve", "--keep", "all", document.string)
            #expect(result.exitStatus == 0, "\(result.standardError)")
            #expect(try document.text() == "plan\ndesktop\n")
            let copy = FilePath(result.line)
            #expect(try copy.text() == "plan\nlaptop\n")
            #expect(try copy.state()["displayName"]?.hasPrefix("Plan (Laptop 20") == true)
            #expect(copy.extension == "txt")
            #expect(try laptop.cloud.documentNames().count == 2)
        }
    }

    @Test func `without --keep the versions are shown on a terminal, and one is asked`() async throws {
        try await withConflict { laptop, document async throws in
            let refused = try await laptop.shell(
                #""$BINARY" resolve cloud/Plan.txt </dev/null"#, environment: ["BINARY": try DocfsBinary.path.string],
                exitStatus: 64)
            #expect(refused.oneErrorLine != nil)
            let script = """
                import os, pty, sys, time
                child, terminal = pty.fork()
                if child == 0:
                    os.execv(sys.argv[1], [sys.argv[1], "resolve", sys.argv[2]])
                shown, answers = b"", [b"d 1\\n", b"9\\n", b"1\\n"]
                asked = 0
                while True:
                    try: piece = os.read(terminal, 4096)
                    except OSError: break
                    if not piece: break
                    shown += piece
                    while shown.count(b"compares. ") > asked and answers:
                        asked += 1
                        os.write(terminal, answers.pop(0))
                print(shown.decode())
                sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
                """
            let result = try await runProgram(
                "python3", ["-c", script, try DocfsBinary.path.string, document.string], environment: ["TERM": "xterm"])
            #expect(result.exitStatus == 0, "\(result.standardOutput)\(result.standardError)")
            for part in ["Plan is in conflict:", "theirs, current", "mine", "before", "+laptop", "-desktop"] {
                #expect(result.standardOutput.contains(part), "\(part): \(result.standardOutput)")
            }
            #expect(try document.text() == "plan\nlaptop\n")
            #expect(try document.state()["conflicts"] == "0")
        }
    }
}
