import Glibc
import SystemPackage

extension Gate {
    enum Address {
        case v4(port: UInt16)
        case v6(port: UInt16)
    }

    static func listen(on address: Address) throws(Errno) -> Int32 {
        let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let listener: Int32
        let result: Int32
        switch address {
        case .v4(let port):
            listener = socket(AF_INET, stream, 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            result = withSocketAddress(of: &address) { bind(listener, $0, $1) }
        case .v6(let port):
            listener = socket(AF_INET6, stream, 0)
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            result = withSocketAddress(of: &address) { bind(listener, $0, $1) }
        }
        guard listener >= 0 else { throw Errno(rawValue: errno) }
        guard result == 0, Glibc.listen(listener, SOMAXCONN) == 0 else {
            let error = Errno(rawValue: errno)
            close(listener)
            throw error
        }
        return listener
    }

    static func port(of listener: Int32) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withSocketAddress(of: &address) { pointer, _ in getsockname(listener, pointer, &length) }
        return UInt16(bigEndian: address.sin_port)
    }

    /// - Returns: nil if the server has ended.
    static func connect(to path: String) -> Int32? {
        let inner = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard inner >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(capacity - 1)) }
        if withSocketAddress(of: &address, { Glibc.connect(inner, $0, $1) }) == 0 { return inner }
        close(inner)
        return nil
    }
}

/// Gives C the address of a socket as the type that its functions take.
func withSocketAddress<Address, Result>(
    of address: inout Address, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<Address>.size))
        }
    }
}
