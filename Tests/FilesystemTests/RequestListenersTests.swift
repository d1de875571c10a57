import CFuse
import Dispatch
@testable import Filesystem
import Foundation
import Glibc
import Synchronization
import Testing

/// Threads that read requests, from a socket that gives whole messages as the kernel's device does.
@Suite(.timeLimit(.minutes(15)))
struct RequestListenersTests {
    /// The state that the kernel and libfuse's threads share.
    private final class Session: Sendable {
        private let kernel: Int32
        private let device: Int32
        private let listeners: RequestListeners
        private let busy = DispatchSemaphore(value: 0)
        private let received = Mutex<[UInt64]>([])
        private let arrived = DispatchSemaphore(value: 0)
        private let ended = DispatchSemaphore(value: 0)

        init(threads: Int) throws {
            var ends: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
            (kernel, device) = (ends[0], ends[1])
            listeners = RequestListeners(threads: threads)
        }

        /// Begins threads that answer requests until the kernel ends the session.
        ///
        /// - Parameter isLong: whether the answer to a request takes until `finish`.
        func begin(_ threads: Int, isLong: @escaping @Sendable (UInt64) -> Bool = { _ in false }) {
            for _ in 0..<threads {
                Thread.detachNewThread { [self] in
                    while let number = read() {
                        received.withLock { $0.append(number) }
                        arrived.signal()
                        if isLong(number) { busy.wait() }
                    }
                    ended.signal()
                }
            }
        }

        /// - Returns: the number of the next request; nil at the end.
        func read() -> UInt64? {
            var header = fuse_in_header()
            let count = listeners.read(device, &header, MemoryLayout<fuse_in_header>.size)
            return count > 0 ? header.unique : nil
        }

        func ask(_ number: UInt64, _ operation: fuse_opcode = FUSE_GETATTR) {
            var header = fuse_in_header()
            header.opcode = operation.rawValue
            header.unique = number
            #expect(send(kernel, &header, MemoryLayout<fuse_in_header>.size, 0) > 0)
        }

        /// Waits for so many requests to be read.
        func await(_ count: Int) -> [UInt64] {
            for _ in 0..<count where arrived.wait(timeout: .now() + Self.patience) == .timedOut { break }
            return received.withLock { $0 }
        }

        private static let patience = DispatchTimeInterval.seconds(10)

        func finish(_ count: Int) { for _ in 0..<count { busy.signal() } }

        func end() { shutdown(kernel, Int32(SHUT_WR)) }

        /// - Returns: whether so many threads have ended.
        func hasEnded(_ threads: Int) -> Bool {
            (0..<threads).allSatisfy { _ in ended.wait(timeout: .now() + Self.patience) == .success }
        }

        deinit {
            close(kernel)
            close(device)
        }
    }

    @Test func `each request is read by one thread`() throws {
        let session = try Session(threads: 4)
        session.begin(4)
        for number in 1...200 { session.ask(UInt64(number)) }
        #expect(session.await(200).sorted() == Array(1...200))
        session.end()
        #expect(session.hasEnded(4))
    }

    @Test func `while one thread is busy for long, others read what is asked beside it`() throws {
        let session = try Session(threads: 4)
        session.begin(4) { $0 <= 3 }
        for number in 1...3 as ClosedRange<UInt64> {
            session.ask(number)
            _ = session.await(1)
        }
        session.ask(4)
        #expect(session.await(1) == [1, 2, 3, 4])
        session.finish(3)
        session.end()
        #expect(session.hasEnded(4))
    }

    @Test func `requests that nobody waits for are read as well`() throws {
        let session = try Session(threads: 2)
        session.begin(2)
        session.ask(1, FUSE_RELEASE)
        session.ask(2, FUSE_FORGET)
        session.ask(3)
        #expect(session.await(3).sorted() == [1, 2, 3])
        session.end()
        #expect(session.hasEnded(2))
    }

    @Test func `at the end every thread ends, also those that rest`() throws {
        let session = try Session(threads: 8)
        session.begin(8)
        session.ask(1)
        #expect(session.await(1) == [1])
        session.end()
        #expect(session.hasEnded(8))
    }

    @Test func `an error of read is its own`() {
        let listeners = RequestListeners(threads: 1)
        var byte: UInt8 = 0
        for _ in 0..<2 {
            #expect(listeners.read(-1, &byte, 1) == -1)
            #expect(errno == EBADF)
        }
    }
}
