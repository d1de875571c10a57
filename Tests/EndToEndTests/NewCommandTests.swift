import MountSupport
import SystemPackage
import Testing

/// `docfs new` (Semantics, "The command").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct NewCommandTests {
    @Test func `new makes an empty document with a name and prints its path`() async throws {
        try await withDevice { device in
            let result = try await device.docfs(
                "new", "--in", "cloud", "--name", "Shopping list", device.mountpoint.string)
            #expect(result.exitStatus == 0, "\(result.standardError)")
            let path = FilePath(result.line)
            #expect(path == device.cloud / (try path.filename()))
            #expect(try path.state()["displayName"] == "Shopping list")
            #expect(try path.state()["size"] == "0")
            #expect(try (device.cloud / "Shopping list.txt").identity() == path.identity())
            let json = try await device.docfs("new", "--json", "--name", "Plan", device.mountpoint.string)
            #expect(json.standardOutput.contains("\"filename\" : \"\(try (device.local / "Plan.txt").filename())\""))
        }
    }

    @Test func `without a name or a place it is untitled, in the preferred location`() async throws {
        try await withDevice { device in
            let path = FilePath(try await device.docfs("new", device.documents.string).line)
            #expect(path.removingLastComponent() == device.local)
            #expect(path.extension == "txt")
            try path.write("Call Anna\n")
            try await eventually { try path.state()["displayName"] == "Call Anna" }
        }
    }

    @Test func `it is a fresh one each time, whatever bears its name`() async throws {
        try await withDevice { device in
            for name in [[], ["--name", "Plan"]] {
                var identities = Set<String>()
                for _ in 0..<3 {
                    let arguments = ["new", "--ext", "md"] + name + [device.mountpoint.string]
                    let result = try await runProgram(try DocfsBinary.path.string, arguments)
                    #expect(result.exitStatus == 0, "\(result.standardError)")
                    identities.insert(try FilePath(result.line).identifier())
                    if !name.isEmpty { #expect(try FilePath(result.line).state()["displayName"] == "Plan") }
                }
                #expect(identities.count == 3)
            }
        }
    }

    @Test func `a folder is where it stands, and the mount is found from where one is`() async throws {
        try await withDevice { device in
            try (device.local / "Trip").makeFolder()
            let environment = ["BINARY": try DocfsBinary.path.string]
            let named = try await device.shell(
                #"cd local; "$BINARY" new --name Packing Trip"#, environment: environment)
            #expect(FilePath(named.line).removingLastComponent() == device.local / "Trip")
            #expect((device.local / "Trip" / "Packing.txt").exists)
            let here = try await device.shell(#"cd local/Trip; "$BINARY" new"#, environment: environment)
            #expect(FilePath(here.line).removingLastComponent() == device.local)
            let moved = try await device.shell(#""$BINARY" new --in cloud local/Trip"#, environment: environment)
            #expect(FilePath(moved.line).removingLastComponent() == device.cloud)
        }
    }

    @Test func `a name that no document can have is refused, and nothing is made`() async throws {
        try await withDevice { device in
            for name in ["", "a/b"] {
                #expect(try await device.docfs("new", "--name", name, device.mountpoint.string).exitStatus == 64)
            }
            for pathExtension in ["a b", "a.b", "a/b", String(repeating: "x", count: 17)] {
                let result = try await device.docfs("new", "--ext", pathExtension, device.mountpoint.string)
                #expect(result.exitStatus == 64)
            }
            let long = try await device.docfs(
                "new", "--name", String(repeating: "x", count: 254), device.mountpoint.string)
            #expect(long.exitStatus == 1)
            #expect(long.oneErrorLine?.hasSuffix("File name too long") == true, "\(long.standardError)")
            let scratch = try await device.docfs("new", "--ext", "tmp", device.mountpoint.string)
            #expect(scratch.exitStatus == 1)
            #expect(scratch.oneErrorLine != nil)
            #expect(try device.local.documentNames() == [])
        }
    }
}
