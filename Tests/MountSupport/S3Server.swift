import Foundation
import Glibc
import Synchronization
import SystemPackage
import Testing

/// `scripts/s3-server`, as a newcomer would start it, for as long as this object lives and no longer
/// than this process.
public final class S3Server: Sendable {
    public struct Failed: Error, CustomStringConvertible {
        public let description: String
    }

    private static let script =
        FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
        / "scripts" / "s3-server"

    public let port: Int
    public let folder: FilePath
    /// When the write end is closed, the shell at the other end stops the server.
    private let leash = Mutex<Pipe?>(nil)

    /// One for all tests that do not stop it.
    public static func shared() async throws -> S3Server { try await sharedServer.value }

    private static let sharedServer = Task { try await S3Server.start() }

    public static func start() async throws -> S3Server {
        let server = try S3Server()
        try await server.run()
        return server
    }

    private init() throws {
        port = try Self.freePorts(8)
        folder = FilePath(NSTemporaryDirectory()) / "docfs-s3-\(UUID().uuidString.prefix(8))"
        try folder.makeFolder()
    }

    deinit { end(keepingFolder: false) }

    /// Starts the server, or starts it again with its data, and waits until it answers.
    public func run() async throws {
        let pipe = Pipe()
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/bash")
        shell.arguments = ["-c", Self.leashScript, Self.script.string, folder.string]
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        shell.environment = ProcessInfo.processInfo.environment.merging(["PORT": String(port)]) { $1 }
        shell.standardInput = pipe.fileHandleForReading
        try? (folder / "output").remove()
        try shell.run()
        leash.withLock { $0 = pipe }
        try await eventually {
            let output = try (folder / "output").text()
            if !shell.isRunning { throw Failed(description: output) }
            return output.contains("listens on")
        }
    }

    /// Runs the server in a process group of its own, killed as a whole since SIGTERM is blocked in what a
    /// test starts, until its input ends; what the server cannot clear away then, it does.
    private static let leashScript = #"""
        set -m; "$0" "$1" >"$1/output" 2>&1 & set +m
        kept=$(cat)
        kill -KILL -- -$!; wait
        for port in $(seq "$PORT" $((PORT + 7))); do rm -f /tmp/seaweedfs-*-"$port".sock; done
        [ "$kept" = folder ] || rm -rf "$1"
        """#

    /// Stops the server. Its data stays.
    public func stop() async throws {
        end(keepingFolder: true)
        try await eventually { !Self.isInUse(port) }
    }

    private func end(keepingFolder keeps: Bool) {
        let pipe = leash.withLock { leash in
            defer { leash = nil }
            return leash
        }
        if keeps { try? pipe?.fileHandleForWriting.write(contentsOf: Data("folder".utf8)) }
        try? pipe?.fileHandleForWriting.close()
    }

    // MARK: For mounts

    /// The URL of a new container.
    ///
    /// - Parameter holder: stands before the server.
    public func url(_ name: String = UUID().uuidString, through holder: HeldServer? = nil) -> String {
        "s3://documents/\(name)?endpoint=http://127.0.0.1:\(holder?.port ?? port)"
    }

    public func environment() throws -> [String: String] {
        let output = try (folder / "output").text()
        guard let secret = output.firstMatch(of: /AWS_SECRET_ACCESS_KEY=(\S+)/)?.1 else {
            throw Failed(description: output)
        }
        return ["AWS_ACCESS_KEY_ID": "docfs", "AWS_SECRET_ACCESS_KEY": String(secret)]
    }

    // MARK: Ports

    /// The first of several consecutive ports that are free.
    private static func freePorts(_ count: Int) throws -> Int {
        for _ in 0..<200 {
            let first = Int.random(in: 20_000..<30_000)
            if (first..<first + count).allSatisfy({ !isInUse($0) }) { return first }
        }
        throw Failed(description: "no ports are free")
    }

    private static func isInUse(_ port: Int) -> Bool {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var reuses: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = in_port_t(port).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) != 0
            }
        }
    }
}
