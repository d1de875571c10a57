import Catalog
import Backing
import Documents
import Glibc

/// When changed content is sent (`Semantics`, "Saving").
public struct SendingPace: Sendable {
    /// How long content must be unchanged to be sent if its file is closed, was renamed over the document, or was synced.
    public var quiet: Duration
    /// How long content must be unchanged to be sent while a program keeps its file open for writing.
    public var patience: Duration

    public init(quiet: Duration = .milliseconds(500), patience: Duration = .seconds(10)) {
        self.quiet = quiet
        self.patience = patience
    }

    /// A document that is saved again and again is sent after this time, though it was never quiet for long enough.
    static let limit = Duration.seconds(5)
    /// It must be unchanged for this long even then: a save may consist of several writes.
    static let settled = Duration.milliseconds(50)
    /// After this time it is sent as it is. A whole state must be sent every ten seconds (`Semantics`, "Saving"), also of a document that is
    /// saved every few milliseconds.
    static let latest = Duration.seconds(8)

    /// - Parameters:
    ///   - time: how long the content is unchanged.
    ///   - start: how long ago the first save was that is not sent.
    ///   - isSaved: whether its writer has declared the content whole, by syncing the file or renaming it over the document, or has not
    ///     changed it at all.
    /// - Returns: the time until the content is to be sent.
    func rest(
        after time: Duration, since start: Duration = .zero, isOpenForWriting: Bool, isSaved: Bool
    ) -> Duration {
        let rest = max(.zero, (isOpenForWriting && !isSaved ? patience : quiet) - time)
        if !isSaved { return rest }
        return min(rest, start < Self.latest ? max(Self.limit - start, Self.settled - time, .zero) : .zero)
    }
}

/// The status by which an unchanged file is recognised. It contains the time of change, so that a time of modification that was set back
/// hides no write.
package struct ContentLook: Equatable, Sendable {
    /// Size and time of modification of the file.
    package let fingerprint: Fingerprint
    private let changed: Timestamp

    /// - Parameter status: from stat(2) or fstat(2).
    package init(_ status: stat) {
        fingerprint = Fingerprint(status)
        changed = Timestamp(status.st_ctim)
    }
}

/// How long the content of an open file is unchanged. The kernel does not tell of its own writes, so that the time is measured from one
/// look at the file to the next.
struct ContentQuiet: Sendable {
    private var look: ContentLook?
    private var since: ContinuousClock.Instant?
    /// Whether its writer has declared this content whole.
    private(set) var isSaved = false

    /// The file looks like this now.
    ///
    /// - Returns: how long it has looked like this, as far as that is known.
    mutating func observe(_ look: ContentLook, at now: ContinuousClock.Instant) -> Duration {
        if let since, self.look == look { return now - since }
        (self.look, since, isSaved) = (look, now, false)
        return .zero
    }

    /// The writer declared this content whole.
    mutating func markSaved(_ look: ContentLook, at now: ContinuousClock.Instant) {
        _ = observe(look, at: now)
        isSaved = true
    }
}
