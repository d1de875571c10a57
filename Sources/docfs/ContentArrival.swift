import Glibc
import SystemPackage

/// Documents that have moved out of the cloud, whose contents are still coming (Semantics, "Out of the cloud").
struct ContentArrival {
    private let documents: [Coming]
    /// So many states are watched at a time: a device fetches a few contents at once.
    private static let mostWatched = 64

    private struct Coming {
        /// Where the document stands when it has moved.
        let path: String
        /// Bytes.
        let size: Int64
    }

    private struct Watched {
        let document: Coming
        let state: OpenStateFile
    }

    /// The contents that are to come when everything in the cloud moves to this machine. To be asked before it moves.
    ///
    /// - Parameter documents: the path of the folder `Documents`.
    init(ofAllIn documents: String) throws {
        let cloud = documents + "/cloud/"
        self.documents = try CloudDocument.all(at: cloud).filter { !$0.isCurrent }.map {
            Coming(path: documents + "/local/" + $0.path.dropFirst(cloud.count), size: $0.size)
        }
    }

    /// Waits until all contents are here, with a bar.
    ///
    /// - Returns: what is not here, each with the reason. docfs goes on trying.
    func wait() throws -> [String] {
        var waiting = documents[...]
        var watched: [Watched] = []
        var failures: [String] = []
        let total = documents.reduce(0) { $0 + $1.size }
        var ended: Int64 = 0
        var display = ProgressDisplay("downloading")
        defer { display.clear() }
        while true {
            while watched.count < Self.mostWatched, let document = waiting.popFirst() {
                // What has no state there has not moved, or was moved on by somebody.
                if let state = try? OpenStateFile(ofDocument: document.path) {
                    watched.append(Watched(document: document, state: state))
                } else {
                    ended += document.size
                }
            }
            if watched.isEmpty { return failures }
            var arrived: Int64 = 0
            var coming: [Watched] = []
            for one in watched {
                let state = StateText(try one.state.text())
                let isComing = state["state"]?.split(separator: " ").contains("editingDisabled") == true
                if isComing, state["error"] == nil {
                    arrived += (state["progress"].flatMap { Int64($0) } ?? 0) * one.document.size / 100
                    coming.append(one)
                } else {
                    ended += one.document.size
                    guard isComing, let error = state["error"] else { continue }
                    failures.append(
                        "\(CloudDocument(path: one.document.path).shownPath.printable) is not here yet: \(error)")
                }
            }
            watched = coming
            display.show(Progress(done: ended + arrived, total: total, unit: .bytes))
            if watched.isEmpty { continue }
            _ = try Polling.wait(for: watched.map { .init(descriptor: $0.state.descriptor, events: POLLPRI) })
        }
    }
}
