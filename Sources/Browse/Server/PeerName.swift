import Glibc

/// The program's end of a connection on this machine, as the kernel's tables of connections name it (proc_pid_net(5)).
struct PeerName {
    /// `ADDRESS:PORT` in each table in which it may stand.
    let names: [(table: String, name: String)]

    /// - Returns: nil for a connection that has ended.
    init?(of connection: Int32) {
        var storage = sockaddr_storage()
        let isKnown = withSocketAddress(of: &storage) { address, size in
            var length = size
            return getpeername(connection, address, &length) == 0
        }
        guard isKnown else { return nil }
        let bytes = withUnsafeBytes(of: storage) { Array($0) }
        // The port follows the family; then comes the IPv4 address, or after four more bytes that of IPv6.
        let port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        switch Int32(storage.ss_family) {
        case AF_INET: self.init(v4: Array(bytes[4..<8]), port: port)
        case AF_INET6: self.init(v6: Array(bytes[8..<24]), port: port)
        default: return nil
        }
    }

    /// An IPv4 connection may be made through a socket for IPv6.
    init(v4 address: [UInt8], port: UInt16) {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff] + address
        names = [("/proc/net/tcp", Self.name(address, port)), ("/proc/net/tcp6", Self.name(mapped, port))]
    }

    init(v6 address: [UInt8], port: UInt16) { names = [("/proc/net/tcp6", Self.name(address, port))] }

    /// The kernel prints an address as words of four bytes, each in the order of this machine's numbers.
    private static func name(_ address: [UInt8], _ port: UInt16) -> String {
        let words = stride(from: 0, to: address.count, by: 4).map { start in
            address[start..<start + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        }
        return words.map { hexadecimal($0, width: 8) }.joined() + ":" + hexadecimal(UInt32(port), width: 4)
    }

    private static func hexadecimal(_ number: UInt32, width: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: width - digits.count) + digits
    }
}
