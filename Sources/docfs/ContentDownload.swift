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
        let state: OpenStateFile
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
                        underWay.append(
                            UnderWay(document: document, state: try OpenStateFile(ofDocument: document.path)))
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
                let state = StateText(try one.state.text())
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
            if underWay.isEmpty { continue }
            _ = try Polling.wait(for: underWay.map { .init(descriptor: $0.state.descriptor, events: POLLPRI) })
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
