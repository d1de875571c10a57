import Documents
import Glibc
import SystemPackage

/// Fetches the contents of documents, some at a time, and waits until they are here.
struct ContentDownload {
    private let documents: [CloudDocument]
    /// A few at once fill a connection, and leave the limit of the cache room for them.
    private static let mostAtOnce = 8
    /// A newer version may come while one arrives; then that one is asked for.
    private static let mostTries = 5

    init(_ documents: [CloudDocument]) { self.documents = documents }

    private struct UnderWay {
        let document: CloudDocument
        let state: WatchedState
        var tries = 1
    }

    /// - Throws: `CommandFailure` naming the first document that cannot be fetched; the others were fetched.
    func run() throws {
        var waiting = documents[...]
        var underWay: [UnderWay] = []
        var failures: [String] = []
        var display = ProgressDisplay("downloading")
        defer { display.clear() }
        while !waiting.isEmpty || !underWay.isEmpty {
            while underWay.count < Self.mostAtOnce, let document = waiting.first {
                switch document.requestContent() {
                case nil:
                    waiting.removeFirst()
                    do {
                        underWay.append(UnderWay(document: document, state: try WatchedState(of: document.path)))
                    } catch {
                        failures.append("\(error)")
                    }
                case .resourceTemporarilyUnavailable? where !underWay.isEmpty: break
                case let error?:
                    waiting.removeFirst()
                    failures.append("\(document.path) cannot be fetched: \(Self.explanation(error))")
                    continue
                }
                // No room until one of those under way has ended.
                if waiting.first?.path == document.path { break }
            }
            var rest: [UnderWay] = []
            for var one in underWay {
                let state = try one.state.read()
                switch state["downloading"] {
                case nil where state["location"] == "cloud", "downloading"?: rest.append(one)
                case "current"?, nil: continue
                case _
                where state["error"] == nil && one.tries < Self.mostTries && one.document.requestContent() == nil:
                    one.tries += 1
                    rest.append(one)
                default:
                    failures.append(
                        "\(one.document.path) cannot be fetched: \(state["error"] ?? "its download has ended")")
                }
            }
            underWay = rest
            let done = Int64(documents.count - waiting.count - underWay.count)
            display.show(Progress(done: done, total: Int64(documents.count), unit: .documents))
            WatchedState.waitForChange(of: underWay.map(\.state))
        }
        guard let first = failures.first else { return }
        for failure in failures.dropFirst() { CommandFailure.print(error: failure) }
        throw CommandFailure(first)
    }

    private static func explanation(_ error: Errno) -> String {
        switch error {
        case .noRouteToHost: "the cloud cannot be reached"
        case .noSpace, .resourceTemporarilyUnavailable:
            "--cache-limit leaves no room, since nothing else that is here may go"
        case .noSuchFileOrDirectory, .staleNFSFileHandle: "it is gone"
        case .invalidArgument: "it is no document"
        default: "\(error)"
        }
    }
}

/// The state of a document, open so that changes of it can be waited for (poll(2)).
private final class WatchedState {
    private let file: Int32
    private let path: String

    init(of path: String) throws {
        self.path = path
        guard let real = realpath(path, nil) else {
            throw CommandFailure("\(path) cannot be found: \(Errno(rawValue: errno))")
        }
        defer { free(real) }
        // The reserved name, because `F.state` may be a document.
        let base = UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }
        let name = (base + ReservedStateName.suffix + [0]).map { CChar(bitPattern: $0) }
        file = open(name, O_RDONLY | O_CLOEXEC)
        if file < 0 { throw CommandFailure("the state of \(path) cannot be read: \(Errno(rawValue: errno))") }
    }

    deinit { close(file) }

    func read() throws -> [String: String] {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = pread(file, &bytes, bytes.count, 0)
        if count < 0 { throw CommandFailure("the state of \(path) cannot be read: \(Errno(rawValue: errno))") }
        return StateText(String(decoding: bytes.prefix(count), as: UTF8.self)).values
    }

    /// Waits until one of them says something new, for a second at most.
    static func waitForChange(of states: [WatchedState]) {
        if states.isEmpty { return }
        var descriptors = states.map { pollfd(fd: $0.file, events: Int16(POLLPRI), revents: 0) }
        _ = poll(&descriptors, nfds_t(descriptors.count), 1000)
    }
}
