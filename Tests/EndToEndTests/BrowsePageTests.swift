import Foundation
import Glibc
import MountSupport
import SystemPackage
import TestSupport
import Testing

/// `docfs browse` (Semantics, "The table in a browser").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct BrowsePageTests {
    /// Runs a body while a page is served. Its address holds the key.
    private func withPage(
        _ device: Device, variables: [String: String] = [:],
        _ body: (_ address: String, _ stream: CommandStream) async throws -> Void
    ) async throws {
        let stream = try CommandStream(
            device, ["browse", "--no-open", device.mountpoint.string], variables: variables)
        try await eventually { !stream.lines.isEmpty }
        let address = try #require(stream.lines.first)
        do { try await body(address, stream) } catch {
            _ = try await stream.interrupt()
            throw error
        }
    }

    @Test(.tags(.long)) func `the page shows the documents, follows them, and does what is asked of it`() async throws {
        try await withDevice { device in
            try (device.local / "Work").makeFolder()
            try (device.local / "Work/Inner.txt").create("inner")
            try (device.local / "Plan.txt").create("plan")
            try (device.cloud / "Film.mp4").create("film")
            try await device.waitUntilUploaded(device.cloud / "Film.mp4")
            #expect(try await device.docfs("evict", (device.cloud / "Film.mp4").string).exitStatus == 0)
            try await use(device, "browse-page.py")
        }
    }

    @Test(.tags(.long))
    func `of 100000 documents only those that are visible are in the page, and each is reached at once`()
        async throws
    {
        try await withUnmountedDevice { device in
            try await device.mount()
            try await device.unmount()
            // Found by the next mount: making as many through the mount takes a minute.
            try await runShell(
                "seq -f 'Note %06.0f.txt' 0 99999 | tr '\\n' '\\0' | xargs -0 touch", in: device.storedLocal)
            try await device.mount()
            try device.local.setAttribute("user.document.sort", "name")
            try await use(device, "browse-large.py")
        }
    }

    /// Runs a script that uses the page in Chromium.
    ///
    /// - Parameter words: more arguments of the script.
    private func use(_ device: Device, _ script: String, _ words: [String] = []) async throws {
        let script = FilePath(#filePath).removingLastComponent() / "Fixture/\(script)"
        let checkout = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
        let pictures = checkout / ".build/screenshots"
        // An ordinary user may not write beside the code.
        let isWritable =
            (try? FileManager.default.createDirectory(
                atPath: pictures.string, withIntermediateDirectories: true)) != nil
            && FileManager.default.isWritableFile(atPath: pictures.string)
        let folder = isWritable ? pictures : device.folder
        let opened = (device.folder / "opened").string
        let opener =
            "#!/bin/sh\ncase $1 in */Data.bin) exit 3 ;; esac\necho \"$1\" >'\(opened).new' && mv '\(opened).new' '\(opened)'\n"
        let path = try programs(device, ["xdg-open": opener])
        try await withPage(device, variables: ["PATH": path]) { address, stream in
            let result = try await runProgram(
                "python3", ["-B", script.string, address, device.documents.string, folder.string, opened] + words,
                in: device.folder,
                environment: ["HOME": device.folder.string, "TMPDIR": device.folder.string])
            #expect(result.exitStatus == 0, "\(result.standardError)")
            let status = try await stream.interrupt()
            #expect(status == 130, "\(stream.errorLines)")
        }
    }

    @Test(.tags(.long)) func `one document is looked at, its conflict solved, and an earlier version restored`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            let (here, there) = (laptop.cloud / "Plan.txt", desktop.cloud / "Plan.txt")
            try here.create("eggs\n")
            try await eventually { try there.text() == "eggs\n" }
            try laptop.cloudDirectory.disconnect()
            try there.write("butter\n")
            try here.write("milk\n")
            // Later for certain: a file system's clock may tick no faster than two writes follow each other.
            var time = try there.stat().st_mtim
            time.tv_sec += 1
            try here.setTimes(accessed: time, modified: time)
            try laptop.cloudDirectory.reconnect()
            try await eventually {
                let state = try here.state()
                return try state["conflicts"] == "1" && state["uploading"] == "uploaded" && here.text() == "milk\n"
            }
            let script = """
                import base64, struct, wave
                png = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="
                open("Picture.png", "wb").write(base64.b64decode(png))
                open("Drawing.svg", "w").write('<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20"/>'
                    '<script>document.documentElement.setAttribute("data-attacked", "")</script></svg>')
                sound = wave.open("Sound.wav", "wb")
                sound.setparams((1, 2, 8000, 16000, "NONE", ""))
                sound.writeframes(b"\\0" * 32000)
                sound.close()
                open("Page.html", "w").write("<script>document.title = 'attacked'</script>")
                open("Data.bin", "wb").write(bytes(range(256)))
                """
            #expect(try await runProgram("python3", ["-c", script], in: laptop.local).exitStatus == 0)
            try await use(
                laptop, "browse-document.py", [desktop.documents.string, laptop.cloudDirectory.path.string])
        }
    }

    /// Attacks by other pages, other users and programs that speak no HTTP.
    @Test func `only the page itself is answered`() async throws {
        try await withDevice { device in
            try (device.local / "Plan.txt").create("plan")
            try await withPage(device) { address, stream in
                let base = try #require(address.wholeMatch(of: /(http:\/\/127\.0\.0\.1:\d+)\/\?key=[0-9a-f]{64}/)).1
                let jar = device.folder / "jar"
                func status(_ arguments: String...) async throws -> String {
                    let result = try await runProgram(
                        "curl",
                        ["-s", "--path-as-is", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "60"] + arguments)
                    return result.standardOutput
                }
                #expect(try await status("\(base)/rows") == "403")
                #expect(try await status("\(base)/?key=0") == "403")
                #expect(try await status("-c", jar.string, address) == "200")
                #expect(try await status("-b", jar.string, "\(base)/rows") == "200")
                #expect(try await status("-b", jar.string, "\(base)/rows?from=-1&count=99999999999999999999") == "200")
                #expect(try await status("-b", jar.string, "\(base)/changes?since=\(Int.min)") == "200")
                let six = base.replacing("127.0.0.1", with: "[::1]")
                if (try? FilePath("/proc/net/if_inet6").text())?.contains("00000000000000000000000000000001") == true {
                    #expect(try await status(address.replacing("127.0.0.1", with: "[::1]")) == "200")
                    #expect(try await status("\(six)/rows") == "403")
                }
                let undo = ["-d", #"{"action":"undo"}"#, "\(base)/action"]
                func sent(_ headers: String...) async throws -> String {
                    let words = headers.flatMap { ["-H", $0] } + ["-b", jar.string] + undo
                    return try await runProgram(
                        "curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}"] + words
                    ).standardOutput
                }
                #expect(try await sent() == "403")
                #expect(try await sent("Origin: http://evil.example") == "403")
                #expect(try await sent("Origin: null") == "403")
                #expect(try await sent("Origin: \(base)", "Sec-Fetch-Site: cross-site") == "403")
                #expect(try await status("-b", jar.string, "-H", "Host: evil.example", "\(base)/") == "403")
                for path in ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/nothing"] {
                    #expect(try await status("-b", jar.string, "\(base)\(path)") == "404", "\(path)")
                }
                for id in ["../../../etc/passwd", "local/../../x", "/etc/passwd", ""] {
                    #expect(
                        try await status("-b", jar.string, "-G", "\(base)/content", "-d", "id=\(id)") == "409", "\(id)")
                }
                let large = device.folder / "large"
                try large.create(String(repeating: "x", count: 3 << 20))
                for body in ["@\(large)", "nonsense", "{}"] {
                    let words = [
                        "-b", jar.string, "-H", "Origin: \(base)", "-H", "X-Docfs: 1", "--data-binary", body,
                        "\(base)/action",
                    ]
                    let result = try await runProgram("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}"] + words)
                    #expect(result.standardOutput == "400", "\(body)")
                }
                #expect((device.local / "Plan.txt").exists)
                // A form or a PDF has the cookie, perhaps, and cannot set a header.
                #expect(try await sent("Origin: \(base)") == "403")
                #expect((device.local / "Plan.txt").exists)
                #expect(try await sent("Origin: \(base)", "X-Docfs: 1") == "204")
                #expect(!(device.local / "Plan.txt").exists)
                _ = try await stream.interrupt()
            }
        }
    }

    @Test(.enabled(if: getuid() == 0, "another user is needed"))
    func `another user who knows the address is refused`() async throws {
        try await withDevice { device in
            try await withPage(device) { address, stream in
                let result = try await runProgram(
                    "setpriv",
                    [
                        "--reuid", "65534", "--regid", "65534", "--clear-groups", "curl", "-s", "-w", " %{http_code}",
                        address,
                    ])
                #expect(result.standardOutput == "another user's program\n 403")
                _ = try await stream.interrupt()
            }
        }
    }

    @Test func `a document is saved as it is, whole or in part, and is never a page of this origin`() async throws {
        try await withDevice { device in
            try (device.local / "Page.html").create("<script>alert(1)</script>")
            let id = "local/\(try (device.local / "Page.html").filename())"
            try await withPage(device) { address, stream in
                let jar = (device.folder / "jar").string
                let base = String(address.prefix { $0 != "?" })
                _ = try await runProgram("curl", ["-s", "-c", jar, address])
                func ask(_ arguments: String...) async throws -> String {
                    let words =
                        ["-s", "-b", jar] + arguments + ["-G", "\(base)content", "--data-urlencode", "id=\(id)"]
                    return try await runProgram("curl", words).standardOutput
                }
                #expect(try await ask() == "<script>alert(1)</script>")
                #expect(try await ask("-H", "Range: bytes=8-14") == "alert(1")
                #expect(try await ask("-H", "Range: bytes=-9") == "</script>")
                #expect(try await ask("-o", "/dev/null", "-w", "%{http_code}", "-H", "Range: bytes=99-") == "416")
                let headers = try await ask("-D", "-", "-o", "/dev/null").lowercased()
                #expect(headers.contains("content-disposition: attachment; filename*=utf-8''page%2ehtml"))
                #expect(headers.contains("content-type: application/octet-stream"))
                #expect(headers.contains("x-content-type-options: nosniff"))
                #expect(headers.contains("content-security-policy: default-src 'none';"))
                #expect(!headers.contains("access-control-"))
                _ = try await stream.interrupt()
            }
        }
    }

    @Test func `several documents, and folders, are saved as one archive under the names that people know`()
        async throws
    {
        try await withDevice { device in
            try await runShell(
                """
                mkdir -p Trip/Inner Empty; echo a >Trip/Plan.txt; echo b >Trip/Inner/Plan.txt; echo tmp >Trip/x.tmp
                echo one >Plan.txt; echo two >Trip/Two.txt; ln -s Plan.txt Link
                """, in: device.local)
            try (device.cloud / "Plan.txt").create("in the cloud\n")
            try await device.waitUntilUploaded(device.cloud / "Plan.txt")
            #expect(try await device.docfs("evict", (device.cloud / "Plan.txt").string).exitStatus == 0)
            // Two documents of one folder with one name.
            try (device.local / "Trip/Two.txt").setAttribute("user.displayName", "Plan")
            try await withPage(device) { address, stream in
                let jar = (device.folder / "jar").string
                let base = String(address.prefix { $0 != "?" })
                _ = try await runProgram("curl", ["-s", "-c", jar, address])
                func ask(_ ids: [String]) async throws -> (status: String, answer: String) {
                    let body = String(decoding: try JSONEncoder().encode(["ids": ids]), as: UTF8.self)
                    let answer = try await runProgram(
                        "curl",
                        [
                            "-s", "-b", jar, "-H", "X-Docfs: 1", "-H", "Origin: \(base.dropLast())", "-w",
                            "\n%{http_code}",
                            "-d", body, "\(base)archive",
                        ])
                    return (answer.lines.last ?? "", answer.lines.dropLast().joined())
                }
                let ids = [
                    "local/Trip", "local/Empty", "local/\(try (device.local / "Plan.txt").filename())",
                    "cloud/\(try (device.cloud / "Plan.txt").filename())",
                ]
                // The folders are shown by now.
                try await eventually { try await ask(ids).status == "200" }
                let prepared = try await ask(ids).answer
                let archive =
                    try JSONDecoder().decode([String: String].self, from: Data(prepared.utf8))["archive"] ?? ""
                let path = (device.folder / "saved.zip").string
                let words = ["-s", "-b", jar, "-D", "-", "-o", path, "\(base)archive?archive=\(archive)"]
                let headers = try await runProgram("curl", words).standardOutput.lowercased()
                #expect(headers.contains("content-disposition: attachment; filename*=utf-8''documents%2ezip"))
                #expect(headers.contains("content-type: application/zip"))
                let listed = try await runProgram(
                    "python3",
                    [
                        "-c",
                        "import sys, zipfile\nfor one in zipfile.ZipFile(sys.argv[1]).infolist(): print(one.filename, zipfile.ZipFile(sys.argv[1]).read(one))",
                        path,
                    ])
                #expect(
                    listed.lines == [
                        "Trip/ b''", "Trip/Inner/ b''", "Trip/Inner/Plan.txt b'b\\n'", "Trip/Plan.txt b'a\\n'",
                        "Trip/Plan (2).txt b'two\\n'", "Empty/ b''", "Plan.txt b'one\\n'",
                        "Plan (2).txt b'in the cloud\\n'",
                    ], "\(listed.standardError)")
                // An address is good for one time.
                #expect(try await runProgram("curl", words).standardOutput.contains("409"))
                #expect(try await ask(["local/Nothing"]).status == "409")
                #expect(try await ask(["../../etc"]).status == "409")
                // What can be neither read here nor fetched is said before anything is saved.
                #expect(try await device.docfs("evict", (device.cloud / "Plan.txt").string).exitStatus == 0)
                try device.cloudDirectory.disconnect()
                try await eventually { try device.treeState()["cloud.connection"] != "online" }
                try await eventually {
                    let (status, answer) = try await ask(ids)
                    return status == "409"
                        && answer.contains("Plan.txt is in the cloud only, and the cloud cannot be reached")
                }
                _ = try await stream.interrupt()
            }
        }
    }

    /// - Returns: a PATH that leads to programs that stand in for others first.
    private func programs(_ device: Device, _ scripts: [String: String]) throws -> String {
        let folder = device.folder / "programs"
        try folder.makeFolder()
        for (name, script) in scripts {
            try (folder / name).create(script)
            #expect(chmod((folder / name).string, 0o755) == 0)
        }
        return "\(folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    }

    @Test(arguments: Listing.allCases)
    func `a folder with very many documents shows its beginning, and then all of it, in its order`(listing: Listing)
        async throws
    {
        try await withDevice(MountOptions(listing: listing)) { device in
            try await runShell("mkdir Inner; for n in $(seq 300); do echo $n >Note$n.txt; done", in: device.local)
            try (device.cloud / "Plan.txt").create("plan")
            try await withPage(device) { address, stream in
                let (jar, base) = ((device.folder / "jar").string, String(address.prefix { $0 != "?" }))
                _ = try await runProgram("curl", ["-s", "-c", jar, address])
                func rows() async throws -> (names: [String], count: Int) {
                    let answer = try await runProgram("curl", ["-s", "-b", jar, "\(base)rows?from=0&count=500"])
                    let rows = try JSONDecoder().decode(ServedRows.self, from: Data(answer.standardOutput.utf8))
                    return (rows.rows.map(\.name), rows.update.count)
                }
                let all = ["local", "Inner"] + (1...300).map { "Note\($0)" } + ["cloud", "Plan"]
                // The rows that come first are among all of them, in the same order.
                var former: [String] = []
                try await eventually {
                    let now = try await rows().names
                    #expect(now.filter(Set(all).contains) == all.filter(Set(now).contains), "\(now)")
                    former = now
                    return now == all
                }
                #expect(former == all)
                _ = try await stream.interrupt()
            }
        }
    }

    private struct ServedRows: Decodable {
        struct Row: Decodable { let name: String }
        struct Update: Decodable { let count: Int }
        let rows: [Row]
        let update: Update
    }

    @Test func `what a server that was killed left of a document is removed when something is added there`()
        async throws
    {
        try await withDevice { device in
            func begin(_ name: String, at address: String) async throws {
                let (jar, base) = ((device.folder / "jar").string, String(address.prefix { $0 != "?" }))
                _ = try await runProgram("curl", ["-s", "-c", jar, address])
                let words = [
                    "-s", "-f", "-b", jar, "-X", "POST", "-H", "Origin: \(base.dropLast())", "-H", "X-Docfs: 1",
                    "\(base)uploads?target=local&path=\(name)",
                ]
                // It is refused until the table has its first rows.
                try await eventually { try await runProgram("curl", words).exitStatus == 0 }
            }
            func scratch() throws -> Set<String> {
                Set(try device.local.listing().filter { $0.hasPrefix(".docfs-add-") })
            }
            // The folder of its socket stays, too: it goes with the test's.
            try await withPage(device, variables: ["XDG_RUNTIME_DIR": device.folder.string]) { address, killed in
                try await begin("First.txt", at: address)
                let abandoned = try scratch()
                #expect(abandoned.count == 1)
                try await killed.interrupt(by: SIGKILL)
                try await withPage(device) { address, stream in
                    try await begin("Second.txt", at: address)
                    let second = try scratch()
                    #expect(second.count == 1 && second.isDisjoint(with: abandoned))
                    // One that is still coming is nobody else's to remove.
                    try await withPage(device) { address, other in
                        try await begin("Third.txt", at: address)
                        #expect(try scratch().count == 2 && scratch().isSuperset(of: second))
                        _ = try await other.interrupt()
                    }
                    _ = try await stream.interrupt()
                }
            }
        }
    }

    @Test func `attack: what is added stays below the mount, and nothing is left of what does not come whole`()
        async throws
    {
        try await withDevice { device in
            let outside = device.folder / "outside"
            try outside.makeFolder()
            try await runShell("ln -s '\(outside)' Link && mkdir Folder && echo plan > Plan.txt", in: device.local)
            try await withPage(device) { address, stream in
                let (jar, base) = ((device.folder / "jar").string, String(address.prefix { $0 != "?" }))
                _ = try await runProgram("curl", ["-s", "-c", jar, address])
                func ask(_ method: String, _ path: String, _ fields: [String: String], body: String? = nil)
                    async throws -> (status: String, text: String)
                {
                    var url = "\(base)\(path)?"
                    for (name, value) in fields {
                        url += "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")&"
                    }
                    let words =
                        [
                            "-s", "-b", jar, "-X", method, "-H", "Origin: \(base.dropLast())", "-H", "X-Docfs: 1", "-w",
                            "\n%{http_code}",
                            url,
                        ]
                        + (body.map { ["--data-binary", $0] } ?? [])
                    let lines = try await runProgram("curl", words).standardOutput.split(separator: "\n")
                    return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
                }
                for path in [
                    "../x", "a/../../x", "/x", "", ".", "a//b", "Link/x", "Plan.txt/x", ".state", "x\0y", ".order",
                    "Report.tmp", "notes~", "Folder/.Plan.txt.swp",
                ] {
                    let answer = try await ask("POST", "uploads", ["target": "local", "path": path])
                    if answer.status == "200" {
                        // The mount itself refuses it, at the latest.
                        let word = try #require(answer.text.firstMatch(of: /[0-9a-f]{64}/)).0
                        let end = try await ask("POST", "uploads/end", ["upload": String(word), "size": "0"])
                        #expect(["409", "412"].contains(end.status), "\(path): \(end)")
                    } else {
                        #expect(["409", "412"].contains(answer.status), "\(path): \(answer)")
                    }
                }
                for target in ["..", "local/Link", "local/..", "/", "nowhere"] {
                    #expect(
                        try await ask("POST", "uploads", ["target": target, "path": "x.txt"]).status == "409",
                        "\(target)")
                }
                #expect(try await ask("PUT", "uploads", ["upload": "0"], body: "x").status == "409")
                #expect(try await ask("POST", "uploads/end", ["upload": ""]).status == "409")
                #expect(try await ask("DELETE", "uploads", ["upload": "0"]).status == "204")
                // Two are begun and never ended; one is taken back.
                var words: [String] = []
                for name in ["A.txt", "B.txt", "C.txt"] {
                    let answer = try await ask("POST", "uploads", ["target": "local", "path": name])
                    let word = String(try #require(answer.text.firstMatch(of: /[0-9a-f]{64}/)).0)
                    let piece = ["upload": word, "offset": "0"]
                    #expect(try await ask("PUT", "uploads", piece, body: "half").status == "204")
                    words.append(word)
                }
                // No piece is missing, and none comes twice.
                #expect(
                    try await ask("PUT", "uploads", ["upload": words[1], "offset": "0"], body: "half").status == "409")
                #expect(
                    try await ask("PUT", "uploads", ["upload": words[1], "offset": "9"], body: "half").status == "409")
                #expect(try await ask("POST", "uploads/end", ["upload": words[1], "size": "9"]).status == "409")
                // The name is taken while it comes: it can still be ended with a number, and nothing is replaced.
                try (device.local / "C.txt").create("other")
                #expect(try await ask("POST", "uploads/end", ["upload": words[2], "size": "4"]).status == "412")
                let numbered = ["upload": words[2], "size": "4", "taken": "number"]
                #expect(try await ask("POST", "uploads/end", numbered).status == "204")
                #expect(try (device.local / "C.txt").text() == "other")
                #expect(try (device.local / "C 2.txt").text() == "half")
                #expect(try await ask("DELETE", "uploads", ["upload": words[0]]).status == "204")
                #expect(
                    try await ask("PUT", "uploads", ["upload": words[0], "offset": "4"], body: "more").status == "409")
                #expect(try await stream.interrupt() == 130)
            }
            #expect(try outside.listing().isEmpty)
            let left = try device.local.listing()
            #expect(!left.contains { $0.hasSuffix(".tmp") } && left.count == 5, "\(left)")
        }
    }

    /// Opens the page with a program that stands in for the desktop's.
    private func withOpenedPage(
        _ device: Device, _ body: (_ stream: CommandStream, _ runtime: FilePath) async throws -> Void
    ) async throws {
        let runtime = device.folder / "runtime"
        try runtime.makeFolder()
        let script = """
            #!/bin/sh
            stat -c '%a' "$1" "$(dirname "$1")" >"$XDG_RUNTIME_DIR/opened"
            cat "$1" >>"$XDG_RUNTIME_DIR/opened"
            grep -E '^Sig(Blk|Ign)' /proc/self/status >>"$XDG_RUNTIME_DIR/opened"
            echo end >>"$XDG_RUNTIME_DIR/opened"
            """
        let path = try programs(device, ["xdg-open": script])
        let stream = try CommandStream(
            device, ["browse", device.mountpoint.string],
            variables: ["PATH": path, "XDG_RUNTIME_DIR": runtime.string])
        do {
            try await eventually { try (runtime / "opened").exists && (runtime / "opened").text().hasSuffix("end\n") }
            try await body(stream, runtime)
        } catch {
            _ = try await stream.interrupt()
            throw error
        }
    }

    @Test func `the browser gets a page that only this person can read, and may be interrupted as usual`() async throws
    {
        try await withDevice { device in
            try await withOpenedPage(device) { stream, runtime in
                let opened = try (runtime / "opened").text()
                let address = try #require(stream.lines.first)
                #expect(opened.hasPrefix("600\n700\n"), "\(opened)")
                #expect(opened.contains("0; url=\(address)\""), "\(opened)")
                let interrupts = UInt64(1) << UInt64(SIGINT - 1) | UInt64(1) << UInt64(SIGTERM - 1)
                for match in opened.matches(of: /Sig(?:Blk|Ign):\s*([0-9a-f]+)/) {
                    #expect(try #require(UInt64(match.1, radix: 16)) & interrupts == 0, "\(opened)")
                }
                #expect(try await stream.interrupt() == 130)
                #expect(try runtime.listing() == ["opened"])
            }
        }
    }

    @Test func `it ends with the mount, and leaves nothing behind`() async throws {
        try await withDevice { device in
            try await withOpenedPage(device) { stream, runtime in
                try await device.unmount()
                #expect(try await stream.end() == 1)
                #expect(stream.errorLines == ["docfs: the mount at \(device.mountpoint) has ended"])
                #expect(try runtime.listing() == ["opened"])
                try await device.mount()
            }
        }
    }
}
