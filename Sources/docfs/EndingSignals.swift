import CLinux
import Dispatch
import Glibc

/// The signals that end a program as a person or the system wants it: Ctrl-C, `kill`, the end of the terminal.
enum EndingSignals {
    private static let numbers = [SIGTERM, SIGINT, SIGHUP]

    private static func change(_ how: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        pthread_sigmask(how, &signals, nil)
    }

    /// From now on they wait until somebody handles them. To be called before there is another thread: threads inherit it. libdispatch asks for a
    /// signal some time after a source was resumed (signalfd(2)). One that comes before is lost if it is ignored, or if a thread does not block it:
    /// libdispatch's handler sends it to that thread once more, and another one reads.
    static func hold() { change(SIG_BLOCK) }

    /// One that has come since `hold`, while nobody handles them yet.
    private static var waiting: Int32? {
        var signals = sigset_t()
        sigemptyset(&signals)
        guard sigpending(&signals) == 0 else { return nil }
        return numbers.first { sigismember(&signals, $0) == 1 }
    }

    /// Whether one has come since `hold`, and nobody handles them yet.
    static var areWaiting: Bool { waiting != nil }

    /// Ends this process if one has come since `hold`, while nobody handles them yet.
    static func endIfWaiting() { if let waiting { end(by: waiting) } }

    /// Calls `handle` with each one, also with one that came since `hold`, until the sources are cancelled.
    static func handle(_ handle: @escaping @Sendable (Int32) -> Void) -> [any DispatchSourceSignal] {
        numbers.map { number in
            // It is not ignored: that would throw away one that waits (POSIX, sigaction).
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { handle(number) }
            source.resume()
            return source
        }
    }

    /// Ends this process as everybody expects of one that such a signal ends.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        change(SIG_UNBLOCK)
        raise(number)
        exit(128 + number)
    }
}
