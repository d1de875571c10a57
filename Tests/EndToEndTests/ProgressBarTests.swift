import MountSupport
import SystemPackage
import Testing

/// What a person sees on a terminal while contents come from a store over HTTP (Semantics, "The command").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct ProgressBarTests {
    @Test(arguments: ["download cloud/Film.bin", "keep cloud/Film.bin", "prefer local"])
    func `a bar shows the bytes that have come, and goes when all are here`(command: String) async throws {
        try await Self.withFilm { film, device, holder in
            holder.hold(.replies, after: 6 << 20)
            let typescript = device.folder / "typescript"
            async let result = device.terminalResult(command, columns: 100, typescript: typescript)
            try await eventually { try Self.lastDrawn(typescript).contains(/[1-9](\.\d)? MB of 16 MB/) }
            holder.release()
            let end = try await result
            #expect(end.exitStatus == 0, "\(end.standardOutput)")
            #expect(end.standardOutput.hasSuffix("\r\u{1b}[K"), "\(end.standardOutput.suffix(200))")
        }
    }

    @Test(.tags(.long)) func `a bar moves within a percent, too`() async throws {
        try await Self.withFilm(pieces: 256) { film, device, holder in
            holder.hold(.replies, after: 2 << 20)
            let typescript = device.folder / "typescript"
            async let result = device.terminalResult("download cloud/Film.bin", columns: 100, typescript: typescript)
            try await eventually { try Self.lastDrawn(typescript, of: 256).contains(/\ [12](\.\d)? MB of 256 MB/) }
            #expect(try film.state()["progress"] == "0")
            holder.release()
            #expect(try await result.exitStatus == 0)
        }
    }

    @Test(.tags(.long)) func `a failure clears the bar, and is one line after it`() async throws {
        try await Self.withFilm(timeoutSeconds: 6) { film, device, holder in
            holder.hold(.replies, after: 6 << 20)
            let typescript = device.folder / "typescript"
            let result = try await device.terminalResult(
                "download cloud/Film.bin", columns: 100, typescript: typescript)
            #expect(result.exitStatus == 1)
            let shown = try typescript.text()
            let line = try #require(shown.firstRange(of: "docfs: cloud/Film.bin cannot be fetched: "))
            #expect(shown[..<line.lowerBound].contains(" MB of 16 MB"), "\(shown)")
            #expect(shown[..<line.lowerBound].hasSuffix("\r\u{1b}[K"), "\(shown)")
            holder.release()
        }
    }

    /// A document of 16 MiB, or as many, whose content is in the store only.
    private static func withFilm(
        pieces: Int = 16, timeoutSeconds: Int? = nil,
        perform body: (_ film: FilePath, _ device: Device, _ holder: HeldServer) async throws -> Void
    ) async throws {
        let server = try await S3Server.shared()
        let holder = try HeldServer(before: server.port)
        let options = MountOptions(
            timeoutSeconds: timeoutSeconds, cloudURL: server.url(through: holder),
            environment: try server.environment())
        try await withDevice(options) { device in
            #expect(try await device.docfs("prefer", "cloud", device.mountpoint.string).exitStatus == 0)
            let film = device.cloud / "Film.bin"
            try LargeContent(pieces: pieces).write(to: film)
            try await device.waitUntilUploaded(film)
            #expect(try await device.docfs("evict", film.string).exitStatus == 0)
            try await body(film, device, holder)
        }
    }

    private static func lastDrawn(_ typescript: FilePath, of megabytes: Int = 16) throws -> Substring {
        guard typescript.exists else { return "" }
        return try typescript.text().split(separator: "\r").last { $0.contains("of \(megabytes) MB") } ?? ""
    }
}

extension Device {
    /// As `terminal`. What is drawn is written to a file at once.
    fileprivate func terminalResult(
        _ arguments: String, columns: Int, typescript: FilePath
    ) async throws -> ProgramResult {
        let command =
            "stty cols \(columns); env -u COLUMNS -u NO_COLOR TERM=xterm NO_COLOR=1 '\(try DocfsBinary.path)' \(arguments)"
        return try await runProgram("script", ["-qefc", command, typescript.string], in: documents)
    }
}
