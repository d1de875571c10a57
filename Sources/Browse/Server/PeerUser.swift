import LinuxFiles
import SystemPackage

/// Whose program is at the other end of a connection on this machine.
enum PeerUser {
    /// The kernel gives a table in pieces of a page, and a connection that comes or goes between two of them may hide another one.
    private static let mostTries = 3
    private static let established = "01"

    /// Blocks.
    ///
    /// - Parameter serverPort: of this end.
    static func user(of peer: PeerName, serverPort: UInt16) -> UInt32? {
        for _ in 0..<mostTries {
            for (path, name) in peer.names {
                // Without the table nobody is known.
                guard let table = try? text(of: path) else { continue }
                if let user = user(in: table, name: name, serverPort: serverPort) { return user }
            }
        }
        return nil
    }

    /// - Parameters:
    ///   - table: the text of `/proc/net/tcp` or `/proc/net/tcp6`.
    ///   - name: of the other end.
    /// - Returns: the user who holds the socket at the other end of an established connection. A socket that nobody holds any more (inode 0) is
    ///   nobody's: the table says 0 for its user, as for root's.
    static func user(in table: String, name: String, serverPort: UInt16) -> UInt32? {
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 9, fields[1] == name, port(fields[2]) == serverPort, fields[3] == established,
                fields[9] != "0"
            else { continue }
            return UInt32(fields[7])
        }
        return nil
    }

    private static func port(_ address: Substring) -> UInt16? {
        address.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
    }

    /// Such a file has no size: it is read to its end.
    private static func text(of path: String) throws -> String {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        return try file.closeAfter {
            var all: [UInt8] = []
            let pieceLength = 1 << 16
            while true {
                let piece = try file.bytes(at: Int64(all.count), count: pieceLength)
                all += piece
                if piece.count < pieceLength { return String(decoding: all, as: UTF8.self) }
            }
        }
    }
}
