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
        _ device: Device, _ body: (_ address: String, _ stream: CommandStream) async throws -> Void
    ) async throws {
        let stream = try CommandStream(device, ["browse", "--no-open", device.mountpoint.string])
        try await eventually { !stream.lines.isEmpty }
        let address = try #require(stream.lines.first)
        do { try await body(address, stream) } catch {
            _ = try await stream.interrupt()
            throw error
        }
    }

    @Test func `the page shows the documents, follows them, and does what is asked of it`() async throws {
        try await withDevice { device in
            try (device.local / "Work").makeFolder()
            try (device.local / "Work/Inner.txt").create("inner")
            try (device.local / "Plan.txt").create("plan")
            try (device.cloud / "Film.mp4").create("film")
            try await device.waitUntilUploaded(device.cloud / "Film.mp4")
            #expect(try await device.docfs("evict", (device.cloud / "Film.mp4").string).exitStatus == 0)
            let script = FilePath(#filePath).removingLastComponent() / "Fixture/browse-page.py"
            let checkout = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
            let pictures = checkout / ".build/screenshots"
            // An ordinary user may not write beside the code.
            let isWritable =
                (try? FileManager.default.createDirectory(
                    atPath: pictures.string, withIntermediateDirectories: true)) != nil
                && FileManager.default.isWritableFile(atPath: pictures.string)
            let folder = isWritable ? pictures : device.folder
            try await withPage(device) { address, stream in
                let result = try await runProgram(
                    "python3", [script.string, address, device.documents.string, folder.string], in: device.folder,
                    environment: ["HOME": device.folder.string, "TMPDIR": device.folder.string])
                #expect(result.exitStatus == 0, "\(result.standardError)")
                let status = try await stream.interrupt()
                #expect(status == 130, "\(stream.errorLines)")
            }
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
                    let words = ["-b", jar.string, "-H", "Origin: \(base)", "--data-binary", body, "\(base)/action"]
                    let result = try await runProgram("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}"] + words)
                    #expect(result.standardOutput == "400", "\(body)")
                }
                #expect((device.local / "Plan.txt").exists)
                #expect(try await sent("Origin: \(base)") == "204")
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

    /// Opens the page with a program that stands in for the desktop's.
    private func withOpenedPage(
        _ device: Device, _ body: (_ stream: CommandStream, _ runtime: FilePath) async throws -> Void
    ) async throws {
        let (programs, runtime) = (device.folder / "programs", device.folder / "runtime")
        for folder in [programs, runtime] { try folder.makeFolder() }
        let script = """
            #!/bin/sh
            stat -c '%a' "$1" "$(dirname "$1")" >"$XDG_RUNTIME_DIR/opened"
            cat "$1" >>"$XDG_RUNTIME_DIR/opened"
            grep -E '^Sig(Blk|Ign)' /proc/self/status >>"$XDG_RUNTIME_DIR/opened"
            echo end >>"$XDG_RUNTIME_DIR/opened"
            """
        try (programs / "xdg-open").create(script)
        #expect(chmod((programs / "xdg-open").string, 0o755) == 0)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let stream = try CommandStream(
            device, ["browse", device.mountpoint.string],
            variables: ["PATH": "\(programs):\(path)", "XDG_RUNTIME_DIR": runtime.string])
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
