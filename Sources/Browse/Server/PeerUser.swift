import LinuxFiles
import SystemPackage

/// Whose program is at the other end of a connection on this machine, by the kernel's tables of connections (proc_pid_net(5)).
package enum PeerUser {
    /// The kernel gives the table in pieces of a page, and a connection that comes or goes between two of them may hide another one.
    private static let mostTries = 3

    /// As `user(in:port:serverPort:)`. Blocks.
    package static func user(inFile path: String, port: UInt16, serverPort: UInt16) -> UInt32? {
        for _ in 0..<mostTries {
            guard let text = try? text(of: path) else { return nil }
            if let user = user(in: text, port: port, serverPort: serverPort) { return user }
        }
        return nil
    }

    /// Such a file has no size: it is read to its end.
    private static func text(of path: String) throws(Errno) -> String {
        let file: FileDescriptor
        do { file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec) } catch {
            throw error as? Errno ?? .ioError
        }
        defer { try? file.close() }
        var all: [UInt8] = []
        let pieceLength = 1 << 16
        while true {
            let piece = try file.bytes(at: Int64(all.count), count: pieceLength)
            all += piece
            if piece.count < pieceLength { return String(decoding: all, as: UTF8.self) }
        }
    }

    /// - Parameters:
    ///   - table: the text of `/proc/net/tcp` or `/proc/net/tcp6`.
    ///   - port: of the other end.
    ///   - serverPort: of this end.
    /// - Returns: the user of the socket that has `port` at its own end and `serverPort` at the other; nil if there is none, or sockets of
    ///   several users (on several addresses of this machine).
    package static func user(in table: String, port: UInt16, serverPort: UInt16) -> UInt32? {
        let users = table.split(separator: "\n").dropFirst().compactMap { line -> UInt32? in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 7, Self.port(fields[1]) == port, Self.port(fields[2]) == serverPort else { return nil }
            // Sockets that are closed already (TIME_WAIT, 06) belong to nobody.
            return fields[3] == "06" ? nil : UInt32(fields[7])
        }
        return Set(users).count == 1 ? users.first : nil
    }

    private static func port(_ address: Substring) -> UInt16? {
        address.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
    }
}
