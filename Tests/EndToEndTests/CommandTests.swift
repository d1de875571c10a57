import Foundation
import Glibc
import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct CommandTests {
    @Test func `mount returns when the mount is ready`() async throws {
        try await withUnmountedDevice { device in
            try await device.mount()
            #expect(device.isMounted)
            #expect(try device.mountpoint.listing() == ["Documents"])
            #expect(device.processes.count == 1)
        }
    }

    @Test func `mount leaves the caller's output to the caller`() async throws {
        try await withUnmountedDevice(.plain) { device in
            // Command substitution ends when the last writer of the pipe has closed it.
            let binary = try DocfsBinary.path.string
            let script = #"output=$(timeout 60 "$0" "$@" 2>&1) && echo "came back""#
            let result = try await runProgram("sh", ["-c", script, binary] + device.mountArguments)
            #expect(result.line == "came back")
            #expect(device.isMounted)
        }
    }

    @Test func `unmount ends the mount within 5 seconds, a document being open or not`()
        async throws
    {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            for isOpen in [false, true] {
                let file = isOpen ? try (device.local / "Plan.txt").open(.readOnly) : nil
                try #require(device.isMounted)
                // It ends with 1 after 5 seconds.
                let result = try await device.docfs("unmount", device.mountpoint.string)
                #expect(result.exitStatus == 0, "\(result.standardError)")
                #expect(!device.isMounted)
                try? file?.close()
                try await device.mount()
                #expect(try (device.local / "Plan.txt").text() == "plan")
            }
        }
    }

    @Test func `SIGTERM ends the mount within 5 seconds, and nothing is lost`() async throws {
        try await withDevice { device in
            let file = try (device.local / "Plan.txt").open(.readWrite, .create)
            try file.write("plan")
            try #require(!device.processes.isEmpty)
            device.signalProcesses(SIGTERM)
            try await eventually(within: .seconds(5)) { device.processes.isEmpty }
            #expect(!device.isMounted)
            try? file.close()
            try await device.mount()
            #expect(try (device.local / "Plan.txt").text() == "plan")
        }
    }

    @Test(.enabled(if: getuid() == 0, "only the superuser makes a namespace"))
    func `unmount ends the mount and frees the store also where another mount namespace holds it`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            let holder = try await Self.holdingElsewhere(device) {
                try await device.unmount()
                #expect(!device.isMounted)
                try await device.mount()
                #expect(try (device.local / "Plan.txt").text() == "plan")
            }
            #expect(holder.standardOutput == "")
            #expect(holder.standardError.contains("not connected"), "\(holder.standardError)")
        }
    }

    @Test(.enabled(if: getuid() == 0, "only the superuser makes a namespace"), arguments: [true, false])
    func `SIGTERM ends the mount also where another mount namespace holds it`(isMountedHere: Bool) async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            _ = try await Self.holdingElsewhere(device) {
                if !isMountedHere { _ = try await runProgram("fusermount3", ["-u", device.mountpoint.string]) }
                #expect(device.isMounted == isMountedHere)
                try #require(device.processes.count == 1)
                device.signalProcesses(SIGTERM)
                try await eventually { device.processes.isEmpty }
                #expect(!device.isMounted)
                try await device.mount()
                #expect(try (device.local / "Plan.txt").text() == "plan")
            }
        }
    }

    /// Runs `body` while a process in a mount namespace of its own holds a device's mount.
    ///
    /// - Returns: what that process saw of the mount when `body` had ended.
    private static func holdingElsewhere(_ device: Device, _ body: () async throws -> Void) async throws
        -> ProgramResult
    {
        let (seen, end) = (device.folder / "seen", device.folder / "end")
        try end.call { mkfifo($0, 0o600) }
        // Both ways, so that opening it waits for nobody.
        let pipe = try FileDescriptor.open(end, .readWrite)
        defer { try? pipe.close() }
        async let holder = runProgram(
            "unshare",
            [
                "-m", "--propagation", "private", "sh", "-c",
                "ls docs/Documents >seen; read line <end; ls docs/Documents",
            ],
            in: device.folder)
        let result: Result<Void, any Error>
        do {
            try await eventually { try seen.text().contains("local\n") }
            result = .success(try await body())
        } catch { result = .failure(error) }
        try pipe.writeAll([UInt8(ascii: "\n")])
        let ended = try await holder
        try result.get()
        return ended
    }

    @Test func `fusermount3 -u ends docfs as unmount does`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            let result = try await runProgram("fusermount3", ["-u", device.mountpoint.string])
            try #require(result.exitStatus == 0, "\(result.standardError)")
            try await eventually { device.processes.isEmpty }
            try await device.mount()
            #expect(try (device.local / "Plan.txt").text() == "plan")
        }
    }

    @Test func `--foreground stays until it is ended, and ends with 0`() async throws {
        try await withUnmountedDevice { device in
            async let ended = device.attemptMount(device.mountArguments + ["--foreground"])
            try await eventually { device.isMounted && (device.documents / ".state").exists }
            try (device.local / "Plan.txt").create("plan")
            try #require(!device.processes.isEmpty)
            device.signalProcesses(SIGTERM)
            #expect(try await ended.exitStatus == 0)
            #expect(!device.isMounted)
        }
    }

    @Test func `the store is a folder of mode 0700`() async throws {
        try await withDevice { device async throws in
            #expect(try device.store.stat().permissions == [.ownerReadWriteExecute])
        }
    }

    @Test
    func `the default store is docfs in XDG_DATA_HOME, and the default cloud works beside it`()
        async throws
    {
        try await withUnmountedDevice { device in
            let data = device.folder / "data"
            try data.makeFolder()
            let binary = try DocfsBinary.path.string
            try await runShell(
                #"exec "$BINARY" mount "$MOUNTPOINT" >/dev/null 2>&1"#,
                environment: [
                    "BINARY": binary, "MOUNTPOINT": device.mountpoint.string,
                    "XDG_DATA_HOME": data.string,
                ])
            try (device.local / "Groceries.txt").create("milk")
            let filename = try (device.local / "Groceries.txt").filename()
            #expect(try (data / "docfs" / "local" / filename).text() == "milk")
            #expect(try (data / "docfs").stat().permissions == [.ownerReadWriteExecute])
            try (device.local / "Groceries.txt").rename(to: device.cloud / "Groceries.txt")
            try await device.waitUntilUploaded(device.cloud / "Groceries.txt")
        }
    }

    @Test func `ls lists a folder's documents in their order`() async throws {
        try await withDevice { device in
            let names = ["zebra.txt", "apple.txt", "README"]
            for name in names { try (device.local / name).create() }
            let listing = try await device.docfs("ls", device.local.string)
            #expect(listing.exitStatus == 0)
            let places = try device.local.documentNames().map { name in
                try #require(listing.standardOutput.range(of: name)).lowerBound
            }
            #expect(places == places.sorted())
            let json = try await device.docfs("ls", "--json", device.local.string)
            #expect(json.exitStatus == 0)
            _ = try JSONSerialization.jsonObject(with: Data(json.standardOutput.utf8))
            for name in try device.local.documentNames() {
                #expect(json.standardOutput.contains(name))
            }
        }
    }

    @Test func `status tells the state of a document`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            try await eventually { try document.state()["state"] == "closed" }
            let identity = try document.identity()
            let text = try await device.docfs("status", document.string)
            #expect(text.exitStatus == 0)
            #expect(text.standardOutput.contains("closed"))
            let json = try await device.docfs("status", "--json", document.string)
            #expect(json.exitStatus == 0)
            _ = try JSONSerialization.jsonObject(with: Data(json.standardOutput.utf8))
            for value in [identity.id, identity.filename, "Groceries", "closed", "green"] {
                #expect(json.standardOutput.contains(value))
            }
        }
    }

    /// Names of documents that are also those of states.
    @Test(arguments: Listing.allCases)
    func `status and ls tell the state also where a document has taken its name`(listing: Listing) async throws {
        try await withDevice(MountOptions(listing: listing)) { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            for place in [device.local, folder] {
                try (place / "Groceries.txt").create("milk")
                let state = place / "Groceries.txt.state"
                try state.create("state: not what docfs says")
                #expect(try state.text() == "state: not what docfs says")
                let identity = try (place / "Groceries.txt").identity()
                let status = try await device.docfs("status", "--json", (place / "Groceries.txt").string)
                #expect(status.exitStatus == 0)
                for value in [identity.id, identity.filename, "green"] {
                    #expect(status.standardOutput.contains("\"\(value)\""))
                }
                // The document that took the name has a state of its own.
                let taker = try (place / "Groceries.txt.state").identity()
                let other = try await device.docfs("status", (place / "Groceries.txt.state").string)
                #expect(other.standardOutput.contains("id: \(taker.id)\n"))
                for command in ["ls", "status"] {
                    let list = try await device.docfs(command, place.string)
                    #expect(list.exitStatus == 0)
                    #expect(list.standardOutput.contains(identity.filename))
                    #expect(list.standardOutput.contains(taker.filename))
                    #expect(!list.standardOutput.contains("not what docfs says"))
                }
            }
            let whole = try await device.docfs("status", "--json", device.mountpoint.string)
            #expect(whole.standardOutput.contains("\"cloudConnection\" : \"online\""), "\(whole.standardOutput)")
        }
    }

    @Test func `status of a link is that of the document it points to`() async throws {
        try await withDevice { device in
            try (device.local / "Groceries.txt").create("milk")
            try (device.folder / "by-link").makeSymbolicLink(to: (device.local / "Groceries.txt").string)
            // Whose path is not in a mount, but where it leads is.
            let status = try await device.docfs("status", (device.folder / "by-link").string)
            #expect(status.standardOutput.contains("id: \(try (device.local / "Groceries.txt").identifier())\n"))
        }
    }

    @Test func `a name that is not UTF-8 is refused also where the command reads states`() async throws {
        try await withDevice { device in
            try (device.local / "Groceries.txt").create("milk")
            for name in ["", "Groceries.txt"].map({ Array($0.utf8) + [0xff] + Array(".state".utf8) }) {
                let path = device.local / name
                #expect(throws: Errno.illegalByteSequence) { try path.create() }
                #expect(throws: Errno.illegalByteSequence) { try path.makeFolder() }
                #expect(throws: Errno.illegalByteSequence) { try (device.local / "Groceries.txt").rename(to: path) }
                #expect(throws: Errno.permissionDenied) { try path.open(.writeOnly) }
            }
            #expect(try device.local.documentNames().count == 1)
        }
    }

    @Test func `all commands take ordinary paths and find the mount from them`() async throws {
        try await withDevice { device in
            try (device.local / "Folder").makeFolder()
            try (device.local / "Folder" / "Plan.txt").create("plan")
            let filename = try (device.local / "Folder" / "Plan.txt").filename()
            let binary = try DocfsBinary.path.string
            let relative = try await device.shell(
                #"cd local && "$BINARY" ls Folder"#, environment: ["BINARY": binary])
            #expect(relative.standardOutput.contains(filename))
            let here = try await device.shell(
                #"cd local/Folder && "$BINARY" status ./Plan.txt"#, environment: ["BINARY": binary])
            #expect(here.standardOutput.contains(filename))
            try await device.shell(#"ln -s "$PWD/local/Folder" ../../by-link"#)
            let linked = try await device.docfs("ls", (device.folder / "by-link").string)
            #expect(linked.standardOutput.contains(filename))
        }
    }

    @Test(arguments: [
        "mount", "unmount", "new", "ls", "status", "reorder", "sort", "watch", "query", "wait", "versions", "resolve",
        "download", "evict", "keep", "prefer", "undo", "redo", "check", "browse",
    ])
    func `every command has --help`(command: String) async throws {
        let result = try await runProgram(try DocfsBinary.path.string, [command, "--help"])
        #expect(result.exitStatus == 0)
        #expect(result.standardOutput.contains("docfs \(command)"))
        #expect(result.standardError == "")
    }

    @Test(arguments: [
        ["frobnicate"], ["mount"], ["unmount", "a", "b"], ["mount", "/tmp/x", "--no-such-option"],
        ["mount", "/tmp/x", "--filenames", "alphabetical"],
        ["mount", "/tmp/x", "--show", "nothing"],
        ["mount", "/tmp/x", "--timeout", "soon"],
        ["reorder", "/tmp/x"], ["reorder", "/tmp/x", "--before", "a", "--to", "1"],
        ["reorder", "/tmp/x", "--to", "first"],
        ["sort", "/tmp/x", "weight"], ["sort", "/tmp/x", "/tmp/y", "name"],
    ])
    func `wrong usage ends with 64`(arguments: [String]) async throws {
        let result = try await runProgram(try DocfsBinary.path.string, arguments)
        #expect(result.exitStatus == 64)
        #expect(!result.standardError.isEmpty)
    }

    @Test(arguments: ["ls", "status", "unmount"])
    func `a path outside a mount is one line on standard error and 1`(command: String) async throws {
        try await withUnmountedDevice { device in
            let result = try await device.docfs(command, device.mountpoint.string)
            #expect(result.exitStatus == 1)
            #expect(result.oneErrorLine != nil, "\(result.standardError)")
            #expect(result.standardOutput == "")
        }
    }

    @Test(arguments: ["ls", "status"])
    func `a path that does not exist is one line on standard error and 1`(command: String)
        async throws
    {
        try await withDevice { device in
            let result = try await device.docfs(command, (device.local / "Missing.txt").string)
            #expect(result.exitStatus == 1)
            #expect(result.oneErrorLine != nil, "\(result.standardError)")
        }
    }
}
