import Glibc
import SystemPackage

/// Fetches the contents of documents, some at a time, and waits until they are here.
struct ContentDownload {
    private let documents: [CloudDocument]
    /// False for contents that docfs fetches by itself.
    private let asks: Bool
    /// A few at once fill a connection, and leave the limit of the cache room for them.
    private static let mostAtOnce = 8
    /// A newer version may come while one arrives; then that one is asked for.
    private static let mostTries = 5

    init(_ documents: [CloudDocument]) {
        self.documents = documents.filter { !$0.isCurrent }
        asks = true
    }

    /// Waits for the contents of documents that have moved out of the cloud (Semantics, "Out of the cloud"), and asks for none.
    init(ofMoved documents: [CloudDocument]) {
        self.documents = documents
        asks = false
    }

    private struct UnderWay {
        let document: CloudDocument
        let state: OpenStateFile
        let size: Int64
        var arrived: Int64 = 0
        var tries = 1
    }

    private enum Outcome {
        case underWay
        case ended
        case failed(String)
    }

    /// - Throws: `CommandFailure` naming the first document that cannot be fetched; the others were fetched.
    func run() throws {
        var waiting = documents[...]
        var underWay: [UnderWay] = []
        var failures: [String] = []
        let total = documents.reduce(0) { $0 + $1.size }
        // Bytes of documents whose download has ended.
        var ended: Int64 = 0
        var display = ProgressDisplay("downloading")
        defer { display.clear() }
        while !waiting.isEmpty || !underWay.isEmpty {
            while underWay.count < Self.mostAtOnce, let document = waiting.first {
                switch asks ? document.requestContent() : nil {
                case nil:
                    waiting.removeFirst()
                    do {
                        underWay.append(
                            UnderWay(
                                document: document, state: try OpenStateFile(ofDocument: document.path),
                                size: document.size))
                    } catch {
                        failures.append("\(error)")
                    }
                case .resourceBusy? where !underWay.isEmpty: break
                case let error?:
                    waiting.removeFirst()
                    failures.append(document.refusal(of: error))
                    continue
                }
                // No room until one of those under way has ended.
                if waiting.first?.path == document.path { break }
            }
            var rest: [UnderWay] = []
            for var one in underWay {
                let state = StateText(try one.state.text())
                one.arrived = one.document.transferredBytes ?? one.arrived
                switch outcome(&one, state) {
                case .underWay: rest.append(one)
                case .ended: ended += one.size
                case .failed(let reason):
                    failures.append("\(one.document.shownPath.printable) cannot be fetched: \(reason)")
                }
            }
            underWay = rest
            let count = documents.count - waiting.count - underWay.count
            display.title = documents.count == 1 ? "downloading" : "downloading, \(count) of \(documents.count) here,"
            let done = underWay.reduce(ended) { $0 + $1.arrived }
            display.show(Progress(done: min(done, total), total: total, unit: .bytes))
            if underWay.isEmpty { continue }
            _ = try Polling.wait(
                for: underWay.map { .init(descriptor: $0.state.descriptor, events: POLLPRI) }, until: display.nextDraw)
        }
        display.clear()
        guard let first = failures.first else { return try checkStillHere() }
        for failure in failures.dropFirst() { CommandFailure.print(error: failure) }
        throw CommandFailure(first)
    }

    /// The outcome of a download so far. A newer version is asked for.
    private func outcome(_ one: inout UnderWay, _ state: StateText) -> Outcome {
        switch state["downloading"] {
        case nil where state["location"] == "cloud", "downloading"?: return .underWay
        case nil where state["state"]?.contains("editingDisabled") == true:
            return state["error"].map(Outcome.failed) ?? .underWay
        case "current"?, nil: return .ended
        default: break
        }
        if let error = state["error"] { return .failed(error) }
        switch state["downloading"] {
        // It arrived, and has given way to another one already (`checkStillHere`).
        case "notDownloaded"?: return .ended
        case _ where one.tries < Self.mostTries && one.document.requestContent() == nil:
            one.tries += 1
            return .underWay
        default: return .failed("its download has ended")
        }
    }

    /// - Throws: if contents that had arrived have given way to later ones (`--cache-limit`).
    private func checkStillHere() throws {
        let gone = documents.count(where: \.isPlaceholder)
        if gone == 0 { return }
        throw CommandFailure(
            "\(gone) of \(HumanText.count(documents.count, "document")) have given way to the others again: "
                + "--cache-limit leaves no room for all of them")
    }
}
