import CLinux
import Glibc
import SystemPackage

/// Tells systemd how far a service with `Type=notify` is: a datagram to the socket that NOTIFY_SOCKET names (sd_notify(3)).
enum ServiceNotification: String {
    case ready = "READY=1"
    case stopping = "STOPPING=1"

    /// Does nothing where no service manager waits.
    ///
    /// - Parameter address: a path, or `@` and the name of an abstract socket.
    /// - Throws: the error of the socket.
    func send(to address: String? = getenv("NOTIFY_SOCKET").map { String(cString: $0) }) throws(Errno) {
        guard let address, !address.isEmpty else { return }
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        var path = Array(address.utf8)
        guard path.count < MemoryLayout.size(ofValue: target.sun_path) else { throw .fileNameTooLong }
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        defer { close(number) }
        let sent = withUnsafePointer(to: target) { target in
            target.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                Array(rawValue.utf8).withUnsafeBytes { sendto(number, $0.baseAddress, $0.count, 0, target, length) }
            }
        }
        guard sent == rawValue.utf8.count else { throw Errno(rawValue: errno) }
    }
}
