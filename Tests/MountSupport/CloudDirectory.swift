import Glibc
import SystemPackage

/// The directory behind `--cloud file:///DIR`, seen from outside: `log/` and `documents/ID/VERSION/FILENAME`.
public struct CloudDirectory: Sendable {
    public let path: FilePath

    public init(path: FilePath) { self.path = path }

    public var url: String { "file://\(path.string)" }

    /// Where the directory stands while the cloud cannot be reached.
    private var elsewhere: FilePath { FilePath(path.string + ".unreachable") }

    public func disconnect() throws { try path.rename(to: elsewhere) }

    public func reconnect() throws { try elsewhere.rename(to: path) }

    /// Two devices change documents while neither can see the other, the second one later.
    ///
    /// - Parameter documents: each on the first device and on the second one.
    public func appendUnseen(
        _ text: String, _ laterText: String, to documents: [(here: FilePath, there: FilePath)]
    ) throws {
        try disconnect()
        for (here, there) in documents {
            try here.append(text)
            try there.append(laterText)
            // Later for certain: a file system's clock may tick no faster than two writes follow each other.
            var time = try here.stat().st_mtim
            time.tv_sec += 1
            try there.setTimes(accessed: time, modified: time)
        }
        try reconnect()
    }

    /// Every version object with this filename. Versions come and go while we look, hence the leniency.
    public func objects(named filename: String) -> [FilePath] {
        let documents = path / "documents"
        return documents.children.flatMap(\.children).map { $0 / filename }.filter(\.exists)
    }

    /// The text of every version of a document that the cloud holds.
    public func texts(named filename: String) -> Set<String> {
        Set(objects(named: filename).compactMap { try? $0.text() })
    }
}

extension FilePath {
    /// The names in a folder; none if it is not a folder.
    fileprivate var children: [FilePath] {
        ((try? listing()) ?? []).map { self / $0 }
    }
}
