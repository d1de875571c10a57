import Foundation
import Glibc
import Synchronization

/// A server that runs as long as this object, and no longer than this process, however that ends.
final class ServerProcess: Sendable {
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// The servers that scripts/install-python-packages installs.
    private static let programs = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/python/bin")

    /// The end of a pipe at whose other end a shell waits: when it closes, the shell ends the server and
    /// removes its folder.
    private let leash = Pipe()
    let folder: String

    /// - Parameter arguments: of the program, made for the folder that the server may fill.
    init(_ program: String, _ arguments: (_ folder: String) throws -> [String]) throws {
        let path = Self.programs.appending(path: program).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Missing(description: "\(path) is missing; run scripts/install-python-packages")
        }
        folder = NSTemporaryDirectory() + "docfs-server-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/bash")
        shell.arguments =
            ["-c", Self.script, "server", folder, path] + (try arguments(folder))
        shell.standardInput = leash.fileHandleForReading
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        try shell.run()
    }

    deinit { try? leash.fileHandleForWriting.close() }

    private static let script = """
        folder=$1; shift
        TMPDIR=$folder "$@" </dev/null >"$folder/server.log" 2>&1 & server=$!
        cat >/dev/null
        kill -KILL "$server"; wait "$server" 2>/dev/null; rm -rf "$folder"
        for argument; do
            case $argument in -*.port*=*) rm -f /tmp/seaweedfs-*-"${argument##*=}".sock ;; esac
        done
        """

    /// Ports that nobody listens on.
    ///
    /// Not among those that the kernel gives to who connects to another: it would, before the server has them.
    static func freePorts(_ count: Int) throws -> [Int] {
        var sockets: [Int32] = []
        defer { sockets.forEach { close($0) } }
        var ports: [Int] = []
        for port in (10_000..<20_000).shuffled().prefix(1000) where ports.count < count {
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            sockets.append(socket)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let isFree = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isFree { ports.append(port) }
        }
        guard ports.count == count else { throw Missing(description: "no port is free") }
        return ports
    }
}
