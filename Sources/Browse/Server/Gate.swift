import Foundation
import Glibc
import Synchronization
import SystemPackage

/// Stands before the server on this machine's own addresses: the server hears only of connections by programs of the person who started it. What
/// another user sends is not even read as a request.
///
/// Threads pass the bytes on. They end with their connections, the others with the process.
final class Gate: Sendable {
    private static let mostTries = 16
    /// So many refused connections get an answer at a time; more are closed at once.
    private static let mostRefusals = 16
    private static let refusal = """
        HTTP/1.1 403 Forbidden\r
        Content-Type: text/plain; charset=utf-8\r
        Content-Length: 23\r
        Connection: close\r
        \r
        another user's program

        """

    /// The same on all addresses. The system picked it.
    let port: UInt16
    private let listeners: [Int32]
    private let refusals = Mutex(0)

    /// - Throws: errno of bind(2) and its like.
    init() throws(Errno) {
        for _ in 0..<Self.mostTries {
            let first = try Self.listen(on: .v4(port: 0))
            let port = Self.port(of: first)
            do throws(Errno) {
                listeners = [first, try Self.listen(on: .v6(port: port))]
            } catch .addressNotAvailable, .addressFamilyNotSupported {
                // This machine has no ::1.
                listeners = [first]
            } catch {
                close(first)
                // Somebody else's server has the port there.
                if error == .addressInUse { continue }
                throw error
            }
            self.port = port
            return
        }
        throw .addressInUse
    }

    /// Lets connections in, to the server that listens on a Unix socket.
    func open(to server: String) {
        for listener in listeners {
            Thread.detachNewThread { [self] in
                while true {
                    let client = accept(listener, nil, nil)
                    guard client >= 0 else {
                        // Descriptors or memory are short, or the client has gone. No event tells when that is over.
                        if errno != EINTR, errno != ECONNABORTED { usleep(100_000) }
                        continue
                    }
                    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                    admit(client, to: server)
                }
            }
        }
    }

    private func admit(_ client: Int32, to server: String) {
        guard let name = PeerName(of: client), PeerUser.user(of: name, serverPort: port) == getuid() else {
            return refuse(client)
        }
        guard let inner = Self.connect(to: server) else {
            close(client)
            return
        }
        let bothEnded = Mutex(2)
        for (from, to) in [(client, inner), (inner, client)] {
            Thread.detachNewThread {
                Self.pass(from, to)
                let isLast = bothEnded.withLock { left in
                    left -= 1
                    return left == 0
                }
                guard isLast else { return }
                close(client)
                close(inner)
            }
        }
    }

    /// Until one side ends. Then the other one hears of it.
    private static func pass(_ from: Int32, _ to: Int32) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0, sendAll(buffer[..<count], to) else { break }
        }
        shutdown(to, Int32(SHUT_WR))
        shutdown(from, Int32(SHUT_RD))
    }

    private static func sendAll(_ bytes: ArraySlice<UInt8>, _ to: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno != EINTR { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    private func refuse(_ client: Int32) {
        let isAnswered = refusals.withLock { count in
            if count == Self.mostRefusals { return false }
            count += 1
            return true
        }
        guard isAnswered else {
            close(client)
            return
        }
        Thread.detachNewThread { [self] in
            _ = Self.sendAll(Array(Self.refusal.utf8)[...], client)
            shutdown(client, Int32(SHUT_WR))
            // Closing with something unread would take the answer away. For that, what was sent so far is read, and no more.
            var patience = timeval(tv_sec: 1, tv_usec: 0)
            setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            _ = recv(client, &buffer, buffer.count, 0)
            close(client)
            refusals.withLock { $0 -= 1 }
        }
    }
}
