import Backing
import Documents
import Glibc

/// When a content that was changed is sent (PRODUCT 2 "Saving as programs really do it").
public struct SendingPace: Sendable {
    /// So long without a change makes a save of what is closed, was renamed over the document, or was synced.
    public var quiet: Duration
    /// So long without a change makes one of what a program keeps open.
    public var patience: Duration

    public init(quiet: Duration = .milliseconds(500), patience: Duration = .seconds(10)) {
        self.quiet = quiet
        self.patience = patience
    }

    /// - Parameters:
    ///   - time: how long the content has been as it is.
    ///   - isSaved: whether who has it open for writing has said that it is whole: by syncing it, or by renaming it over the
    ///     document; or has not changed it at all.
    /// - Returns: how long it is until the content is to be sent.
    func rest(after time: Duration, isOpenForWriting: Bool, isSaved: Bool) -> Duration {
        max(.zero, (isOpenForWriting && !isSaved ? patience : quiet) - time)
    }
}

/// By which a content is known to be the same as at another look, however its times were set meanwhile.
package struct ContentLook: Equatable, Sendable {
    package let fingerprint: Fingerprint
    private let changed: Timestamp

    package init(_ status: stat) {
        fingerprint = Fingerprint(status)
        changed = Timestamp(status.st_ctim)
    }
}

/// How long the content of an open file has been as it is. Of what the kernel writes by itself nobody hears, so that is told
/// from one look at the file to the next.
struct ContentQuiet: Sendable {
    private var look: ContentLook?
    private var since: ContinuousClock.Instant?
    /// Whether its writer has said that it is whole.
    private(set) var isSaved = false

    /// The file looks like this now.
    ///
    /// - Returns: for how long, as far as that is known.
    mutating func note(_ look: ContentLook, at now: ContinuousClock.Instant) -> Duration {
        if let since, self.look == look { return now - since }
        (self.look, since, isSaved) = (look, now, false)
        return .zero
    }

    /// Its writer said that this content is whole.
    mutating func noteSaved(_ look: ContentLook, at now: ContinuousClock.Instant) {
        _ = note(look, at: now)
        isSaved = true
    }
}
