import Foundation
import Glibc
import Synchronization

/// Stands before a server and passes bytes on, until it is told to hold them: so a transfer is under way for as long as a test looks at it.
public final class HeldServer: Sendable {
    public enum Direction: Sendable {
        /// What is sent to the server.
        case requests
        /// What it answers.
        case replies
    }

    public struct Failed: Error {
        public let call: String
        public let errno: Int32
    }

    public let port: Int
    private let target: Int
    private let listener: Int32
    /// How many more bytes pass in a direction. None stands there for one that is not held.
    private let allowance = Mutex<[Direction: Int]>([:])

    /// - Parameter target: the server's port on this machine.
    public init(before target: Int) throws {
        self.target = target
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        listener = socket
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && listen(socket, 64) == 0
                    && getsockname(socket, address, &length) == 0
            }
        }
        guard result else { throw Failed(call: "bind", errno: errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(socket, nil, nil)
                guard client >= 0, let self else { return }
                // Programs that another test starts must not hold it.
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                self.serve(client)
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// From now on only `bytes` more pass in this direction, over all connections together.
    public func hold(_ direction: Direction, after bytes: Int) { allowance.withLock { $0[direction] = bytes } }

    /// Whether so much has passed that nothing more does.
    public func isHolding(_ direction: Direction) -> Bool { allowance.withLock { $0[direction] == 0 } }

    /// Lets everything pass again.
    public func release() { allowance.withLock { $0 = [:] } }

    private func serve(_ client: Int32) {
        let server = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(port: target)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(client)
            close(server)
            return
        }
        let ended = DispatchGroup()
        for (from, to, direction) in [(client, server, Direction.requests), (server, client, .replies)] {
            ended.enter()
            Thread.detachNewThread {
                self.pass(from, to, direction)
                // Each side hears of the other one's end.
                shutdown(to, Int32(SHUT_WR))
                shutdown(from, Int32(SHUT_RD))
                ended.leave()
            }
        }
        ended.notify(queue: .global()) {
            close(client)
            close(server)
        }
    }

    private func pass(_ from: Int32, _ to: Int32, _ direction: Direction) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            if count <= 0 { return }
            var sent = 0
            while sent < count {
                let allowed = take(direction, atMost: count - sent)
                if allowed == 0 {
                    // A client that leaves while its bytes are held must be let go.
                    var byte: UInt8 = 0
                    if recv(to, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0 { return }
                    usleep(5_000)
                    continue
                }
                let written = buffer[sent..<sent + allowed].withUnsafeBytes {
                    send(to, $0.baseAddress, allowed, Int32(MSG_NOSIGNAL))
                }
                if written <= 0 { return }
                sent += written
            }
        }
    }

    private func take(_ direction: Direction, atMost wanted: Int) -> Int {
        allowance.withLock { allowance in
            guard let left = allowance[direction] else { return wanted }
            let taken = min(left, wanted)
            allowance[direction] = left - taken
            return taken
        }
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = in_port_t(port).bigEndian
        return address
    }
}
